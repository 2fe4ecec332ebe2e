// From a chosen split to the way of each row of the node.
#pragma once

#include <vector>

#include "split/candidate.hpp"
#include "split/store/partition.hpp"

namespace ceiba::split {

// The way by the split alone; rows without a value (or, with rows of zero weight, with a level absent from the search)
// are unplaced, except where the search decided for missing values.
Routing route(const NodeRows& node, const Candidate& split, bool like_rpart = false);

// Are the same rows together by two splits in two, whichever side they are on? Then the splits have the same gain.
bool part_alike(const Routing& a, const Routing& b);

// rpart leaves a row whose level was absent from the search where it is, without asking the surrogates.
void let_absent_levels_stay(const NodeRows& node, const Candidate& split, Routing& routing);

// Weight and number of rows on each branch.
struct BranchLoad {
    std::vector<double> weight;
    std::vector<std::size_t> rows;
};
BranchLoad load(const NodeRows& node, const Routing& routing);

// The branch with more weight; among equals the first, the last (scikit-learn: the right one), or none (-1).
enum class Tie { first, last, none };
int heaviest(const BranchLoad& load, Tie tie);

}  // namespace ceiba::split
