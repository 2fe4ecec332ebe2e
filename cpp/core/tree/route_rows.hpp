// Routing of many rows, node by node. Applying one split to many rows takes about half as long as applying all splits
// to one row after another (200,000 rows, CHAID trees and surrogates), which jumps between columns and nodes.
#pragma once

#include "tree/routing_arrays.hpp"

namespace ceiba::tree {

// Instead of a branch: the row ends in the node, or goes down all branches of it.
constexpr std::int32_t row_stays = -1, row_is_fractional = -2;

// The branch of one row at a node: by split, surrogates and default; or by the split alone where rows are fractional.
inline std::int32_t branch_of_row(const RoutingArrays& tree, std::size_t node, const data::Table& table,
                                  std::size_t row) {
    if (tree.branch_share.empty()) return tree.branch_at(node, table, row);
    const int branch = tree.by_split(node, table, row);
    return branch >= 0 ? branch : row_is_fractional;
}

// The same of n rows.
void branches_of_rows(const RoutingArrays& tree, std::size_t node, const data::Table& table, const std::uint32_t* rows,
                      std::size_t n, std::int32_t* branch);

// Rows that reach a node whole and go down all its branches: row and node.
using FractionalRows = std::vector<std::pair<std::uint32_t, std::int32_t>>;

// Sends rows [begin, end) of the table down from the root; `node`: where each ends, or -1 if it is fractional.
FractionalRows route_rows(const RoutingArrays& tree, const data::Table& table, std::size_t begin, std::size_t end,
                          std::int32_t* node);

// Continues a row that is fractional from a node on: calls pass(node) for each node below that it comes to, and
// stop(node, share) where a part of it ends.
template <class Pass, class Stop>
void route_fractional(const RoutingArrays& tree, const data::Table& table, std::uint32_t row, std::int32_t node,
                      Pass pass, Stop stop) {
    thread_local std::vector<std::pair<std::int32_t, double>> open;
    open.assign(1, {node, 1.0});
    while (!open.empty()) {
        const auto [at, share] = open.back();
        open.pop_back();
        const std::size_t i = static_cast<std::size_t>(at);
        if (at != node) pass(at);
        const std::int32_t branch = tree.is_leaf(i) ? row_stays : branch_of_row(tree, i, table, row);
        if (branch == row_stays) {
            stop(at, share);
        } else if (branch >= 0) {
            open.emplace_back(tree.branch_node[tree.branch_start[i] + branch], share);
        } else {
            for (std::int32_t b = tree.branch_start[i + 1]; b-- > tree.branch_start[i];)
                if (const double part = tree.branch_share[b]; part > 0.0)
                    open.emplace_back(tree.branch_node[b], share * part);
        }
    }
}

}  // namespace ceiba::tree
