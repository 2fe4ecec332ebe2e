// The finders for a division and a named criterion. Only the files in this folder include it.
#pragma once

#include "criteria/multi_output.hpp"
#include "split/scan/presort_finder.hpp"
#include "split/statistics/statistics.hpp"

namespace ceiba::split {

inline criteria::Setting setting_of(const data::TargetRows& target, const SearchOptions& options) {
    return {target.size(), options.conventions.allow_zero_rate};
}

template <class Criteria, class D>
Finder build(const D& division, const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    return criteria::for_criterion<Finder, Criteria>(options.criterion, [&]<class C>() -> Finder {
        using Searched = criteria::Shared<C>;
        const Searched criterion(criteria::make_criterion<C>(setting_of(target, options)));
        return std::make_unique<PresortFinder<D, Searched>>(division, criterion, options, n_threads);
    });
}

// Several outputs: one division per output, and a single search for all criteria. With so many divisions the choice of
// the criterion per cut costs nothing; numbers have their own loops (multi_scan.hpp).
template <criteria::ChosenPer Per, class... C>
criteria::Chosen<criteria::List<criteria::MultiCriterion<C>...>, Per> one_for_outputs(criteria::List<C...>);
template <criteria::ChosenPer Per, class C>
criteria::MultiCriterion<C> one_for_outputs(criteria::List<C>);

template <class Criteria, criteria::ChosenPer Per = criteria::ChosenPer::call, class D>
Finder build_outputs(const std::vector<D>& divisions, const data::TargetRows& target, const SearchOptions& options,
                     int n_threads) {
    using Division = criteria::MultiDivision<D>;
    using Chosen = decltype(one_for_outputs<Per>(Criteria{}));
    const auto criterion = criteria::for_criterion<std::optional<Chosen>, Criteria>(options.criterion, [&]<class C>() {
        const criteria::MultiCriterion<C> each(divisions.size(),
                                               criteria::make_criterion<C>(setting_of(target, options)));
        return std::optional<Chosen>(each);
    });
    return std::make_unique<PresortFinder<Division, Chosen>>(Division(divisions), *criterion, options, n_threads);
}

template <class D>
D class_division(int n_classes, const SearchOptions& options) {
    return {n_classes, options.class_scale.empty() ? nullptr : options.class_scale.data()};
}

template <class D>
Finder search_classes(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    const auto division = class_division<D>(target.n_classes[0], options);
    return build<criteria::ScannedClassCriteria>(division, target, options, n_threads);
}

}  // namespace ceiba::split
