#include "criteria/class_division.hpp"
#include "split/statistics/build_counted.hpp"

namespace ceiba::split {

using criteria::BinaryDivision;
template Finder search_classes<BinaryDivision>(const data::TargetRows&, const SearchOptions&, int);
template CountedFinderPtr count_classes<BinaryDivision, BinaryCells>(const data::TargetRows&, const SearchOptions&,
                                                                     int);

}  // namespace ceiba::split
