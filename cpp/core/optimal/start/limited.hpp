// Starts that rank columns as a greedy tree does, by the impurity of their best cut:
//
//   greedy    one column per node, down to the last level
//   limited   limited-discrepancy search: above the last two levels only the `width` best columns are tried, each with
//             its best cut; the last two levels are exact (Harvey and Ginsberg 1995)
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/ascending.hpp"
#include "optimal/search.hpp"

namespace ceiba::optimal {

class Limited {
public:
    explicit Limited(Search& search) : search_(search) {}

    // The greedy tree; its leaves are as pure as the depth allows, not pruned.
    PlanPtr greedy(const Node& node, int depth) {
        if (depth < 1 || search_.leaf_loss(node) <= 0.0) return {};
        const std::vector<Stump> first = candidates(node, 1);
        if (first.empty()) return {};
        const Parted parted = part(node, first[0]);
        const PlanPtr left = greedy(parted.child->front(), depth - 1);
        return plan_of(node, first[0], parted, left, greedy(parted.child->back(), depth - 1));
    }

    // `tried`: so many of the best columns need not be tried again at this node.
    Answer solve(const Node& node, int depth, std::size_t width, double bound, std::size_t tried = 0) {
        if (depth <= 2) return search_.solve(node, depth, 1 << 30, bound);
        Answer best;
        const double leaf = search_.leaf_value(node);
        if (leaf < bound) best.value = leaf;
        const double tolerance = search_.rules().tolerance;
        const std::vector<Stump> columns = candidates(node, width);
        for (std::size_t c = tried; c < columns.size(); ++c) {
            const Stump& first = columns[c];
            const Parted parted = part(node, first);
            const double limit = std::min(bound, best.value);
            const Answer a = solve(parted.child->front(), depth - 1, width, limit - search_.rules().penalty);
            if (!a.found()) continue;
            const Answer b = solve(parted.child->back(), depth - 1, width, limit - a.value);
            if (!b.found() || !(a.value + b.value < limit - tolerance)) continue;
            best.value = a.value + b.value;
            best.plan = plan_of(node, first, parted, a.plan, b.plan);
        }
        return best;
    }

private:
    struct Parted {
        bool missing_left;
        std::unique_ptr<std::array<Node, 2>> child;
    };

    Parted part(const Node& node, const Stump& stump) {
        SideOf side;
        const bool missing_left = mark_sides(node, static_cast<std::size_t>(stump.feature), stump.position, side);
        auto child = std::make_unique<std::array<Node, 2>>();
        divide(search_.features(), node, side, child->front(), child->back());
        return {missing_left, std::move(child)};
    }

    PlanPtr plan_of(const Node& node, const Stump& stump, const Parted& parted, PlanPtr left, PlanPtr right) const {
        return search_.plan_of(node, static_cast<std::size_t>(stump.feature), stump.position, parted.missing_left,
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

}  // namespace ceiba::optimal
