// Routing the rows of a node by a split, and partitioning them in their store (row_store.hpp).
#pragma once

#include "split/search_options.hpp"
#include "split/store/row_store.hpp"

namespace ceiba::split {

// Where each row of a node goes.
constexpr std::uint16_t unplaced = 0xFFFF;
struct Routing {
    base::Buffer<std::uint16_t> branch;  // per row of the node; n_branches = stays behind; unplaced = not decided yet
    int n_branches = 2;
};

// Routes by the split alone; rows without a value (or, with rows of zero weight, with a level absent from the search)
// are unplaced, except where the search decided for missing values. `room`: whose memory to use.
Routing route(const NodeRows& node, const Candidate& split, const Conventions& conventions = {},
              base::ThreadPool* pool = nullptr, Routing room = {});

// Are the same rows together by two splits in two, whichever side they are on? Then the splits have the same gain.
bool same_partition(const Routing& a, const Routing& b);

// rpart leaves a row whose level was absent from the search where it is, without asking the surrogates.
void let_absent_levels_stay(const NodeRows& node, const Candidate& split, Routing& routing);

// Weight of each branch.
struct BranchLoad {
    std::vector<double> weight;
    bool all_placed = true;
};
BranchLoad load(const NodeRows& node, const Routing& routing, base::ThreadPool* pool);

// The branch with more weight; among equals the first, the last (scikit-learn: the right one), or none (-1).
enum class Tie { first, last, none };
int heaviest(const BranchLoad& load, Tie tie);

// The place of every row of a node after the partition, and where each group begins.
struct Places {
    base::Buffer<std::uint32_t> place;  // per row, counted from the node's first row
    std::vector<std::uint32_t> start;   // per group (branches, then those that stay), and the end
};

// A branch of a divided node, and whether it will be split further.
struct BranchRows {
    NodeRows* rows;
    bool searched;
};

// Parts the rows of `node`, at first only their target: one NodeRows per branch, to be described, on the other side of
// the store. Rows that stay belong to none.
std::vector<NodeRows> partition(const NodeRows& node, const Routing& routing, Places& places, base::ThreadPool* pool);

// The columns follow, if any branch will be searched.
void move_columns(const NodeRows& node, const Routing& routing, const Places& places,
                  const std::vector<BranchRows>& branches, base::ThreadPool* pool);

}  // namespace ceiba::split
