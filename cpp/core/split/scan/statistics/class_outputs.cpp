#include "criteria/class_division.hpp"
#include "split/scan/statistics/build.hpp"

namespace ceiba::split {

Finder search_class_outputs(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    return build_outputs<criteria::ScannedClassCriteria>(class_divisions<criteria::UnitDivision>(target, options),
                                                         target, options, n_threads);
}

}  // namespace ceiba::split
