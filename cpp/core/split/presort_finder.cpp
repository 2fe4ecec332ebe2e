// Chooses the division and the criterion for a target: one row of this file per criterion.
#include "split/presort_finder.hpp"

#include "criteria/absolute_error.hpp"
#include "criteria/class_criteria.hpp"
#include "criteria/class_division.hpp"
#include "criteria/moment_criteria.hpp"
#include "criteria/moment_division.hpp"
#include "criteria/multi_output.hpp"
#include "criteria/weighted_median_division.hpp"
#include "split/median_finder.hpp"
#include "split/multi_scan.hpp"
#include "split/weighted_median_scan.hpp"

namespace ceiba::split {

namespace {

using namespace ceiba::criteria;

template <class D, class C>
std::unique_ptr<SplitFinder> one_or_many(std::vector<D> divisions, const C& criterion, const SearchOptions& options,
                                         int n_threads) {
    if (divisions.size() == 1)
        return std::make_unique<PresortFinder<D, C>>(divisions.front(), criterion, options, n_threads);
    const MultiCriterion<C> criteria(divisions.size(), criterion);
    return std::make_unique<PresortFinder<MultiDivision<D>, MultiCriterion<C>>>(MultiDivision<D>(std::move(divisions)),
                                                                                criteria, options, n_threads);
}

template <class D>
std::unique_ptr<SplitFinder> for_classes(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    std::vector<D> divisions;
    for (int n_classes : target.n_classes)
        divisions.emplace_back(n_classes, options.class_scale.empty() ? nullptr : options.class_scale.data());
    switch (options.criterion) {
        case Name::entropy:
            return one_or_many(std::move(divisions), Entropy(target.size()), options, n_threads);
        case Name::error:
            return one_or_many(std::move(divisions), Error(), options, n_threads);
        case Name::twoing:
            return one_or_many(std::move(divisions), Twoing(), options, n_threads);
        default:
            return one_or_many(std::move(divisions), Gini(), options, n_threads);
    }
}

template <class D>
std::unique_ptr<SplitFinder> for_moments(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    std::vector<D> divisions(target.numbers.size());
    if (options.criterion == Name::poisson) {
        Poisson poisson;
        poisson.allow_zero = options.allow_zero_rate;
        return one_or_many(std::move(divisions), poisson, options, n_threads);
    }
    return one_or_many(std::move(divisions), SquaredError(), options, n_threads);
}

}  // namespace

std::unique_ptr<SplitFinder> make_presort_finder(const data::TargetRows& target, const SearchOptions& options,
                                                 int n_threads) {
    const bool weighted =
        !target.weight.empty() || !options.class_scale.empty() || options.missing == Missing::fractional;
    if (target.classification()) {
        if (weighted) return for_classes<WeightedDivision>(target, options, n_threads);
        if (target.n_classes.size() == 1 && target.n_classes[0] == 2)
            return for_classes<BinaryDivision>(target, options, n_threads);
        return for_classes<UnitDivision>(target, options, n_threads);
    }
    if (options.criterion == Name::absolute_error && weighted)
        return one_or_many(std::vector<WeightedMedianDivision>(target.numbers.size()), AbsoluteError(), options,
                           n_threads);
    if (options.criterion == Name::absolute_error) return make_median_finder(target, options, n_threads);
    if (weighted) return for_moments<MomentDivision<true>>(target, options, n_threads);
    return for_moments<MomentDivision<false>>(target, options, n_threads);
}

}  // namespace ceiba::split
