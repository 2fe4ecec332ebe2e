// One row against the training shares, leaf by leaf: for leaves without a table and rows that go down several branches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "explain/game_tree.hpp"
#include "explain/product_game.hpp"
#include "explain/unit_table.hpp"
#include "tree/route_rows.hpp"

namespace ceiba::explain {

class RowWalk {
public:
    RowWalk(const GameTree& tree, const tree::Questions& questions, const ProductGame& game, const Values& values,
            std::size_t n_columns, bool interactions)
        : tree_(tree),
          questions_(questions),
          game_(game),
          values_(values),
          n_columns_(n_columns),
          interactions_(interactions) {}

    // Adds the contributions of the leaves below nodes that `enter` allows.
    template <class Enter>
    void add(const data::Table& table, std::size_t row, Enter enter, double* out) {
        open_.clear();
        for (std::size_t g = 0; g < tree_.size();) {
            while (!open_.empty() && tree_.end[open_.back().node] <= g) leave();
            if (!enter(g)) {
                g = tree_.end[g];
                continue;
            }
            if (!open_.empty()) arrive(g);
            if (tree_.is_leaf(g))
                add_leaf(g, out);
            else
                open(g, table, row);
            ++g;
        }
    }

private:
    struct Open {
        std::size_t node;
        std::int32_t branch;  // as tree::branch_of_row
        double hot, cold;     // of the node's column on arrival
    };

    void open(std::size_t g, const data::Table& table, std::size_t row) {
        const std::size_t k = tree_.bit[g];
        if (tree_.is_new(g)) {
            hot_.resize(k + 1);
            cold_.resize(k + 1);
            column_.resize(k + 1);
            hot_[k] = cold_[k] = 1.0;
            column_[k] = tree_.column[g];
        }
        const std::size_t node = static_cast<std::size_t>(tree_.asked[g]);
        std::int32_t branch = tree::branch_of_row(questions_, node, table, row);
        if (branch == tree::row_stays) branch = static_cast<std::int32_t>(tree_.n_children(g)) - 1;
        open_.push_back({g, branch, hot_[k], cold_[k]});
    }
    void arrive(std::size_t g) {
        const Open& above = open_.back();
        double part = tree_.place[g] == above.branch ? 1.0 : 0.0;
        if (above.branch == tree::row_is_parted) {
            const std::size_t node = static_cast<std::size_t>(tree_.asked[above.node]);
            part = questions_.branch_share[static_cast<std::size_t>(questions_.branch_start[node] + tree_.place[g])];
        }
        hot_[tree_.bit[above.node]] = above.hot * part;
        cold_[tree_.bit[above.node]] = above.cold * tree_.cold[g];
    }
    void leave() {
        hot_[tree_.bit[open_.back().node]] = open_.back().hot;
        cold_[tree_.bit[open_.back().node]] = open_.back().cold;
        open_.pop_back();
    }
    void add_leaf(std::size_t g, double* out) {
        const std::size_t m = tree_.n_above[g];
        slots_.resize(n_slots(m, interactions_));
        game_.solve(hot_.data(), cold_.data(), m, interactions_, slots_.data(), room_);
        const std::vector<std::int32_t> mine(column_.begin(), column_.begin() + static_cast<std::ptrdiff_t>(m));
        const std::vector<std::uint32_t> target = slot_targets(mine, n_columns_, interactions_);
        const double* const value = values_.of_node + static_cast<std::size_t>(tree_.asked[g]) * values_.width;
        for (std::size_t s = 0; s < target.size(); ++s)
            for (std::size_t w = 0; w < values_.width; ++w)
                out[target[s] * values_.width + w] += slots_[s] * value[w];
    }

    const GameTree& tree_;
    const tree::Questions& questions_;
    const ProductGame& game_;
    Values values_;
    std::size_t n_columns_;
    bool interactions_;
    std::vector<Open> open_;
    std::vector<double> hot_, cold_, slots_, room_;
    std::vector<std::int32_t> column_;
};

}  // namespace ceiba::explain
