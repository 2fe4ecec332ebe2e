// Growing a tree: from a table and a target to the arrays of a tree.
#pragma once

#include "base/interrupt.hpp"
#include "data/table.hpp"
#include "data/target.hpp"
#include "grow/builder.hpp"
#include "grow/options.hpp"
#include "tree/tree_arrays.hpp"

namespace ceiba::grow {

tree::TreeArrays grow(const data::Table& table, const data::Target& target, const GrowOptions& options,
                      base::Interrupt& interrupt);

// The same best first (max_leaf_nodes must be set), as nodes in the order in which they were made.
Builder grow_nodes(const data::Table& table, const data::Target& target, const GrowOptions& options,
                   base::Interrupt& interrupt);

}  // namespace ceiba::grow
