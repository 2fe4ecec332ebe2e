// Rolling horizon: in each node the exact tree of depth `horizon` is found, its first question is kept, and so on
// below. Polynomial in rows and features; a start of the exact search, and an answer in its own right.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "optimal/search.hpp"
#include "optimal/start/settle.hpp"

namespace ceiba::optimal {

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
        const PlanPtr plan = search_.solve(*at.node, std::min(horizon, at.depth), 1 << 30, infinite).plan;
        drafts_[at.draft].plan = plan;
        if (!plan || at.depth <= horizon) return;
        ask(search_.features(), *at.node, *plan, side_);
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

}  // namespace ceiba::optimal
