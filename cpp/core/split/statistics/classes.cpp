#include "criteria/class_division.hpp"
#include "split/statistics/build_counted.hpp"

namespace ceiba::split {

using criteria::UnitDivision, criteria::WeightedDivision;
template Finder search_classes<UnitDivision>(const data::TargetRows&, const SearchOptions&, int);
template Finder search_classes<WeightedDivision>(const data::TargetRows&, const SearchOptions&, int);
template CountedFinderPtr count_classes<UnitDivision, CountCells>(const data::TargetRows&, const SearchOptions&, int);
template CountedFinderPtr count_classes<WeightedDivision, WeightCells>(const data::TargetRows&, const SearchOptions&,
                                                                       int);

}  // namespace ceiba::split
