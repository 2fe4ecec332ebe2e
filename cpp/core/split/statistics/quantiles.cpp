// Chooses integers wide enough for the sums of a target: 128 bits for nearly all targets, 256 bits for very small
// numbers beside large ones, and otherwise enough for any doubles.
#include "split/scan/quantile_scan.hpp"
#include "split/statistics/build.hpp"

namespace ceiba::split {

namespace {

using namespace ceiba::criteria;

// The quantiles of all outputs form one division, because their losses are counted in the same unit.
template <int Limbs>
Finder for_quantiles(const data::TargetRows& target, int unit, const SearchOptions& options, int n_threads) {
    using D = QuantileDivision<base::FixedPoint<Limbs>>;
    const D division(target.numbers.size(), unit, QuantileLevel(options.quantile));
    return std::make_unique<PresortFinder<D, AbsoluteError>>(division, AbsoluteError(), options, n_threads);
}

}  // namespace

Finder search_quantiles(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    const base::BitRange range = bit_range(target);
    // Sums of y times the costs of the level, of both sides and of all rows.
    const auto costs = static_cast<std::size_t>(QuantileLevel(options.quantile).whole());
    const int bits = range.bits_of_sum(2 * (target.size() + 2) * target.numbers.size() * costs);
    if (bits <= 128) return for_quantiles<2>(target, range.unit(), options, n_threads);
    if (bits <= 256) return for_quantiles<4>(target, range.unit(), options, n_threads);
    return for_quantiles<34>(target, range.unit(), options, n_threads);
}

Finder search_weighted_quantiles(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    using Division = criteria::WeightedQuantileDivision;
    using Criteria = criteria::List<criteria::AbsoluteError>;
    const std::size_t n_outputs = target.numbers.size();
    const Division division{criteria::QuantileLevel(options.quantile)};
    if (n_outputs == 1) return build<Criteria>(division, target, options, n_threads);
    return build_outputs<Criteria>(std::vector<Division>(n_outputs, division), target, options, n_threads);
}

}  // namespace ceiba::split
