// Best-first growth over shards, in batches: the splits of many nodes are found in one round, more than a limit of
// leaves may need; then the order of grow.cpp is simulated: the largest gain first, ties to the node created first. The
// split of a node does not depend on that order, so the tree is the same.
#pragma once

#include "grow/builder.hpp"

namespace ceiba::shards {

// Splits that were found and not carried out yet, by node.
using FoundSplits = std::unordered_map<std::int32_t, const split::Candidate*>;

// The nodes that best-first growth splits, as far as it is known: branches of nodes whose split is not carried out yet
// are taken for leaves. So if all these nodes are split already, the answer is final.
std::vector<char> split_best_first(const grow::Builder& nodes, const FoundSplits& found, int max_leaf_nodes);

// Makes leaves of all nodes that are not marked.
void keep_splits(grow::Builder& nodes, const std::vector<char>& marked);

// Puts a tree that was grown apart in the place of a node.
void splice(grow::Builder& nodes, std::int32_t node, grow::Builder grown);

}  // namespace ceiba::shards
