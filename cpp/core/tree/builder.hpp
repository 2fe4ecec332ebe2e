// A growing tree: nodes in the order in which they were made, numbered in pre-order only at the end.
//
// Subtrees may be grown apart (by other threads, each with a builder of its own) and grafted onto a node of the first
// builder; the finished arrays do not depend on who grew what when.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "split/candidate.hpp"
#include "split/missing/surrogates.hpp"
#include "tree/tree_arrays.hpp"

namespace ceiba::tree {

// What an inner node asks.
struct Question {
    split::Candidate split;
    std::vector<split::Candidate> competitors;
    std::vector<split::Surrogate> surrogates;
    std::int32_t default_branch = -1;
    std::int64_t sent_default = 0;
};

struct NodeRecord {
    std::int32_t first_child = -1, n_children = 0;
    std::int32_t graft = -1;            // this node is the root of that builder's tree
    std::unique_ptr<TreeArrays> grown;  // or of this one, which is finished
    std::int64_t n_rows = 0;
    double weight = 0.0, search_weight = 0.0, impurity = 0.0;
    double limited = 0.0;  // as in TreeArrays
    std::vector<double> value;
    std::unique_ptr<Question> question;  // null: a leaf
};

using Builder = std::vector<NodeRecord>;

// builders[0] holds the root; its grafts name the others.
TreeArrays assemble(const std::vector<Builder>& builders, bool limited);

// Fills in the branches of nodes in pre-order, from their parents.
void link_branches(TreeArrays& tree);

}  // namespace ceiba::tree
