#include "criteria/class_division.hpp"
#include "split/scan/statistics/build.hpp"

namespace ceiba::split {

Finder search_weighted_class_outputs(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    return build_outputs<criteria::ScannedClassCriteria>(class_divisions<criteria::WeightedDivision>(target, options),
                                                         target, options, n_threads);
}

}  // namespace ceiba::split
