#include "criteria/class_division.hpp"
#include "split/statistics/build.hpp"

namespace ceiba::split {

namespace {

template <class D>
Finder search(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    std::vector<D> divisions;
    for (const int n_classes : target.n_classes) divisions.push_back(class_division<D>(n_classes, options));
    return build_outputs<criteria::ScannedClassCriteria>(divisions, target, options, n_threads);
}

}  // namespace

Finder search_class_outputs(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    return search<criteria::UnitDivision>(target, options, n_threads);
}

Finder search_weighted_class_outputs(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    return search<criteria::WeightedDivision>(target, options, n_threads);
}

}  // namespace ceiba::split
