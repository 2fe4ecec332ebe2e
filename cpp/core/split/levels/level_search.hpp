// The best split of a node by a column of levels: a set of levels against the others, or a branch for each.
#pragma once

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "criteria/moment_criteria.hpp"
#include "split/levels/best_subset.hpp"
#include "split/levels/event_free.hpp"
#include "split/levels/level_rows.hpp"
#include "split/scan/search_space.hpp"
#include "split/search_options.hpp"

namespace ceiba::split {

template <class D, class C>
class LevelSearch {
public:
    LevelSearch(const SearchOptions& options, SearchSpace<D, C>& space) : options_(options), space_(space) {}

    Candidate search(const NodeRows& node, std::size_t c, const Limits& limits) {
        LevelRows& levels = space_.levels;
        group_by_level(node, c, levels);
        const bool learn = options_.missing == Missing::learn && !options_.multiway;
        const std::size_t n_aside = learn ? levels.missing.size() : 0;
        if (levels.n_levels() + (n_aside > 0) < 2) return {};
        if (levels.n_rows() + n_aside == node.size())
            space_.take_all(node);
        else
            space_.take_some(node, levels.n_rows(), [&](std::size_t i) { return levels.rows[i]; });
        Candidate out = options_.multiway ? one_branch_per_level(limits) : best_level_set(node, n_aside, limits);
        if (options_.multiway && options_.empty_branches && out.found())
            branch_for_every_level(node.store->table->columns[c].n_levels(), out);
        if (out.kind == Kind::levels && out.levels.front().branch == 1) {  // branch 0 holds the first level, always
            for (LevelBranch& level : out.levels) level.branch = 1 - level.branch;
            out.missing_branch = 1 - out.missing_branch;
        }
        return out;
    }

private:
    Candidate best_level_set(const NodeRows& node, std::size_t n_aside, const Limits& limits) {
        const LevelRows& levels = space_.levels;
        Candidate out;
        out.learned_missing = n_aside > 0;
        if constexpr (requires { space_.division.n_classes(); }) {
            if (space_.division.n_classes() > 2)
                return best_subset(node, levels, n_aside, limits, options_.class_scale, space_.criterion);
        }
        // rpart goes through rates from the highest; it matters when levels of one rate meet min_rows.
        const bool falling = options_.like_rpart && options_.criterion == criteria::name_of<criteria::Poisson>();
        auto orders = level_orders(node, levels, options_.class_scale, falling);
        if constexpr (std::is_same_v<C, criteria::Poisson>) {
            if (!space_.criterion.allow_zero)
                for (auto& more : orders_past_event_free(node, levels, n_aside, limits, orders.front()))
                    orders.push_back(std::move(more));
        }
        for (const auto& order : orders) {
            entries_in_order(levels, order, space_.level_entries);
            bool presence = false;
            BestCut<D, C> best =
                space_.best_cut(space_.level_entries.data(), levels.n_rows(), n_aside, limits, 0, presence);
            const base::DoubleDouble gain = best.gain(space_.division, space_.criterion);
            if (!best.found || (out.found() && !((gain - out.gain).value() > space_.criterion.tolerance()))) continue;
            out.kind = presence ? Kind::presence : Kind::levels;
            out.gain = gain;
            out.missing_branch = best.missing_left ? 0 : 1;
            if (presence) continue;
            out.levels.clear();
            for (std::size_t l = 0; l < levels.n_levels(); ++l) out.levels.push_back({levels.code[l], 1});
            for (std::size_t i = 0; i < best.position; ++i) out.levels[order[space_.level_entries[i].rank]].branch = 0;
        }
        out.tolerance = space_.criterion.tolerance();
        return out;
    }

    // The gain of a multiway split is the sum of the gains of halving the list of levels again and again:
    // O(rows x log levels) for any criterion that is a decrease of impurity.
    Candidate one_branch_per_level(const Limits& limits) {
        const LevelRows& levels = space_.levels;
        Candidate out;
        const std::size_t n_levels = levels.n_levels();
        for (std::size_t l = 0; l < n_levels; ++l)
            if (levels.start[l + 1] - levels.start[l] < limits.min_rows) return out;
        out.tolerance = space_.criterion.tolerance();
        std::vector<std::pair<std::size_t, std::size_t>> open{{0, n_levels}};
        while (!open.empty()) {
            const auto [from, to] = open.back();
            open.pop_back();
            if (to - from < 2) continue;
            const std::size_t middle = from + (to - from) / 2;
            space_.fresh = false;
            space_.division.reset();
            for (std::uint32_t r = levels.start[from]; r < levels.start[to]; ++r)
                space_.division.include(levels.rows[r]);
            space_.division.clear_left();
            for (std::uint32_t r = levels.start[from]; r < levels.start[middle]; ++r)
                space_.division.add(levels.rows[r]);
            const bool light_left = middle - from == 1 && space_.division.left_weight() < limits.min_weight;
            const bool light_right = to - middle == 1 && space_.division.right_weight() < limits.min_weight;
            if (light_left || light_right) return out;
            space_.criterion.begin(space_.division);
            const base::DoubleDouble gain = space_.criterion.gain(space_.division);
            if (!std::isfinite(gain.hi)) return out;
            out.gain = out.gain + gain;
            open.emplace_back(from, middle);
            open.emplace_back(middle, to);
        }
        out.kind = Kind::levels;
        out.n_branches = static_cast<int>(n_levels);
        for (std::size_t l = 0; l < n_levels; ++l) out.levels.push_back({levels.code[l], static_cast<std::int32_t>(l)});
        return out;
    }

    static void branch_for_every_level(std::int32_t n_levels, Candidate& split) {
        split.levels.clear();
        for (std::int32_t code = 0; code < n_levels; ++code) split.levels.push_back({code, code});
        split.n_branches = n_levels;
    }

    const SearchOptions& options_;
    SearchSpace<D, C>& space_;
};

}  // namespace ceiba::split
