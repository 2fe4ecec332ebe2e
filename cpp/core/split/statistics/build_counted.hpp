// The finders over bins for statistics that can be counted, in a separate header because they are slow to compile.
#pragma once

#include "split/bins/bounded_finder.hpp"
#include "split/statistics/build.hpp"

namespace ceiba::split {

template <class Criteria, class Cells, class D>
CountedFinderPtr build_counted(const D& division, const data::TargetRows& target, const SearchOptions& options,
                               int n_threads) {
    const Cells cells(target, options.class_scale, options.criterion == criteria::name_of<criteria::Poisson>());
    if (!cells.usable()) return nullptr;
    return criteria::for_criterion<CountedFinderPtr, Criteria>(options.criterion, [&]<class C>() -> CountedFinderPtr {
        if constexpr (Bounded<C>) {
            using Criterion = criteria::Shared<C>;
            using Bounds = SharedBounds<C>;
            const C criterion = criteria::make_criterion<C>(setting_of(target, options));
            return std::make_unique<BoundedFinder<D, Criterion, Bounds, Cells>>(
                make_presort_finder(target, options, n_threads), division, Criterion(criterion),
                Bounds(BoundsOf<C>(criterion)), cells, options, n_threads);
        } else {
            return nullptr;
        }
    });
}

template <class D, class Cells>
CountedFinderPtr count_classes(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    const auto division = class_division<D>(target.n_classes[0], options);
    return build_counted<criteria::ScannedClassCriteria, Cells>(division, target, options, n_threads);
}

}  // namespace ceiba::split
