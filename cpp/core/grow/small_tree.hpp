// Whole trees of small tables, grown without an allocation per node.
//
// A table of a few thousand values lies in the cache, and what costs time there is not looking at rows but all that is
// done once per node and column. So this grower knows one plain case only: one target of classes without weights, numbers
// without missing values, the gini criterion, splits by cuts, depth first. All its sums are whole numbers below 2^63, so every
// comparison of two gains is exact, and the tree is, node for node and bit for bit, the one of the general grower.
#pragma once

#include <optional>

#include "base/interrupt.hpp"
#include "data/table.hpp"
#include "data/target.hpp"
#include "grow/grow.hpp"
#include "tree/tree_arrays.hpp"

namespace ceiba::grow {

// Nothing if this is not the plain case.
std::optional<tree::TreeArrays> grow_small_tree(const data::Table& table, const data::Target& target,
                                                const GrowOptions& options, base::Interrupt& interrupt);

}  // namespace ceiba::grow
