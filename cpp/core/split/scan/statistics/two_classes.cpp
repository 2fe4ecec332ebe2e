#include "criteria/class_division.hpp"
#include "split/scan/statistics/build.hpp"

namespace ceiba::split {

Finder search_two_classes(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    const criteria::BinaryDivision division(target.n_classes[0], scale_of(options));
    return build<criteria::ScannedClassCriteria>(division, target, options, n_threads);
}

}  // namespace ceiba::split
