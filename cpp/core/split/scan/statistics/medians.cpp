// Chooses integers wide enough for the sums of a target: 128 bits for nearly all, 256 where very small numbers stand
// beside large ones, and enough for any doubles.
#include "criteria/absolute_error.hpp"
#include "criteria/median_division.hpp"
#include "split/scan/median_scan.hpp"
#include "split/scan/presort_finder.hpp"
#include "split/scan/statistics/statistics.hpp"

namespace ceiba::split {

namespace {

using namespace ceiba::criteria;

// The medians of all outputs are one division: their deviations are counted in one unit.
template <int Limbs>
Finder for_medians(const data::TargetRows& target, int unit, const SearchOptions& options, int n_threads) {
    using D = MedianDivision<base::FixedPoint<Limbs>>;
    return std::make_unique<PresortFinder<D, AbsoluteError>>(D(target.numbers.size(), unit), AbsoluteError(), options,
                                                             n_threads);
}

}  // namespace

Finder search_medians(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    const base::BitRange range = bit_range(target);
    const int bits = range.bits_of_sum(target.size() * target.numbers.size());
    if (bits <= 128) return for_medians<2>(target, range.unit(), options, n_threads);
    if (bits <= 256) return for_medians<4>(target, range.unit(), options, n_threads);
    return for_medians<34>(target, range.unit(), options, n_threads);
}

}  // namespace ceiba::split
