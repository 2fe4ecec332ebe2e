// The contributions of a unit (a small subtree, see game_tree.hpp) for every code that a row can have there.
//
// code = bits of the columns above + Σ stride_i outcome_i over the questions inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "explain/game_tree.hpp"
#include "explain/product_game.hpp"

namespace ceiba::explain {

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
