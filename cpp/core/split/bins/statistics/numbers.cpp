#include "criteria/moment_division.hpp"
#include "split/bins/cells.hpp"
#include "split/bins/statistics/build.hpp"

namespace ceiba::split {

std::unique_ptr<SplitFinder> count_numbers(const data::TargetRows& target, const SearchOptions& options,
                                           int n_threads) {
    return build_counted<criteria::MomentCriteria, MomentCells>(criteria::MomentDivision<false>(), target, options,
                                                                n_threads);
}

}  // namespace ceiba::split
