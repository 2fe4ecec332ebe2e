// Collapsing subtrees of a grown tree into leaves.
#pragma once

#include "tree/tree_arrays.hpp"

namespace ceiba::tree {

// Fills in the branches of nodes in pre-order from their parents.
void link_branches(TreeArrays& tree);

// The tree in which these nodes are leaves (`chosen`: one entry per node).
TreeArrays collapse(const TreeArrays& tree, std::span<const bool> chosen);

}  // namespace ceiba::tree
