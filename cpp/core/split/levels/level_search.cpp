#include "split/levels/level_search.hpp"

namespace ceiba::split {

Candidate LevelSearch::search(std::size_t n_levels, std::size_t n_without_value, const Limits& limits) {
    const std::size_t n_missing = options_.missing == Missing::learn && !options_.multiway ? n_without_value : 0;
    if (space_.codes().size() + (n_missing > 0) < 2) return {};
    space_.include_total(n_missing);
    Candidate out = options_.multiway ? one_branch_per_level(limits) : best_level_set(n_missing, limits);
    if (options_.multiway && options_.empty_branches && out.found()) {
        out.levels.clear();
        out.n_branches = static_cast<int>(n_levels);
        for (std::int32_t code = 0; code < out.n_branches; ++code) out.levels.push_back({code, code});
    }
    if (out.kind == Kind::levels && out.levels.front().branch == 1) {  // branch 0 always contains the first level
        for (LevelBranch& level : out.levels) level.branch = 1 - level.branch;
        out.missing_branch = 1 - out.missing_branch;
    }
    return out;
}

Candidate LevelSearch::best_level_set(std::size_t n_missing, const Limits& limits) {
    Candidate out;
    if (space_.best_of_sets(n_missing, limits, out)) return out;
    out.learned_missing = n_missing > 0;
    for (const LevelOrder& order : space_.orders(n_missing, limits)) {
        const LevelSpace::Cut best = space_.best_level_cut(order, n_missing, limits);
        if (!best.any || (out.found() && !((best.gain - out.gain).value() > space_.tolerance()))) continue;
        out.kind = best.presence ? Kind::presence : Kind::levels;
        out.gain = best.gain;
        out.missing_branch = best.missing_left ? 0 : 1;
        if (best.presence) continue;
        out.levels.clear();
        for (const std::int32_t code : space_.codes()) out.levels.push_back({code, 1});
        for (std::size_t p = 0; p < best.position; ++p) out.levels[order[p]].branch = 0;
    }
    out.tolerance = space_.tolerance();
    return out;
}

// The gain of a multiway split is the sum of the gains of repeatedly halving the list of levels: O(rows x log levels)
// for any criterion that is a decrease of impurity.
Candidate LevelSearch::one_branch_per_level(const Limits& limits) {
    Candidate out;
    const std::size_t n_levels = space_.codes().size();
    for (std::size_t l = 0; l < n_levels; ++l)
        if (space_.rows_of(l) < limits.min_rows) return out;
    out.tolerance = space_.tolerance();
    std::vector<std::pair<std::size_t, std::size_t>> open{{0, n_levels}};
    while (!open.empty()) {
        const auto [from, to] = open.back();
        open.pop_back();
        if (to - from < 2) continue;
        const std::size_t middle = from + (to - from) / 2;
        if (!space_.halve(from, middle, to, limits, out.gain)) return out;
        open.emplace_back(from, middle);
        open.emplace_back(middle, to);
    }
    out.kind = Kind::levels;
    out.n_branches = static_cast<int>(n_levels);
    for (std::size_t l = 0; l < n_levels; ++l) out.levels.push_back({space_.codes()[l], static_cast<std::int32_t>(l)});
    return out;
}

Candidate RowLevels::search_levels(const NodeRows& node, std::size_t c, const SearchOptions& options,
                                   const Limits& limits) {
    node_ = &node;
    options_ = &options;
    const std::size_t n_without_value = read_levels(node, c);
    const auto n_levels = static_cast<std::size_t>(node.store->table->columns[c].n_levels());
    return LevelSearch(options, *this).search(n_levels, n_without_value, limits);
}

std::size_t RowLevels::read_levels(const NodeRows& node, std::size_t c) {
    group_by_level(node, c, levels_);
    return levels_.missing.size();
}

std::vector<LevelOrder> RowLevels::orders(std::size_t n_missing, const Limits& limits) {
    const bool falling =
        options_->conventions.falling_rates && options_->criterion == criteria::name_of<criteria::Poisson>();
    std::vector<LevelOrder> out = level_orders(*node_, levels_, options_->class_scale, falling);
    if (needs_events())
        for (LevelOrder& more : orders_past_event_free(*node_, levels_, n_missing, limits, out.front()))
            out.push_back(std::move(more));
    return out;
}

LevelSpace::Cut RowLevels::best_level_cut(const LevelOrder& order, std::size_t n_missing, const Limits& limits) {
    entries_in_order(levels_, order, entries_);
    Cut out = best_entry_cut(n_missing, limits);
    if (out.any && !out.presence) out.position = entries_[out.position - 1].rank + 1;
    return out;
}

}  // namespace ceiba::split
