#include "criteria/class_division.hpp"
#include "split/bins/cells.hpp"
#include "split/bins/statistics/build.hpp"

namespace ceiba::split {

std::unique_ptr<SplitFinder> count_classes(const data::TargetRows& target, const SearchOptions& options,
                                           int n_threads) {
    const criteria::UnitDivision division(target.n_classes[0],
                                          options.class_scale.empty() ? nullptr : options.class_scale.data());
    return build_counted<criteria::ScannedClassCriteria, CountCells>(division, target, options, n_threads);
}

}  // namespace ceiba::split
