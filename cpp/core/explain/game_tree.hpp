// The tree as a game: who takes part in the path to each node, and what a branch weighs when its question is left open.
// Rows that stay in an inner node end in a leaf of their own there (the last child), so every end is a leaf.
//
// A leaf's contributions depend on the row only through which of its columns agree, so they are tabulated: a *unit* is
// a subtree whose contributions have one table, read by the row's code (bits of the columns above, outcomes of the
// questions inside). Leaves with too many columns for a table are left to the walks.
#pragma once

#include "explain/product_game.hpp"
#include "tree/questions.hpp"

namespace ceiba::explain {

struct GameTree {
    std::vector<std::int32_t> asked;   // node of the tree whose question is asked; at leaves whose value is given
    std::vector<std::int32_t> column;  // -1: a leaf
    std::vector<std::size_t> child_start;
    std::vector<std::int32_t> child;
    std::vector<double> cold;                 // of each node: its share among its siblings
    std::vector<std::int32_t> parent, place;  // place: which child of its parent
    std::vector<std::size_t> end;             // the subtree of g is [g, end[g])
    std::vector<std::uint32_t> n_above;       // different columns on the path to the node
    std::vector<std::uint32_t> bit;           // of inner nodes: position of the column among those of the path

    std::size_t size() const { return asked.size(); }
    bool is_leaf(std::size_t g) const { return column[g] < 0; }
    std::size_t n_children(std::size_t g) const { return child_start[g + 1] - child_start[g]; }
    // Whether the question is the first about its column.
    bool is_new(std::size_t g) const { return bit[g] == n_above[g]; }
};

// `share`: of each branch, as branch_node.
GameTree game_tree(const tree::Questions& questions, const double* share);

// The columns of the path to a node, in order of their first question; with the product of the shares of the way taken.
struct PathColumns {
    std::vector<std::int32_t> column;
    std::vector<double> cold;
};
PathColumns path_columns(const GameTree& tree, std::size_t node);

struct Cover {
    std::vector<std::int32_t> units;      // roots of the units, ascending
    std::vector<std::uint8_t> leads_to;   // node: is a unit, or has one below
    std::vector<std::uint8_t> uncovered;  // node: is a leaf without a table, or has one below
};

// Units of at most `most_codes` codes; leaves alone may have `most_leaf_codes`.
Cover cover(const GameTree& tree, std::size_t most_codes, std::size_t most_leaf_codes);

// The contributions of a unit (a small subtree, see game_tree.hpp) for every code that a row can have there.
//
// code = bits of the columns above + Σ stride_i outcome_i over the questions inside.
struct Values {
    const double* of_node;  // nodes x width
    std::size_t width;      // outputs
};

struct Unit {
    struct Question {
        std::size_t node;
        std::uint32_t stride;
    };
    std::size_t root = 0;
    std::vector<Question> questions;
    std::vector<std::uint32_t> target;  // of each slot: the column, or row column x columns + column, in the output
    std::vector<double> table;          // codes x slots x outputs
};

// Gives the slots of one leaf for each of its 2^m masks (bit k: column k of its path agrees).
using LeafTable = std::function<void(std::size_t leaf, const PathColumns& path, std::vector<double>& slots)>;

Unit unit_table(const GameTree& tree, std::size_t root, std::size_t n_columns, bool interactions, const Values& values,
                const LeafTable& leaf_table);

// Where the slots of some columns lie in a row of the output.
std::vector<std::uint32_t> slot_targets(const std::vector<std::int32_t>& columns, std::size_t n_columns,
                                        bool interactions);

}  // namespace ceiba::explain
