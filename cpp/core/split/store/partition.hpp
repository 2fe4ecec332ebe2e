// Parting the rows of a node among its branches, in the store that they lie in (row_store.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread_pool.hpp"
#include "split/store/row_store.hpp"

namespace ceiba::split {

// Where each row of a node goes.
constexpr std::uint16_t unplaced = 0xFFFF;
struct Routing {
    std::vector<std::uint16_t> branch;  // per row of the node; n_branches = stays behind; unplaced = not decided yet
    int n_branches = 2;
};

// The place of every row of a node after it was parted, and where each group begins.
struct Places {
    std::vector<std::uint32_t> place;  // per row, counted from the node's first row
    std::vector<std::uint32_t> start;  // per group (branches, then those that stay), and the end
};

// A branch of a node that was parted, and whether it will be split further.
struct BranchRows {
    NodeRows* rows;
    bool searched;
};

// Parts the rows of `node` in place, at first only their target: one NodeRows per branch, to be described. Rows that
// stay belong to none.
std::vector<NodeRows> partition(const NodeRows& node, const Routing& routing, Places& places, base::ThreadPool* pool);

// The columns follow, if any branch will be searched.
void move_columns(const NodeRows& node, const Routing& routing, const Places& places,
                  const std::vector<BranchRows>& branches, base::ThreadPool* pool);

}  // namespace ceiba::split
