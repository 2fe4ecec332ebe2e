// A tree cut down to a number of leaves: the last questions that pay least go first.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "optimal/search.hpp"
#include "optimal/start/settle.hpp"

namespace ceiba::optimal {

class Trim {
public:
    explicit Trim(Search& search) : search_(search) {}

    PlanPtr operator()(const Node& root, PlanPtr plan, int max_leaves) {
        while (n_leaves(plan) > max_leaves) {
            least_ = infinite;
            target_ = nullptr;
            visit(root, plan);
            plan = without(plan, target_);
        }
        return plan;
    }

private:
    // Finds the question above two leaves that saves least.
    void visit(const Node& node, const PlanPtr& plan) {
        SideOf side;
        Node left, right;
        ask(search_.features(), node, *plan, side);
        divide(search_.features(), node, side, left, right);
        if (plan->left) visit(left, plan->left);
        if (plan->right) visit(right, plan->right);
        if (plan->left || plan->right) return;
        const double saved = search_.leaf_loss(node) - search_.leaf_loss(left) - search_.leaf_loss(right);
        if (saved < least_ || !target_) least_ = saved, target_ = plan.get();
    }

    static PlanPtr without(const PlanPtr& plan, const Plan* target) {
        if (!plan || plan.get() == target) return {};
        Plan own = *plan;
        own.left = without(plan->left, target), own.right = without(plan->right, target);
        return std::make_shared<const Plan>(std::move(own));
    }

    Search& search_;
    double least_ = infinite;
    const Plan* target_ = nullptr;
};

}  // namespace ceiba::optimal
