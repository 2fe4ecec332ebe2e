// Best-first growth over shards, in batches: one round finds the splits of many nodes, possibly more than the limit of
// leaves allows. Then the order of grow.cpp is simulated: the largest gain first, ties to the node created first. The
// split of a node does not depend on this order, so the tree is the same.
#pragma once

#include "grow/builder.hpp"

namespace ceiba::shards {

// Splits that were found but not carried out yet, by node.
using FoundSplits = std::unordered_map<std::int32_t, const split::Candidate*>;

// The nodes that best-first growth splits, as far as the splits are known: branches of nodes whose split is not carried
// out yet count as leaves. If all these nodes are already split, the result is final.
std::vector<char> split_best_first(const grow::Builder& nodes, const FoundSplits& splits, int max_leaf_nodes);

// Makes leaves of all unmarked nodes.
void keep_splits(grow::Builder& nodes, const std::vector<char>& marked);

// Replaces a node by a subtree that was grown separately.
void splice(grow::Builder& nodes, std::int32_t node, grow::Builder grown);

}  // namespace ceiba::shards
