#include "criteria/moment_division.hpp"
#include "split/scan/multi_scan.hpp"
#include "split/statistics/build_counted.hpp"

namespace ceiba::split {

using criteria::MomentCriteria, criteria::MomentDivision;

template <class D>
Finder search_numbers(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    const std::size_t n_outputs = target.numbers.size();
    if (n_outputs == 1) return build<MomentCriteria>(D(), target, options, n_threads);
    return build_outputs<MomentCriteria, criteria::ChosenPer::loop>(std::vector<D>(n_outputs), target, options,
                                                                    n_threads);
}
template Finder search_numbers<MomentDivision<false>>(const data::TargetRows&, const SearchOptions&, int);
template Finder search_numbers<MomentDivision<true>>(const data::TargetRows&, const SearchOptions&, int);

template <class D, class Cells>
CountedFinderPtr count_numbers(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    return build_counted<MomentCriteria, Cells>(D(), target, options, n_threads);
}
template CountedFinderPtr count_numbers<MomentDivision<false>, MomentCells>(const data::TargetRows&,
                                                                            const SearchOptions&, int);
template CountedFinderPtr count_numbers<MomentDivision<true>, WeightedMomentCells>(const data::TargetRows&,
                                                                                   const SearchOptions&, int);

}  // namespace ceiba::split
