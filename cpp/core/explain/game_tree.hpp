// The tree as a cooperative game: the columns on the path to each node, and the share of each branch if its column is
// unknown. Rows that stay in an inner node end in an additional leaf (the last child), so each path ends in a leaf.
//
// The contributions of a leaf depend on the row only through the set of path columns that agree with it, so they are
// tabulated. A *unit* is a small subtree with one table, indexed by the row's code (bits of the columns above and
// outcomes of the splits inside). Leaves with too many columns for a table are computed by the walks.
#pragma once

#include "explain/product_game.hpp"
#include "tree/routing_arrays.hpp"

namespace ceiba::explain {

struct GameTree {
    std::vector<std::int32_t> source;  // node of the grown tree that has the split or the value
    std::vector<std::int32_t> column;  // -1: a leaf
    std::vector<std::size_t> child_start;
    std::vector<std::int32_t> child;
    std::vector<double> cold;                 // share of each node among its siblings
    std::vector<std::int32_t> parent, place;  // place: which child of its parent
    std::vector<std::size_t> end;             // the subtree of g is [g, end[g])
    std::vector<std::uint32_t> n_above;       // number of different columns on the path to the node
    std::vector<std::uint32_t> bit;           // inner nodes: position of the column among those of the path

    std::size_t size() const { return source.size(); }
    bool is_leaf(std::size_t g) const { return column[g] < 0; }
    std::size_t n_children(std::size_t g) const { return child_start[g + 1] - child_start[g]; }
    // Whether the split is the first one on its column.
    bool is_new(std::size_t g) const { return bit[g] == n_above[g]; }
};

// `share`: the share of each branch, in the order of branch_node.
GameTree game_tree(const tree::RoutingArrays& arrays, const double* share);

// The columns of the path to a node, in order of first use, and the product of the shares along the path.
struct PathColumns {
    std::vector<std::int32_t> column;
    std::vector<double> cold;
};
PathColumns path_columns(const GameTree& tree, std::size_t node);

struct Cover {
    std::vector<std::int32_t> units;      // roots of the units, ascending
    std::vector<std::uint8_t> leads_to;   // whether the node is a unit or has one below
    std::vector<std::uint8_t> uncovered;  // whether the node is a leaf without a table or has one below
};

// Chooses units with at most `most_codes` codes. A unit of a single leaf may have `most_leaf_codes`.
Cover cover(const GameTree& tree, std::size_t most_codes, std::size_t most_leaf_codes);

// The contributions of a unit (a small subtree, see the file head) for every code of a row:
//
// code = bits of the columns above + Σ stride_i outcome_i over the splits inside.
struct Values {
    const double* of_node;  // nodes x width
    std::size_t width;      // number of outputs

    const double* at(std::int32_t node) const { return of_node + static_cast<std::size_t>(node) * width; }
    // Adds each slot, multiplied by the value of a node, to its target position in a row of the output.
    void add(std::int32_t node, const std::vector<std::uint32_t>& target, const double* slots, double* out) const {
        for (std::size_t s = 0; s < target.size(); ++s)
            for (std::size_t w = 0; w < width; ++w) out[target[s] * width + w] += slots[s] * at(node)[w];
    }
};

struct Unit {
    struct Split {
        std::size_t node;
        std::uint32_t stride;
    };
    std::size_t root = 0;
    std::vector<Split> splits;
    std::vector<std::uint32_t> target;  // of each slot: its column, or row column x columns + column, in the output
    std::vector<double> table;          // codes x slots x outputs
};

// Computes the slots of one leaf for each of its 2^m masks (bit k: column k of the path agrees).
using LeafTable = std::function<void(std::size_t leaf, const PathColumns& path, std::vector<double>& slots)>;

Unit unit_table(const GameTree& tree, std::size_t root, std::size_t n_columns, bool interactions, const Values& values,
                const LeafTable& leaf_table);

// Data that all walks of an explanation share.
struct Game {
    const GameTree& tree;
    const tree::RoutingArrays& arrays;
    Values values;
    std::size_t n_columns;
    bool interactions;
};

// The positions of the slots of these columns in an output row.
std::vector<std::uint32_t> slot_targets(const std::vector<std::int32_t>& columns, std::size_t n_columns,
                                        bool interactions);

}  // namespace ceiba::explain
