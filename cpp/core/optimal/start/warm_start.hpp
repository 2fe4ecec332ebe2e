// What the exact search starts from, the cheapest first: a greedy tree, lookahead, both refined, limited searches that
// widen. The last two get about a quarter of the time; greedy and lookahead run to their end.
#pragma once

#include <cstddef>

#include "optimal/incumbent.hpp"
#include "optimal/search.hpp"
#include "optimal/start/limited.hpp"
#include "optimal/start/lookahead.hpp"
#include "optimal/start/refine.hpp"
#include "optimal/start/settle.hpp"
#include "optimal/start/trim.hpp"

namespace ceiba::optimal {

enum Stage : int { greedy_stage = 1, lookahead_stage, refined_stage, limited_stage, proof_stage };

class WarmStart {
public:
    WarmStart(Search& search, const Node& root, Incumbent& best)
        : search_(search), root_(root), best_(best), limited_(search) {}

    void run(int last_stage) {
        const Rules& rules = search_.rules();
        const bool few_leaves = rules.max_depth < 30 && rules.max_leaves < 1 << rules.max_depth;
        keep(limited_.greedy(root_, rules.max_depth));
        const double greedy = best_.value;
        if (last_stage >= lookahead_stage) look_ahead(2);
        if (few_leaves || last_stage < refined_stage) return;  // the others do not count leaves
        search_.clock().within(0.25, [&] {
            refine_best(best_.value < greedy);
            if (last_stage >= limited_stage) widen();
        });
    }

    // Stopped early, it keeps what it has.
    void look_ahead(int horizon) {
        Lookahead ahead(search_);
        try {
            ahead.grow(root_, search_.rules().max_depth, horizon);
        } catch (...) {
            keep(ahead.plan());
            throw;
        }
        keep(ahead.plan());
    }

private:
    void keep(const PlanPtr& plan) {
        const PlanPtr small = Trim(search_)(root_, plan, search_.rules().max_leaves);
        const Settled settled = Settle(search_)(root_, small);
        best_.improved(settled.value, settled.plan);
    }

    void refine_best(bool solved) {
        refine(search_, root_, best_.plan, solved, [&](const Settled& tree) { best_.improved(tree.value, tree.plan); });
    }

    void widen() {
        const int depth = search_.rules().max_depth;
        for (std::size_t width = 2; width <= 8 && width < 2 * root_.n_features(); width *= 2) {
            const std::size_t tried = depth == 3 && width > 2 ? width / 2 : 0;  // deeper trees widen below, too
            const Answer answer = limited_.solve(root_, depth, width, best_.value, tried);
            if (!answer.found() || !(answer.value < best_.value - search_.rules().tolerance)) continue;
            best_.improved(answer.value, answer.plan);
            refine_best(true);
        }
    }

    Search& search_;
    const Node& root_;
    Incumbent& best_;
    Limited limited_;
};

}  // namespace ceiba::optimal
