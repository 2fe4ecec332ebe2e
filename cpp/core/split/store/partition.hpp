// Routing the rows of a node by a split, and partitioning them in their store (row_store.hpp).
#pragma once

#include "split/search_options.hpp"
#include "split/store/row_store.hpp"

namespace ceiba::split {

// The branch of each row of a node.
constexpr std::uint16_t unplaced = 0xFFFF;
struct Routing {
    base::Buffer<std::uint16_t> branch;  // per row of the node; n_branches: stays; unplaced: not yet decided
    int n_branches = 2;
    // Per block of rows: the rows in branch 0 and in branch 1. Empty if not counted, or if other rows exist.
    std::vector<std::array<std::uint32_t, 2>> n_rows;
};

// Routes by the split alone. Rows without a value (or, with rows of zero weight, with a level absent from the search)
// are unplaced unless the search chose the branch of missing values. The memory of `room` is reused.
Routing route(const NodeRows& node, const Candidate& split, const Conventions& conventions = {},
              base::ThreadPool* pool = nullptr, Routing room = {});

// Whether two binary splits partition the rows identically, up to the order of the sides. Their gains are then equal.
bool same_partition(const Routing& a, const Routing& b);

// In rpart, a row whose level was absent from the search stays in the node, even if there are surrogates.
void let_absent_levels_stay(const NodeRows& node, const Candidate& split, Routing& routing);

// The weight of each branch.
struct BranchLoad {
    std::vector<double> weight;
    bool all_placed = true;
};
BranchLoad load(const NodeRows& node, const Routing& routing, base::ThreadPool* pool);

// The branch with the largest weight. Ties: the first, the last (scikit-learn: the right one), or none (-1).
enum class Tie { first, last, none };
int heaviest(const BranchLoad& load, Tie tie);

// The place of every row of a node after the partition, and the start of each group.
struct Places {
    base::Buffer<std::uint32_t> place;  // per row, relative to the first row of the node
    std::vector<std::uint32_t> start;   // per group (branches, then rows that stay), and the end
};

// A branch of a divided node, and whether it is searched for a split.
struct BranchRows {
    NodeRows* rows;
    bool searched;
    bool grown_at_once = false;  // with all that is below it (grow/small_tree.hpp), without a histogram
};

// Partitions the rows of `node`, at first only their targets, on the other side of the store. Returns one NodeRows per
// branch. Rows that stay belong to no branch.
std::vector<NodeRows> partition(const NodeRows& node, const Routing& routing, Places& places, base::ThreadPool* pool);

// Partitions the columns, if any branch will be searched.
void move_columns(const NodeRows& node, const Routing& routing, const Places& places,
                  const std::vector<BranchRows>& branches, base::ThreadPool* pool);

}  // namespace ceiba::split
