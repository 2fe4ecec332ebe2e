// Operations on a plan with the rows of a node: routing, fitting its cuts, trimming and improving it.
#pragma once

#include "optimal/search.hpp"

namespace ceiba::optimal {

// Computes the side to which the root split of a plan sends each row of the node.
inline void mark_plan_sides(const Features& features, const Node& node, const Plan& plan, SideOf& side) {
    const std::vector<std::uint32_t>& rank = features.all[plan.feature].rank;
    side.resize(node.n_rows());
    for (std::size_t i = 0; i < node.n_rows(); ++i) side[i] = plan.sends_right(rank[node.data.row[i]]);
}

struct FittedPlan {
    double value = infinite;  // infinite: a leaf would be too small
    PlanPtr plan;
};

// Fits a plan to the rows of a node. Splits keep their cuts, and rows without a rank follow the majority of these rows.
// Splits that divide no rows or do not pay off are removed.
class FitPlan {
public:
    explicit FitPlan(Search& search) : search_(search) {}

    FittedPlan operator()(const Node& node, const PlanPtr& plan) {
        const Rules& rules = search_.rules();
        FittedPlan leaf;
        if (node.n_rows() >= rules.min_rows) leaf.value = search_.leaf_value(node);
        if (!plan) return leaf;
        Plan copy = *plan;
        SideOf side;
        if (!divides(node, copy, side)) return (*this)(node, has_left_ ? plan->left : plan->right);
        Node left, right;
        divide(search_.features(), node, side, left, right);
        FittedPlan a = (*this)(left, plan->left), b = (*this)(right, plan->right);
        if (!(a.value + b.value < leaf.value - rules.tolerance)) return leaf;
        copy.left = std::move(a.plan), copy.right = std::move(b.plan);
        return {a.value + b.value, std::make_shared<const Plan>(std::move(copy))};
    }

private:
    // Fits the split to the rows. Returns false if all rows go to one side.
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
        mark_plan_sides(search_.features(), node, plan, side);
        return true;
    }

    Search& search_;
    bool has_left_ = true;
};

// Trims a tree to a number of leaves by repeatedly removing the bottom split that saves least.
class TrimPlan {
public:
    explicit TrimPlan(Search& search) : search_(search) {}

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
    // Finds the split above two leaves that saves least.
    void visit(const Node& node, const PlanPtr& plan) {
        SideOf side;
        Node left, right;
        mark_plan_sides(search_.features(), node, *plan, side);
        divide(search_.features(), node, side, left, right);
        if (plan->left) visit(left, plan->left);
        if (plan->right) visit(right, plan->right);
        if (plan->left || plan->right) return;
        const double saved = search_.leaf_loss(node) - search_.leaf_loss(left) - search_.leaf_loss(right);
        if (saved < least_ || !target_) least_ = saved, target_ = plan.get();
    }

    static PlanPtr without(const PlanPtr& plan, const Plan* target) {
        if (!plan || plan.get() == target) return {};
        Plan copy = *plan;
        copy.left = without(plan->left, target), copy.right = without(plan->right, target);
        return std::make_shared<const Plan>(std::move(copy));
    }

    Search& search_;
    double least_ = infinite;
    const Plan* target_ = nullptr;
};

// Improves a tree node by node, with all other nodes fixed, until nothing improves (tree alternating optimisation:
// Carreira-Perpinan and Tavallali 2018).
//
// With fixed leaf predictions, a row costs l_i if the node sends it left and r_i if right. The best split for the rows
// that reach the node is the cut with the least sum, found in one pass per feature over d_i = l_i - r_i. Both orders of
// the branches are tried. The last two levels are solved exactly instead. A change is accepted only if the tree, fitted
// to its rows, costs less, so the result is never worse.
class RefinePlan {
public:
    explicit RefinePlan(Search& search) : search_(search), fit_(search) {}

    // One round over all nodes, from the root down. `tree`: already fitted to the rows of the node. `moved`: the rows
    // of the node have changed since its last two levels were solved.
    FittedPlan round(const Node& node, int depth, FittedPlan tree, bool moved) {
        if (depth <= 2) {
            if (!moved) return tree;
            const Solution solution = search_.solve(node, depth, 1 << 30, tree.value);
            return solution.found() && better(solution.value, tree) ? FittedPlan{solution.value, solution.plan} : tree;
        }
        if (!tree.plan) return tree;
        if (FittedPlan improved = fit_(node, improve_split(node, tree.plan)); better(improved.value, tree)) {
            tree = std::move(improved);
            moved = true;
            if (!tree.plan) return tree;
        }
        Plan copy = *tree.plan;
        auto child = std::make_unique<std::array<Node, 2>>();
        SideOf side;
        mark_plan_sides(search_.features(), node, copy, side);
        divide(search_.features(), node, side, child->front(), child->back());
        search_.clock().spend(node.n_rows() * node.n_features());
        const FittedPlan a = round(child->front(), depth - 1, fit_(child->front(), copy.left), moved);
        const FittedPlan b = round(child->back(), depth - 1, fit_(child->back(), copy.right), moved);
        if (!better(a.value + b.value, tree)) return tree;
        copy.left = a.plan, copy.right = b.plan;
        return {a.value + b.value, std::make_shared<const Plan>(std::move(copy))};
    }

private:
    struct BestSplit {
        double charge = infinite;
        std::size_t feature = 0;
        std::uint32_t position = 0;
        bool missing_left = false, turned = false;  // turned: the subtrees are swapped
    };

    bool better(double value, const FittedPlan& than) const { return value < than.value - search_.rules().tolerance; }

    // The plan with the best split at its root.
    PlanPtr improve_split(const Node& node, const PlanPtr& plan) {
        SideOf side;
        mark_plan_sides(search_.features(), node, *plan, side);
        const std::vector<double> left = charges(node, plan->left, side, 0),
                                  right = charges(node, plan->right, side, 1);
        double now = 0.0;
        for (std::size_t i = 0; i < node.n_rows(); ++i) now += side[i] ? right[i] : left[i];
        BestSplit best;
        best.charge = now - search_.rules().tolerance;
        const double none = best.charge;
        for (std::size_t f = 0; f < node.n_features(); ++f)
            if (node.n_cuts[f] && !search_.features().all[f].bounds_only) scan(node, f, left, right, best);
        search_.clock().spend(node.n_rows() * node.n_features());
        if (!(best.charge < none)) return plan;
        return search_.plan_of(node, best.feature, best.position, best.missing_left,
                               best.turned ? plan->right : plan->left, best.turned ? plan->left : plan->right);
    }

    void scan(const Node& node, std::size_t f, const std::vector<double>& left, const std::vector<double>& right,
              BestSplit& best) const {
        const std::uint32_t* const e = node.entries(f);
        const std::size_t n = node.n_rows(), n_present = node.n_present[f], min_rows = search_.rules().min_rows;
        double all_left = 0.0, all_right = 0.0, missing = 0.0, total = 0.0, weight = 0.0, sum = 0.0;
        for (std::size_t i = 0; i < n; ++i) all_left += left[i], all_right += right[i];
        for (std::size_t i = 0; i < n_present; ++i) total += node.data.weight_of(e[i] & row_mask);
        for (std::size_t i = n_present; i < n; ++i) missing += left[e[i] & row_mask] - right[e[i] & row_mask];
        for (std::uint32_t i = 0; i <= node.last_cut[f]; ++i) {
            const std::uint32_t row = e[i] & row_mask;
            sum += left[row] - right[row];
            weight += node.data.weight_of(row);
            if (!(e[i] & last_of_value)) continue;
            const bool missing_left = !(weight < total - weight);
            const std::size_t on_left = i + 1 + (missing_left ? n - n_present : 0);
            if (on_left < min_rows || n - on_left < min_rows) continue;
            const double moved = sum + (missing_left ? missing : 0.0);
            if (all_right + moved < best.charge) best = {all_right + moved, f, i, missing_left, false};
            if (all_left - moved < best.charge) best = {all_left - moved, f, i, missing_left, true};
        }
    }

    // The loss of each row of the node in the leaf to which `plan` sends it. The rows on side `which` determine the
    // predictions.
    std::vector<double> charges(const Node& node, const PlanPtr& plan, const SideOf& side, int which) const {
        std::vector<std::vector<std::uint32_t>> rows;  // rows of each leaf
        std::vector<std::uint32_t> all(node.n_rows());
        std::iota(all.begin(), all.end(), 0u);
        spread(node, plan, std::move(all), rows);
        std::vector<double> out(node.n_rows());
        for (const auto& leaf : rows) {
            std::vector<std::uint32_t> answered;
            for (std::uint32_t i : leaf)
                if (side[i] == which) answered.push_back(i);
            search_.charge(node.data, answered, leaf, out);
        }
        return out;
    }

    void spread(const Node& node, const PlanPtr& plan, std::vector<std::uint32_t> rows,
                std::vector<std::vector<std::uint32_t>>& leaves) const {
        if (!plan) {
            leaves.push_back(std::move(rows));
            return;
        }
        const std::vector<std::uint32_t>& rank = search_.features().all[plan->feature].rank;
        std::vector<std::uint32_t> part[2];
        for (std::uint32_t i : rows) part[plan->sends_right(rank[node.data.row[i]])].push_back(i);
        spread(node, plan->left, std::move(part[0]), leaves);
        spread(node, plan->right, std::move(part[1]), leaves);
    }

    Search& search_;
    FitPlan fit_;
};

// Repeats rounds until one brings no improvement. keep() is called for each improvement, so that an early stop loses
// none. `solved`: the last two levels of the plan are exact.
template <class Keep>
void refine(Search& search, const Node& root, const PlanPtr& plan, bool solved, const Keep& keep) {
    RefinePlan work(search);
    FittedPlan best = FitPlan(search)(root, plan);
    while (best.plan) {
        FittedPlan next = work.round(root, search.rules().max_depth, best, !solved);
        solved = true;
        if (!(next.value < best.value - search.rules().tolerance)) return;
        best = std::move(next);
        keep(best);
    }
}

}  // namespace ceiba::optimal
