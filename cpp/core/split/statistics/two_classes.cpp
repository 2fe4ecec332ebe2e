#include "criteria/class_division.hpp"
#include "split/statistics/build_counted.hpp"

namespace ceiba::split {

Finder search_two_classes(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    const auto division = class_division<criteria::BinaryDivision>(target.n_classes[0], options);
    return build<criteria::ScannedClassCriteria>(division, target, options, n_threads);
}

CountedFinderPtr count_two_classes(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    const auto division = class_division<criteria::BinaryDivision>(target.n_classes[0], options);
    return build_counted<criteria::ScannedClassCriteria, BinaryCells>(division, target, options, n_threads);
}

}  // namespace ceiba::split
