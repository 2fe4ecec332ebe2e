// Starts of the exact search, the cheapest first: a greedy tree, lookahead, refinement of the better one, and limited
// searches of increasing width. Refinement and limited searches get about a quarter of the time; greedy and lookahead
// run to their end.
#pragma once

#include "base/sort.hpp"
#include "optimal/start/refine.hpp"

namespace ceiba::optimal {

// Starts that rank columns like a greedy tree, by the impurity of their best cut:
//
//   greedy    one column per node, down to the last level
//   limited   limited-discrepancy search: above the last two levels only the `width` best columns are tried, each with
//             its best cut; the last two levels are exact (Harvey and Ginsberg 1995)
class Limited {
public:
    explicit Limited(Search& search) : search_(search) {}

    // The greedy tree. It is not pruned: its leaves are as pure as the depth allows.
    PlanPtr greedy(const Node& node, int depth) {
        if (depth < 1 || search_.leaf_loss(node) <= 0.0) return {};
        const std::vector<Stump> first = candidates(node, 1);
        if (first.empty()) return {};
        const Halves halves = divide_node(node, first[0]);
        const PlanPtr left = greedy(halves.child->front(), depth - 1);
        return plan_of(node, first[0], halves, left, greedy(halves.child->back(), depth - 1));
    }

    // `tried`: number of best columns to skip at this node.
    Solution solve(const Node& node, int depth, std::size_t width, double bound, std::size_t tried = 0) {
        if (depth <= 2) return search_.solve(node, depth, 1 << 30, bound);
        Solution best;
        const double leaf = search_.leaf_value(node);
        if (leaf < bound) best.value = leaf;
        const double tolerance = search_.rules().tolerance;
        const std::vector<Stump> columns = candidates(node, width);
        for (std::size_t c = tried; c < columns.size(); ++c) {
            const Stump& first = columns[c];
            const Halves halves = divide_node(node, first);
            const double limit = std::min(bound, best.value);
            const Solution a = solve(halves.child->front(), depth - 1, width, limit - search_.rules().penalty);
            if (!a.found()) continue;
            const Solution b = solve(halves.child->back(), depth - 1, width, limit - a.value);
            if (!b.found() || !(a.value + b.value < limit - tolerance)) continue;
            best.value = a.value + b.value;
            best.plan = plan_of(node, first, halves, a.plan, b.plan);
        }
        return best;
    }

private:
    struct Halves {
        bool missing_left;
        std::unique_ptr<std::array<Node, 2>> child;
    };

    Halves divide_node(const Node& node, const Stump& stump) {
        SideOf side;
        const bool missing_left = mark_sides(node, static_cast<std::size_t>(stump.feature), stump.position, side);
        auto child = std::make_unique<std::array<Node, 2>>();
        divide(search_.features(), node, side, child->front(), child->back());
        return {missing_left, std::move(child)};
    }

    PlanPtr plan_of(const Node& node, const Stump& stump, const Halves& halves, PlanPtr left, PlanPtr right) const {
        return search_.plan_of(node, static_cast<std::size_t>(stump.feature), stump.position, halves.missing_left,
                               std::move(left), std::move(right));
    }

    std::vector<Stump> candidates(const Node& node, std::size_t width) {
        std::vector<Stump> best = search_.best_cuts(node);
        std::vector<double> loss;
        for (const Stump& stump : best) loss.push_back(stump.loss);
        base::sort_by(loss, best);
        if (best.size() > width) best.resize(width);
        return best;
    }

    Search& search_;
};

// Rolling horizon: each node gets the root split of its exact tree of depth `horizon`, and its branches are treated in
// the same way. The time is polynomial in rows and features. It is a start of the exact search and a method of its own.
class Lookahead {
public:
    explicit Lookahead(Search& search) : search_(search) {}

    void grow(const Node& root, int max_depth, int horizon) {
        drafts_.assign(1, {});
        open_.clear();
        open_.push_back({nullptr, &root, max_depth, 0});
        while (!open_.empty()) {
            Open at = std::move(open_.back());
            open_.pop_back();
            grow_node(at, horizon);
        }
    }

    // The tree. If growing was stopped, unfinished nodes have the trees of their last horizon.
    PlanPtr plan() const {
        std::vector<PlanPtr> done(drafts_.size());
        for (std::size_t d = drafts_.size(); d-- > 0;) {  // branches come after their node
            const Draft& draft = drafts_[d];
            if (draft.left == 0) {
                done[d] = draft.plan;
            } else {
                Plan plan = *draft.plan;
                plan.left = done[draft.left], plan.right = done[draft.left + 1];
                done[d] = std::make_shared<const Plan>(std::move(plan));
            }
        }
        return done[0];
    }

private:
    struct Draft {
        PlanPtr plan;
        std::size_t left = 0;  // 0: the plan is complete
    };
    struct Open {
        std::unique_ptr<Node> owner;
        const Node* node;
        int depth;
        std::size_t draft;
    };

    void grow_node(Open& at, int horizon) {
        const PlanPtr plan = search_.solve(*at.node, std::min(horizon, at.depth), 1 << 30, infinite).plan;
        drafts_[at.draft].plan = plan;
        if (!plan || at.depth <= horizon) return;
        mark_plan_sides(search_.features(), *at.node, *plan, side_);
        auto left = std::make_unique<Node>(), right = std::make_unique<Node>();
        divide(search_.features(), *at.node, side_, *left, *right);
        const std::size_t first = drafts_.size();
        drafts_[at.draft].left = first;
        drafts_.resize(first + 2);
        drafts_[first].plan = plan->left, drafts_[first + 1].plan = plan->right;
        const Node *const l = left.get(), *const r = right.get();
        open_.push_back({std::move(left), l, at.depth - 1, first});
        open_.push_back({std::move(right), r, at.depth - 1, first + 1});
    }

    Search& search_;
    std::vector<Draft> drafts_;
    std::vector<Open> open_;
    SideOf side_;
};

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
        if (last_stage >= lookahead_stage) run_lookahead(2);
        if (few_leaves || last_stage < refined_stage) return;  // the later stages do not support a leaf limit
        search_.clock().within(0.25, [&] {
            refine_best(best_.value < greedy);
            if (last_stage >= limited_stage) widen();
        });
    }

    // If it is stopped early, the tree so far is used.
    void run_lookahead(int horizon) {
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
        const PlanPtr small = TrimPlan(search_)(root_, plan, search_.rules().max_leaves);
        const FittedPlan fitted = FitPlan(search_)(root_, small);
        best_.improved(fitted.value, fitted.plan);
    }

    void refine_best(bool solved) {
        refine(search_, root_, best_.plan, solved,
               [&](const FittedPlan& tree) { best_.improved(tree.value, tree.plan); });
    }

    void widen() {
        const int depth = search_.rules().max_depth;
        for (std::size_t width = 2; width <= 8 && width < 2 * root_.n_features(); width *= 2) {
            const std::size_t tried = depth == 3 && width > 2 ? width / 2 : 0;  // deeper trees also widen lower down
            const Solution solution = limited_.solve(root_, depth, width, best_.value, tried);
            if (!solution.found() || !(solution.value < best_.value - search_.rules().tolerance)) continue;
            best_.improved(solution.value, solution.plan);
            refine_best(true);
        }
    }

    Search& search_;
    const Node& root_;
    Incumbent& best_;
    Limited limited_;
};

}  // namespace ceiba::optimal
