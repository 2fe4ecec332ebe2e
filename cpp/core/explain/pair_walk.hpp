// Explains one row against one background row, exactly as the tree routes every mixture of the two.
//
// Each column has the value of the row or of the background row. The choice is made at the first split at which the two
// rows differ, so each path consists of a set of columns from each row and a leaf. Surrogates, default branches and
// shares apply to the mixture.
#pragma once

#include "explain/game_tree.hpp"

namespace ceiba::explain {

struct RowOf {
    const data::Table* table;
    std::size_t row;
};

class PairWalk {
public:
    explicit PairWalk(const Game& game) : game_(game), side_(game.n_columns, free) {}

    // Adds `weight` times the contributions of the leaves below nodes that `enter` allows.
    template <class Enter>
    void add(const RowOf& row, const RowOf& other, double weight, Enter enter, double* out) {
        open_.clear();
        open_.push_back({0, primary, weight, 0, 0, -1, free});
        while (!open_.empty()) {
            const State now = open_.back();
            open_.pop_back();
            if (!enter(now.node)) continue;
            backtrack(now);
            if (tree_.is_leaf(now.node))
                add_leaf(now, out);
            else
                apply_split(now, row, other);
        }
        backtrack({0, primary, 0.0, 0, 0, -1, free});
    }

private:
    enum Side : std::uint8_t { free, own_side, other_side };
    static constexpr std::int32_t primary = -1;

    struct State {
        std::size_t node;
        std::int32_t surrogate;  // the split of the node (`primary`) or one of its surrogates
        double weight;
        std::size_t n_own, n_other;  // columns decided on the path, by row
        std::int32_t column;         // decided last, recorded on arrival; -1: none
        Side side;
    };

    void backtrack(const State& now);
    void apply_split(const State& now, const RowOf& row, const RowOf& other);
    void go(const State& from, int answer, std::int32_t column, Side side);
    int branch_of(const State& now, const RowOf& row) const;
    void add_leaf(const State& now, double* out);

    const Game& game_;
    const GameTree& tree_ = game_.tree;
    const tree::RoutingArrays& arrays_ = game_.arrays;
    std::vector<Side> side_;  // per column
    std::vector<std::int32_t> own_, other_;
    std::vector<State> open_;
    std::vector<double> slots_, single_;
};

}  // namespace ceiba::explain
