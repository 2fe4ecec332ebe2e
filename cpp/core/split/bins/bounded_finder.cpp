// Chooses the statistic for a target, and says what can be searched by bins.
#include "base/allow_list.hpp"
#include "criteria/class_division.hpp"
#include "split/bins/statistics/statistics.hpp"
#include "split/finder.hpp"
#include "split/survey/bounds.hpp"

namespace ceiba::split {

std::vector<std::string> counted_criteria() {
    std::vector<std::string> names;
    const auto add = [&]<class C>() {
        if (Bounded<C>) names.emplace_back(C::name);
    };
    [&]<class... C>(criteria::List<C...>) { (add.template operator()<C>(), ...); }(criteria::AllCriteria{});
    return names;
}

bool bins_serve(const data::Table& table, const data::Target& target, const SearchOptions& options) {
    const bool bounded =
        criteria::for_criterion<bool, criteria::AllCriteria>(options.criterion, []<class C>() { return Bounded<C>; });
    if (!bounded || target.n_outputs != 1 || options.missing == Missing::fractional) return false;
    SearchOptions asked = options;
    if (asked.max_features >= static_cast<int>(table.columns.size())) asked.max_features = -1;
    using O = SearchOptions;
    return base::asks_only_for(asked, &O::criterion, &O::missing, &O::multiway, &O::empty_branches, &O::allow_zero_rate,
                               &O::like_rpart, &O::min_rows, &O::min_weight, &O::small_node, &O::zoom_rows,
                               &O::monotone, &O::class_scale, &O::column_cost,
                               // without effect on these criteria:
                               &O::cuts_at_values, &O::min_branch);
}

std::unique_ptr<SplitFinder> make_bounded_finder(const data::TargetRows& target, const SearchOptions& options,
                                                 int n_threads) {
    const bool weighted = !target.weight.empty() || !options.class_scale.empty() || criteria::too_many_to_count(target);
    const auto search = [&](auto plain, auto with_weights) {
        return weighted ? with_weights(target, options, n_threads) : plain(target, options, n_threads);
    };
    if (!target.classification()) return search(count_numbers, count_weighted_numbers);
    return search(target.n_classes[0] == 2 ? count_two_classes : count_classes, count_weighted_classes);
}

}  // namespace ceiba::split
