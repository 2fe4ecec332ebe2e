#include "criteria/class_division.hpp"
#include "split/statistics/build.hpp"

namespace ceiba::split {

template <class D>
Finder search_class_outputs(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    std::vector<D> divisions;
    for (const int n_classes : target.n_classes) divisions.push_back(class_division<D>(n_classes, options));
    return build_outputs<criteria::ScannedClassCriteria>(divisions, target, options, n_threads);
}
template Finder search_class_outputs<criteria::UnitDivision>(const data::TargetRows&, const SearchOptions&, int);
template Finder search_class_outputs<criteria::WeightedDivision>(const data::TargetRows&, const SearchOptions&, int);

}  // namespace ceiba::split
