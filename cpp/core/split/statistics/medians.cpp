// Chooses integers wide enough for the sums of a target: 128 bits for nearly all, 256 where very small numbers stand
// beside large ones, and enough for any doubles.
#include "split/scan/weighted_median_scan.hpp"
#include "split/statistics/build.hpp"

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

Finder search_weighted_medians(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    using Division = criteria::WeightedMedianDivision;
    using Criteria = criteria::List<criteria::AbsoluteError>;
    const std::size_t n_outputs = target.numbers.size();
    if (n_outputs == 1) return build<Criteria>(Division(), target, options, n_threads);
    return build_outputs<Criteria>(std::vector<Division>(n_outputs), target, options, n_threads);
}

}  // namespace ceiba::split
