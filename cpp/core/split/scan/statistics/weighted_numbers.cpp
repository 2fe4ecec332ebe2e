#include "criteria/moment_division.hpp"
#include "split/scan/multi_scan.hpp"
#include "split/scan/statistics/build.hpp"

namespace ceiba::split {

Finder search_weighted_numbers(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    using Division = criteria::MomentDivision<true>;
    const std::size_t n_outputs = target.numbers.size();
    if (n_outputs == 1) return build<criteria::MomentCriteria>(Division(), target, options, n_threads);
    return build_outputs<criteria::MomentCriteria, criteria::ChosenPer::loop>(std::vector<Division>(n_outputs), target,
                                                                              options, n_threads);
}

}  // namespace ceiba::split
