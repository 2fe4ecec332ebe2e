#include "criteria/moment_division.hpp"
#include "split/scan/multi_scan.hpp"
#include "split/statistics/build_counted.hpp"

namespace ceiba::split {

namespace {

using criteria::MomentCriteria, criteria::MomentDivision;

template <class D>
Finder search(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    const std::size_t n_outputs = target.numbers.size();
    if (n_outputs == 1) return build<MomentCriteria>(D(), target, options, n_threads);
    return build_outputs<MomentCriteria, criteria::ChosenPer::loop>(std::vector<D>(n_outputs), target, options,
                                                                    n_threads);
}

}  // namespace

Finder search_numbers(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    return search<MomentDivision<false>>(target, options, n_threads);
}

Finder search_weighted_numbers(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    return search<MomentDivision<true>>(target, options, n_threads);
}

CountedFinderPtr count_numbers(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    return build_counted<MomentCriteria, MomentCells>(MomentDivision<false>(), target, options, n_threads);
}

CountedFinderPtr count_weighted_numbers(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    return build_counted<MomentCriteria, WeightedMomentCells>(MomentDivision<true>(), target, options, n_threads);
}

}  // namespace ceiba::split
