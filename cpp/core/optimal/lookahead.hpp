// Trees that are not proven best: the start of the exact search, and answers in their own right.
//
//   lookahead   in each node the exact tree of depth `horizon` is found, its first question is kept, and so on below
//               (rolling horizon): polynomial in rows and features
//   limited     limited-discrepancy search: above the last two levels only the `width` features are tried that a greedy
//               tree likes best, each with its best cut by impurity; the last two levels are exact (Harvey and Ginsberg
//               1995)
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "optimal/solver.hpp"

namespace ceiba::optimal {

// The sides to which a plan's question sends the rows of a node.
inline void ask(const Features& features, const Node& node, const Plan& plan, SideOf& side) {
    const std::vector<std::uint32_t>& rank = features.all[plan.feature].rank;
    side.resize(node.n_rows());
    for (std::size_t i = 0; i < node.n_rows(); ++i) {
        const std::uint32_t r = rank[node.data.row[i]];
        side[i] = r == unranked ? !plan.missing_left : r > plan.lower;
    }
}

template <class Loss>
class Lookahead {
public:
    explicit Lookahead(Solver<Loss>& solver) : solver_(solver) {}

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

    // The tree; when the growing was stopped, with what the last horizons saw where it had not come to.
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
        std::unique_ptr<Node> own;
        const Node* node;
        int depth;
        std::size_t draft;
    };

    void grow_node(Open& at, int horizon) {
        const PlanPtr plan = solver_.solve(*at.node, std::min(horizon, at.depth), 1 << 30, infinite).plan;
        drafts_[at.draft].plan = plan;
        if (!plan || at.depth <= horizon) return;
        ask(solver_.features(), *at.node, *plan, side_);
        auto left = std::make_unique<Node>(), right = std::make_unique<Node>();
        divide(solver_.features(), *at.node, side_, *left, *right);
        const std::size_t first = drafts_.size();
        drafts_[at.draft].left = first;
        drafts_.resize(first + 2);
        drafts_[first].plan = plan->left, drafts_[first + 1].plan = plan->right;
        const Node *const l = left.get(), *const r = right.get();
        open_.push_back({std::move(left), l, at.depth - 1, first});
        open_.push_back({std::move(right), r, at.depth - 1, first + 1});
    }

    Solver<Loss>& solver_;
    std::vector<Draft> drafts_;
    std::vector<Open> open_;
    SideOf side_;
};

template <class Loss>
class Limited {
public:
    using Ranking = std::conditional_t<std::is_same_v<Loss, Squared> || std::is_same_v<Loss, Absolute>, Loss, Gini>;

    explicit Limited(Solver<Loss>& solver) : solver_(solver), scan_(solver.rule(), solver.rules().min_rows) {}

    Answer solve(const Node& node, int depth, std::size_t width, double bound) {
        if (depth <= 2) return solver_.solve(node, depth, 1 << 30, bound);
        Answer best;
        const double leaf = solver_.leaf_value(node);
        if (leaf < bound) best.value = leaf;
        const double tolerance = solver_.rules().tolerance;
        for (const Stump& first : candidates(node, width)) {
            SideOf side;
            const bool missing_left = mark_sides(node, static_cast<std::size_t>(first.feature), first.position, side);
            auto child = std::make_unique<std::array<Node, 2>>();
            divide(solver_.features(), node, side, (*child)[0], (*child)[1]);
            const double limit = std::min(bound, best.value);
            const Answer a = solve((*child)[0], depth - 1, width, limit - solver_.rules().penalty);
            if (!a.found()) continue;
            const Answer b = solve((*child)[1], depth - 1, width, limit - a.value);
            if (!b.found() || !(a.value + b.value < limit - tolerance)) continue;
            best.value = a.value + b.value;
            best.plan = solver_.plan_of(node, static_cast<std::size_t>(first.feature), first.position, missing_left,
                                        a.plan, b.plan);
        }
        return best;
    }

private:
    std::vector<Stump> candidates(const Node& node, std::size_t width) {
        std::vector<Stump> best;
        const SideOf all(node.n_rows(), 0);
        for (std::size_t f = 0; f < node.n_features(); ++f) {
            if (node.n_cuts[f] == 0 || solver_.features().all[f].bounds_only) continue;
            Stump stump;
            scan_.scan(node, f, all, 0, false, stump);
            if (stump.feature >= 0) best.push_back(stump);
        }
        solver_.clock().spend(node.n_rows() * node.n_features());
        std::stable_sort(best.begin(), best.end(), [](const Stump& a, const Stump& b) { return a.loss < b.loss; });
        if (best.size() > width) best.resize(width);
        return best;
    }

    Solver<Loss>& solver_;
    StumpScan<Ranking> scan_;
};

}  // namespace ceiba::optimal
