// A tree as the search holds it: questions about ranks; no plan is a leaf. Parts are shared and never changed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

namespace ceiba::optimal {

struct Plan;
using PlanPtr = std::shared_ptr<const Plan>;

struct Plan {
    std::uint32_t feature = 0;
    std::uint32_t lower = 0, upper = 0;  // the cut lies between these ranks, both present in the node
    bool missing_left = false;           // rows without a rank
    PlanPtr left, right;
};

inline int n_leaves(const PlanPtr& plan) { return plan ? n_leaves(plan->left) + n_leaves(plan->right) : 1; }
inline int depth_of(const PlanPtr& plan) {
    return plan ? 1 + std::max(depth_of(plan->left), depth_of(plan->right)) : 0;
}

}  // namespace ceiba::optimal
