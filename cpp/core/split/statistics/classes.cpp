#include "criteria/class_division.hpp"
#include "split/statistics/build_counted.hpp"

namespace ceiba::split {

Finder search_classes(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    const auto division = class_division<criteria::UnitDivision>(target.n_classes[0], options);
    return build<criteria::ScannedClassCriteria>(division, target, options, n_threads);
}

CountedFinderPtr count_classes(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    const auto division = class_division<criteria::UnitDivision>(target.n_classes[0], options);
    return build_counted<criteria::ScannedClassCriteria, CountCells>(division, target, options, n_threads);
}

Finder search_weighted_classes(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    const auto division = class_division<criteria::WeightedDivision>(target.n_classes[0], options);
    return build<criteria::ScannedClassCriteria>(division, target, options, n_threads);
}

CountedFinderPtr count_weighted_classes(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    const auto division = class_division<criteria::WeightedDivision>(target.n_classes[0], options);
    return build_counted<criteria::ScannedClassCriteria, WeightCells>(division, target, options, n_threads);
}

}  // namespace ceiba::split
