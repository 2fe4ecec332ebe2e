// The finder for a division, its cells and the criterion of a name; only the files beside this one include it.
#pragma once

#include <memory>

#include "criteria/registry.hpp"
#include "split/bins/bounded_finder.hpp"
#include "split/bins/statistics/statistics.hpp"

namespace ceiba::split {

// Null where the target cannot be counted.
template <class Criteria, class Cells, class D>
std::unique_ptr<SplitFinder> build_counted(const D& division, const data::TargetRows& target,
                                           const SearchOptions& options, int n_threads) {
    const Cells cells(target, options.class_scale, options.criterion == criteria::name_of<criteria::Poisson>());
    if (!cells.usable()) return nullptr;
    using Finder = std::unique_ptr<SplitFinder>;
    return criteria::for_criterion<Finder, Criteria>(options.criterion, [&]<class C>() -> Finder {
        if constexpr (Bounded<C>) {
            using Criterion = criteria::Shared<C>;
            using Bounds = SharedBounds<C>;
            const C criterion = criteria::make_criterion<C>({target.size(), options.allow_zero_rate});
            return std::make_unique<BoundedFinder<D, Criterion, Bounds, Cells>>(
                make_presort_finder(target, options, n_threads), division, Criterion(criterion),
                Bounds(typename BoundsOf<C>::type(criterion)), cells, options, n_threads);
        } else {
            return nullptr;
        }
    });
}

}  // namespace ceiba::split
