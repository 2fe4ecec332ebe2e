// A tree cut down to a number of leaves: the last questions that pay least go first.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "optimal/solver.hpp"
#include "optimal/start/settle.hpp"

namespace ceiba::optimal {

template <class Loss>
class Trim {
public:
    explicit Trim(Solver<Loss>& solver) : solver_(solver) {}

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
        ask(solver_.features(), node, *plan, side);
        divide(solver_.features(), node, side, left, right);
        if (plan->left) visit(left, plan->left);
        if (plan->right) visit(right, plan->right);
        if (plan->left || plan->right) return;
        const double saved = solver_.leaf_loss(node) - solver_.leaf_loss(left) - solver_.leaf_loss(right);
        if (saved < least_ || !target_) least_ = saved, target_ = plan.get();
    }

    static PlanPtr without(const PlanPtr& plan, const Plan* target) {
        if (!plan || plan.get() == target) return {};
        Plan own = *plan;
        own.left = without(plan->left, target), own.right = without(plan->right, target);
        return std::make_shared<const Plan>(std::move(own));
    }

    Solver<Loss>& solver_;
    double least_ = infinite;
    const Plan* target_ = nullptr;
};

}  // namespace ceiba::optimal
