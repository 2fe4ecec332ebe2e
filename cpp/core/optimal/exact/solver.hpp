// The exact search: branch and bound over intervals of cuts, above a solver for depth 2.
//
// solve(rows, depth, bound) returns the best tree if it costs less than `bound`, and in any case a lower bound
// ("relaxed") that also holds for every superset of the rows.
//
// Depth 2: each evaluated cut gives the best stumps of both sides in one pass per feature (sides.hpp). Deeper: the rows
// are divided and the larger part is solved first, because it spends more of the bound; what it leaves, plus some
// slack, bounds the smaller part, so that the lower bound that comes back is tight enough to prune nearby cuts
// (intervals.hpp). min_samples_leaf makes the best loss no longer monotone in the rows: bounds then come from trees
// without that rule.
#pragma once

#include "optimal/exact/bit_search.hpp"
#include "optimal/exact/sides.hpp"

namespace ceiba::optimal {

// What the branch and bound needs to know of the loss.
struct LossTraits {
    bool whole = false;        // losses are whole numbers
    bool two_at_once = false;  // two cuts are evaluated in one pass
    CapSums cap_sums = nullptr;
};

// The branch and bound for any loss; loss_kinds.cpp implements what depends on it.
class Solver : public Search {
public:
    Solver(const Features& features, const LossRule& rule, const Rules& rules, Clock& clock, std::size_t cache_bytes,
           const LossTraits& traits)
        : Search(features, rule, rules, clock), traits_(traits), cache_(cache_bytes) {
        if (traits.whole && BitSearch::applies(features))
            bits_ = std::make_unique<BitSearch>(features, rules, clock, cache_);
    }

    Answer solve(const Node& node, int depth, int leaves, double bound, Observer* observer = nullptr) final;

private:
    // A lower bound of trees with at least one split, on the node whose leaf_loss() was asked for last. What cannot
    // reach `goal` need not be worked out.
    virtual double split_bound(const Node& node, int depth, int leaves, double goal) = 0;
    virtual Stump best_stump(const Node& node, const SideOf& side, int which) = 0;
    virtual void evaluate(const Node& node, const std::array<SideOf, 2>& side, std::size_t n_cuts,
                          std::array<Sides, 2>& out) = 0;

    // What one side of a cut costs as a leaf, and at best.
    struct SideCost {
        double relaxed, leaf, best;
    };

    Answer stump(const Node& node, double leaf, double bound);
    Answer search(const Node& node, int depth, int leaves, double leaf, double least, double bound, Observer* observer);
    void try_two_levels(const Node& node, int leaves, const std::array<Interval, 2>& taken, std::size_t n_taken,
                        OpenCuts& open, double bound, Answer& best, Observer* observer);
    void try_deeper(const Node& node, int depth, int leaves, const Interval& i, OpenCuts& open, double limit,
                    Answer& best, Observer* observer);
    std::array<Answer, 2> both(const std::array<Node, 2>& child, int depth, const std::array<int, 2>& leaves,
                               double limit, double slack, const std::array<double, 2>& least);
    SideCost side_cost(const Sides& sides, std::size_t s) const;
    PlanPtr two_levels(const Node& node, int leaves, std::size_t f, std::uint32_t position, bool missing_left,
                       const SideCost& a, const SideCost& b, const SideOf& side);
    PlanPtr stump_plan(const Node& node, const Stump& stump, const SideOf& side, int which) const;

    LossTraits traits_;
    Cache cache_;
    std::unique_ptr<BitSearch> bits_;  // for tables of binary columns
    SideOf whole_;
    std::array<SideOf, 2> side_;
    std::vector<std::unique_ptr<std::array<Node, 2>>> scratch_;  // by depth
};

}  // namespace ceiba::optimal
