// The finder for a division and the criterion of a name; only the files beside this one include it.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "criteria/multi_output.hpp"
#include "criteria/registry.hpp"
#include "split/scan/presort_finder.hpp"
#include "split/scan/statistics/statistics.hpp"

namespace ceiba::split {

inline criteria::Setting setting_of(const data::TargetRows& target, const SearchOptions& options) {
    return {target.size(), options.allow_zero_rate};
}

template <class Criteria, class D>
Finder build(const D& division, const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    return criteria::for_criterion<Finder, Criteria>(options.criterion, [&]<class C>() -> Finder {
        using Searched = criteria::Shared<C>;
        const Searched criterion(criteria::make_criterion<C>(setting_of(target, options)));
        return std::make_unique<PresortFinder<D, Searched>>(division, criterion, options, n_threads);
    });
}

// Several outputs: a division for each, and one search for all criteria. Beside so many divisions a choice for every
// cut costs nothing; numbers have loops of their own (multi_scan.hpp).
template <criteria::ChosenPer Per, class... C>
criteria::Chosen<criteria::List<criteria::MultiCriterion<C>...>, Per> one_for_outputs(criteria::List<C...>);
template <criteria::ChosenPer Per, class C>
criteria::MultiCriterion<C> one_for_outputs(criteria::List<C>);

template <class Criteria, criteria::ChosenPer Per = criteria::ChosenPer::question, class D>
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

inline const double* scale_of(const SearchOptions& options) {
    return options.class_scale.empty() ? nullptr : options.class_scale.data();
}

template <class D>
std::vector<D> class_divisions(const data::TargetRows& target, const SearchOptions& options) {
    std::vector<D> divisions;
    for (int n_classes : target.n_classes) divisions.emplace_back(n_classes, scale_of(options));
    return divisions;
}

}  // namespace ceiba::split
