// A plan on the rows of a node: where its questions send them, what it costs there, and the plan cut down to what the
// rows need.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "optimal/search.hpp"

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

struct Settled {
    double value = infinite;  // infinite: a leaf would be too small
    PlanPtr plan;
};

// Questions keep their cuts; rows without a rank follow the majority of these rows; a question that divides nothing,
// or does not pay, goes.
class Settle {
public:
    explicit Settle(Search& search) : search_(search) {}

    Settled operator()(const Node& node, const PlanPtr& plan) {
        const Rules& rules = search_.rules();
        Settled leaf;
        if (node.n_rows() >= rules.min_rows) leaf.value = search_.leaf_value(node);
        if (!plan) return leaf;
        Plan own = *plan;
        SideOf side;
        if (!divides(node, own, side)) return (*this)(node, has_left_ ? plan->left : plan->right);
        Node left, right;
        divide(search_.features(), node, side, left, right);
        Settled a = (*this)(left, plan->left), b = (*this)(right, plan->right);
        if (!(a.value + b.value < leaf.value - rules.tolerance)) return leaf;
        own.left = std::move(a.plan), own.right = std::move(b.plan);
        return {a.value + b.value, std::make_shared<const Plan>(std::move(own))};
    }

private:
    // Fits the question to the rows; false: they all go to one side.
    bool divides(const Node& node, Plan& plan, SideOf& side) {
        const std::vector<std::uint32_t>& rank = search_.features().all[plan.feature].rank;
        bool has_left = false, has_right = false;
        std::uint32_t lower = 0, upper = unranked;
        double weight[2] = {};
        for (std::size_t i = 0; i < node.n_rows(); ++i) {
            const std::uint32_t r = rank[node.data.row[i]];
            if (r == unranked) continue;
            weight[r > plan.lower] += node.data.weight_of(i);
            if (r > plan.lower)
                upper = std::min(upper, r), has_right = true;
            else
                lower = std::max(lower, r), has_left = true;
        }
        has_left_ = has_left || !has_right;
        if (!has_left || !has_right) return false;
        plan.lower = lower, plan.upper = upper;
        plan.missing_left = !(weight[0] < weight[1]);
        ask(search_.features(), node, plan, side);
        return true;
    }

    Search& search_;
    bool has_left_ = true;
};

}  // namespace ceiba::optimal
