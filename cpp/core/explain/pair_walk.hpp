// One row against one background row, exactly as the tree would route every mixture of the two.
//
// Each column is the row's own or the other's; it is decided when a question is met at which the two differ, so every
// way down is a set of own columns, a set of others', and an end. Surrogates, defaults and shares are asked of the
// mixture itself.
#pragma once

#include "explain/game_tree.hpp"
#include "tree/questions.hpp"

namespace ceiba::explain {

struct RowOf {
    const data::Table* table;
    std::size_t row;
};

class PairWalk {
public:
    PairWalk(const GameTree& tree, const tree::Questions& questions, const Values& values, std::size_t n_columns,
             bool interactions)
        : tree_(tree),
          questions_(questions),
          values_(values),
          n_columns_(n_columns),
          interactions_(interactions),
          side_(n_columns, free) {}

    // Adds `weight` times the contributions of the leaves below nodes that `enter` allows.
    template <class Enter>
    void add(const RowOf& own, const RowOf& other, double weight, Enter enter, double* out) {
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
                ask(now, own, other);
        }
        backtrack({0, primary, 0.0, 0, 0, -1, free});
    }

private:
    enum Side : std::uint8_t { free, own_side, other_side };
    static constexpr std::int32_t primary = -1;

    struct State {
        std::size_t node;
        std::int32_t surrogate;  // which question of the node: its split, or a surrogate
        double weight;
        std::size_t n_own, n_other;  // columns decided on the way here
        std::int32_t column;         // decided last, to be noted on arrival; -1: none
        Side side;
    };

    void backtrack(const State& now);
    void ask(const State& now, const RowOf& own, const RowOf& other);
    void go(const State& from, int answer, std::int32_t column, Side side);
    int answer_of(const State& now, const RowOf& row) const;
    void add_leaf(const State& now, double* out);

    const GameTree& tree_;
    const tree::Questions& questions_;
    Values values_;
    std::size_t n_columns_;
    bool interactions_;
    std::vector<Side> side_;  // of each column
    std::vector<std::int32_t> own_, other_;
    std::vector<State> open_;
    std::vector<double> slots_, single_;
};

}  // namespace ceiba::explain
