// The exact search: branch and bound over intervals of cuts, on top of a solver for depth 2.
//
// solve(rows, depth, bound) returns the best tree if it costs less than `bound`, and in any case a lower bound
// ("relaxed") that also holds for every superset of the rows.
//
// Depth 2: each evaluated cut gives the best stumps of both sides, by counting bits for features with few cuts
// (cut_bits.hpp) and in one pass per feature otherwise (sides.hpp). Deeper: the rows are divided and the larger part is
// solved first, because it uses up more of the bound. The remaining bound plus some slack limits the smaller part, so
// that the resulting lower bound is tight enough to prune nearby cuts (intervals.hpp). With min_samples_leaf the best
// loss is no longer monotone in the rows, so bounds come from trees without that rule.
#pragma once

#include "optimal/exact/bit_search.hpp"
#include "optimal/exact/sides.hpp"

namespace ceiba::optimal {

// Properties of the loss that the branch and bound uses.
struct LossTraits {
    bool whole = false;        // losses are integers
    bool two_at_once = false;  // two cuts are evaluated in one pass
    CapSums cap_sums = nullptr;
};

// The branch and bound for any loss. loss_kinds.cpp implements the parts that depend on the loss.
class Solver : public Search {
public:
    Solver(const Features& features, const LossRule& rule, const Rules& rules, Clock& clock, std::size_t cache_bytes,
           const LossTraits& traits)
        : Search(features, rule, rules, clock), traits_(traits), cache_(cache_bytes) {
        if (traits.whole && BitSearch::applies(features))
            bits_ = std::make_unique<BitSearch>(features, rules, clock, cache_);
    }

    Solution solve(const Node& node, int depth, int leaves, double bound, Observer* observer = nullptr) final;

private:
    // A lower bound of trees with at least one split, for the node of the last leaf_loss() call. Parts of the bound
    // that cannot reach `goal` need not be computed.
    virtual double split_bound(const Node& node, int depth, int leaves, double goal) = 0;
    virtual Stump best_stump(const Node& node, const SideOf& side, int which, const CutBits* bits, double least) = 0;
    virtual void evaluate(const Node& node, const std::array<SideOf, 2>& side, std::size_t n_cuts, const CutBits* bits,
                          std::array<Sides, 2>& out) = 0;

    // The costs of one side of a cut: lower bound, leaf, and best stump or leaf.
    struct SideCost {
        double relaxed, leaf, best;
    };

    Solution stump(const Node& node, double leaf, double bound);
    Solution search(const Node& node, int depth, int leaves, double leaf, double least, double bound,
                    Observer* observer);
    void try_two_levels(const Node& node, int leaves, const std::array<Interval, 2>& taken, std::size_t n_taken,
                        OpenCuts& open, double bound, Solution& best, Observer* observer);
    void try_deeper(const Node& node, int depth, int leaves, const Interval& i, OpenCuts& open, double limit,
                    Solution& best, Observer* observer);
    std::array<Solution, 2> both(const std::array<Node, 2>& child, int depth, const std::array<int, 2>& leaves,
                                 double limit, double slack, const std::array<double, 2>& least);
    SideCost side_cost(const Sides& sides, std::size_t s) const;
    PlanPtr two_levels(const Node& node, int leaves, std::size_t f, std::uint32_t position, bool missing_left,
                       const Sides& sides, const SideOf& side);
    PlanPtr stump_plan(const Node& node, const Stump& stump, const SideOf& side, int which) const;

    LossTraits traits_;
    Cache cache_;
    std::unique_ptr<BitSearch> bits_;  // only for tables of binary columns
    SideOf whole_;
    std::array<SideOf, 2> side_;
    CutBits cut_bits_;  // only for integer losses: the columns of the node of depth 2
    std::vector<std::unique_ptr<std::array<Node, 2>>> scratch_;  // by depth
};

}  // namespace ceiba::optimal
