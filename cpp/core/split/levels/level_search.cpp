#include "split/levels/level_search.hpp"

#include <utility>

#include "split/levels/event_free.hpp"

namespace ceiba::split {

LevelSpace::LevelSpace() = default;
LevelSpace::LevelSpace(const LevelSpace&) = default;
LevelSpace::~LevelSpace() = default;

namespace {

void branch_for_every_level(std::int32_t n_levels, Candidate& split) {
    split.levels.clear();
    for (std::int32_t code = 0; code < n_levels; ++code) split.levels.push_back({code, code});
    split.n_branches = n_levels;
}

}  // namespace

Candidate LevelSearch::search(const NodeRows& node, std::size_t c, const Limits& limits) {
    LevelRows& levels = space_.levels;
    group_by_level(node, c, levels);
    const bool learn = options_.missing == Missing::learn && !options_.multiway;
    const std::size_t n_aside = learn ? levels.missing.size() : 0;
    if (levels.n_levels() + (n_aside > 0) < 2) return {};
    if (levels.n_rows() + n_aside == node.size())
        space_.take_all(node);
    else
        space_.take_levels(node);
    Candidate out = options_.multiway ? one_branch_per_level(limits) : best_level_set(node, n_aside, limits);
    if (options_.multiway && options_.empty_branches && out.found())
        branch_for_every_level(node.store->table->columns[c].n_levels(), out);
    if (out.kind == Kind::levels && out.levels.front().branch == 1) {  // branch 0 holds the first level, always
        for (LevelBranch& level : out.levels) level.branch = 1 - level.branch;
        out.missing_branch = 1 - out.missing_branch;
    }
    return out;
}

Candidate LevelSearch::best_level_set(const NodeRows& node, std::size_t n_aside, const Limits& limits) {
    const LevelRows& levels = space_.levels;
    Candidate out;
    if (space_.best_of_sets(node, n_aside, limits, options_.class_scale, out)) return out;
    out.learned_missing = n_aside > 0;
    // rpart goes through rates from the highest; it matters when levels of one rate meet min_rows.
    const bool falling = options_.like_rpart && options_.criterion == criteria::name_of<criteria::Poisson>();
    auto orders = level_orders(node, levels, options_.class_scale, falling);
    if (space_.needs_events())
        for (auto& more : orders_past_event_free(node, levels, n_aside, limits, orders.front()))
            orders.push_back(std::move(more));
    for (const auto& order : orders) {
        entries_in_order(levels, order, space_.level_entries);
        const LevelSpace::Cut best = space_.best_level_cut(n_aside, limits);
        if (!best.found || (out.found() && !((best.gain - out.gain).value() > space_.tolerance()))) continue;
        out.kind = best.presence ? Kind::presence : Kind::levels;
        out.gain = best.gain;
        out.missing_branch = best.missing_left ? 0 : 1;
        if (best.presence) continue;
        out.levels.clear();
        for (std::size_t l = 0; l < levels.n_levels(); ++l) out.levels.push_back({levels.code[l], 1});
        for (std::size_t i = 0; i < best.position; ++i) out.levels[order[space_.level_entries[i].rank]].branch = 0;
    }
    out.tolerance = space_.tolerance();
    return out;
}

// The gain of a multiway split is the sum of the gains of halving the list of levels again and again:
// O(rows x log levels) for any criterion that is a decrease of impurity.
Candidate LevelSearch::one_branch_per_level(const Limits& limits) {
    const LevelRows& levels = space_.levels;
    Candidate out;
    const std::size_t n_levels = levels.n_levels();
    for (std::size_t l = 0; l < n_levels; ++l)
        if (levels.start[l + 1] - levels.start[l] < limits.min_rows) return out;
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
    for (std::size_t l = 0; l < n_levels; ++l) out.levels.push_back({levels.code[l], static_cast<std::int32_t>(l)});
    return out;
}

}  // namespace ceiba::split
