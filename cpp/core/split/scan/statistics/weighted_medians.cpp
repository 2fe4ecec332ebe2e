#include "criteria/weighted_median_division.hpp"
#include "split/scan/statistics/build.hpp"
#include "split/scan/weighted_median_scan.hpp"

namespace ceiba::split {

Finder search_weighted_medians(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    using Division = criteria::WeightedMedianDivision;
    using Criteria = criteria::List<criteria::AbsoluteError>;
    const std::size_t n_outputs = target.numbers.size();
    if (n_outputs == 1) return build<Criteria>(Division(), target, options, n_threads);
    return build_outputs<Criteria>(std::vector<Division>(n_outputs), target, options, n_threads);
}

}  // namespace ceiba::split
