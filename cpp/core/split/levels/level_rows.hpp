// The rows of a node grouped by level, and the orders of levels that are worth scanning.
//
// Breiman et al. 1984, theorem 4.5: for two classes or a numeric target, with gini, entropy, squared error or Poisson
// deviance, the best of all 2^(L-1) - 1 level sets is among the L - 1 cuts of the levels ordered by their mean (share
// of a class). For absolute error the same order is a heuristic. So levels are put in order, given ranks, and scanned
// like numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "split/store/row_store.hpp"

namespace ceiba::split {

struct LevelRows {
    std::vector<std::int32_t> code;      // levels present in the node, ascending
    std::vector<std::uint32_t> start;    // rows of level l: rows[start[l], start[l + 1])
    std::vector<std::uint32_t> rows;     // rows of the node
    std::vector<std::uint32_t> missing;  // rows without a level

    std::size_t n_levels() const { return code.size(); }
    std::size_t n_rows() const { return rows.size(); }
};

// Rows of zero weight take no part.
void group_by_level(const NodeRows& node, std::size_t column, LevelRows& out);

// For each way to order the levels (one per output; classification: one per class, or one if there are two): level
// positions by ascending mean (or `falling`), equal means in level order.
std::vector<std::vector<std::uint32_t>> level_orders(const NodeRows& node, const LevelRows& levels,
                                                     const std::vector<double>& class_scale, bool falling);

// Entries that scan the levels in this order; after them those of the rows without a level.
void entries_in_order(const LevelRows& levels, const std::vector<std::uint32_t>& order, std::vector<Entry>& out);

}  // namespace ceiba::split
