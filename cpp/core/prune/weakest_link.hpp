// Minimal cost-complexity pruning (Breiman et al. 1984, chapter 3): the alpha at which each node collapses.
//
// V_t(alpha) = min(R(t) + alpha, S(t) + sum over branches of V_b(alpha)) is the least cost of any pruned subtree at t,
// where S(t) is the risk of rows that stay in t. V_t is concave and piecewise linear, and t itself collapses at its
// last breakpoint. Bottom up, a heap merges the breakpoints of the branches, and those above the crossing with the line
// R(t) + alpha are dropped. Each breakpoint is inserted and dropped at most once, which takes O(n log n), even for a
// chain. With integer risks each alpha is one correctly rounded division, so alphas that are equal in theory are equal.
#pragma once

#include "base/standard.hpp"

namespace ceiba::prune {

struct LinkOptions {
    double whole =
        1.0;  // divisor of the alphas; the total weight gives alphas of the mean risk
    double tolerance = 0.0;  // relative rounding noise of a risk; alphas that differ by less become equal
    std::span<const double> split;  // S(t); empty: 0
};

// For each node, the smallest alpha at which it is not an inner node of the optimal tree, because it or an ancestor has
// collapsed; infinity for leaves. Nodes are in pre-order. A negative alpha means that the node costs less as a leaf at
// any cost per leaf.
std::vector<double> collapse_alphas(std::span<const std::int32_t> parent, std::span<const double> risk,
                                    const LinkOptions& options = {});

}  // namespace ceiba::prune
