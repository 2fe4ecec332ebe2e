// Chooses cells and criterion for a target: what can be counted in bins, and how.
#include "split/bounded_finder.hpp"

#include <memory>

#include "criteria/class_criteria.hpp"
#include "criteria/class_division.hpp"
#include "criteria/moment_criteria.hpp"
#include "criteria/moment_division.hpp"

namespace ceiba::split {

namespace {

using namespace ceiba::criteria;

template <class D, class Cells, class C>
std::unique_ptr<SplitFinder> finder(const D& division, const C& criterion, const data::TargetRows& target,
                                    const SearchOptions& options, int n_threads) {
    const Cells cells(target, options.class_scale, options.criterion == Name::poisson);
    if (!cells.usable()) return nullptr;
    return std::make_unique<BoundedFinder<D, C, Cells>>(division, criterion, cells, options, n_threads);
}

template <class D, class Cells>
std::unique_ptr<SplitFinder> for_classes(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    const D division(target.n_classes[0], options.class_scale.empty() ? nullptr : options.class_scale.data());
    switch (options.criterion) {
        case Name::entropy:
            return finder<D, Cells>(division, Entropy(target.size()), target, options, n_threads);
        case Name::error:
            return finder<D, Cells>(division, Error(), target, options, n_threads);
        default:
            return finder<D, Cells>(division, Gini(), target, options, n_threads);
    }
}

template <class D, class Cells>
std::unique_ptr<SplitFinder> for_moments(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    if (options.criterion == Name::poisson) {
        Poisson poisson;
        poisson.allow_zero = options.allow_zero_rate;
        return finder<D, Cells>(D(), poisson, target, options, n_threads);
    }
    return finder<D, Cells>(D(), SquaredError(), target, options, n_threads);
}

}  // namespace

bool bins_serve(const data::Table& table, const data::Target& target, const SearchOptions& options) {
    const bool criterion = options.criterion == Name::gini || options.criterion == Name::entropy ||
                           options.criterion == Name::error || options.criterion == Name::squared_error ||
                           options.criterion == Name::poisson;
    const bool missing = options.missing == Missing::learn || options.missing == Missing::majority ||
                         options.missing == Missing::surrogate || options.missing == Missing::error;
    const bool all_columns = options.max_features < 0 || options.max_features >= static_cast<int>(table.columns.size());
    return criterion && missing && all_columns && target.n_outputs == 1 && !options.random_cuts &&
           options.max_competitors == 0;
}

std::unique_ptr<SplitFinder> make_bounded_finder(const data::TargetRows& target, const SearchOptions& options,
                                                 int n_threads) {
    const bool weighted = !target.weight.empty() || !options.class_scale.empty();
    if (target.classification()) {
        if (weighted) return for_classes<WeightedDivision, WeightCells>(target, options, n_threads);
        if (target.n_classes[0] == 2) return for_classes<BinaryDivision, BinaryCells>(target, options, n_threads);
        return for_classes<UnitDivision, CountCells>(target, options, n_threads);
    }
    if (weighted) return for_moments<MomentDivision<true>, WeightedMomentCells>(target, options, n_threads);
    return for_moments<MomentDivision<false>, MomentCells>(target, options, n_threads);
}

}  // namespace ceiba::split
