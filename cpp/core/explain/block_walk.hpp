// Routes a block of rows through the game tree and records in bit masks which columns of the path agree with each row.
#pragma once

#include "explain/game_tree.hpp"
#include "tree/route_rows.hpp"

namespace ceiba::explain {

// How to route a row that the split cannot place: by the complete row (surrogates and the default branch), or by the
// split's column only. The latter leaves the row undecided if other columns or several branches are involved, because a
// mixture of two rows may be routed differently from both.
enum class PlacementRule { whole_row, own_column };

class BlockWalk {
public:
    BlockWalk(const GameTree& tree, const tree::RoutingArrays& arrays, PlacementRule rule)
        : tree_(tree), arrays_(arrays), rule_(rule) {}

    void start(const data::Table& table, std::size_t begin, std::size_t end) {
        table_ = &table;
        rows_.resize(end - begin);
        std::iota(rows_.begin(), rows_.end(), static_cast<std::uint32_t>(begin));
        undecided_.assign(rows_.size(), 0);
        branch_.resize(rows_.size());
    }
    std::size_t n_rows() const { return rows_.size(); }
    // Rows that some split could not place uniquely; their masks are invalid.
    const std::vector<std::uint8_t>& undecided() const { return undecided_; }

    // The child that each row takes.
    const std::vector<std::int32_t>& outcomes(std::size_t g) {
        const std::size_t node = static_cast<std::size_t>(tree_.source[g]);
        const bool by_column = rule_ == PlacementRule::own_column && !arrays_.surrogate_start.empty();
        if (by_column)
            for (std::size_t i = 0; i < rows_.size(); ++i) {
                const int branch = arrays_.by_split(node, *table_, rows_[i]);
                branch_[i] = branch < 0 ? tree::row_is_fractional : branch;
            }
        else
            tree::branches_of_rows(arrays_, node, *table_, rows_.data(), rows_.size(), branch_.data());
        const std::int32_t last = static_cast<std::int32_t>(tree_.n_children(g)) - 1;
        for (std::size_t i = 0; i < rows_.size(); ++i)
            if (branch_[i] < 0) {
                if (branch_[i] == tree::row_is_fractional) undecided_[i] = 1;
                branch_[i] = branch_[i] == tree::row_stays ? last : 0;
            }
        return branch_;
    }

    // Evaluates all splits, so that undecided() is complete.
    void find_undecided() {
        for (std::size_t g = 0; g < tree_.size(); ++g)
            if (!tree_.is_leaf(g)) outcomes(g);
    }

    // Calls visit(node, masks) at each node for which `stop` is true, and descends where `enter` is true.
    template <class Stop, class Enter, class Visit>
    void run(Stop stop, Enter enter, Visit visit) {
        open_.clear();
        open_.emplace_back(0, std::vector<std::uint32_t>(rows_.size(), 0));
        while (!open_.empty()) {
            auto [g, mask] = std::move(open_.back());
            open_.pop_back();
            if (stop(g))
                visit(g, mask);
            else
                descend(g, mask, enter);
        }
    }

private:
    template <class Enter>
    void descend(std::size_t g, const std::vector<std::uint32_t>& mask, Enter enter) {
        const std::vector<std::int32_t>& outcome = outcomes(g);
        const std::uint32_t flag = std::uint32_t{1} << tree_.bit[g];
        const std::uint32_t base = tree_.is_new(g) ? 0 : flag;  // a repeated column can only lose agreement
        children_.assign(tree_.child.begin() + static_cast<std::ptrdiff_t>(tree_.child_start[g]),
                         tree_.child.begin() + static_cast<std::ptrdiff_t>(tree_.child_start[g + 1]));
        // Push the largest subtree first, so that only few blocks of masks are on the stack at a time.
        std::stable_sort(children_.begin(), children_.end(),
                         [this](std::int32_t a, std::int32_t b) { return n_below(a) > n_below(b); });
        for (const std::int32_t c : children_) {
            const std::size_t child = static_cast<std::size_t>(c);
            if (!enter(child)) continue;
            const std::int32_t place = tree_.place[child];
            std::vector<std::uint32_t> below(mask.size());
            for (std::size_t i = 0; i < mask.size(); ++i) {
                const std::uint32_t agrees = outcome[i] == place ? flag : 0;
                below[i] = base ? mask[i] & (agrees | ~flag) : mask[i] | agrees;
            }
            open_.emplace_back(child, std::move(below));
        }
    }
    std::size_t n_below(std::int32_t g) const { return tree_.end[g] - static_cast<std::size_t>(g); }

    const GameTree& tree_;
    const tree::RoutingArrays& arrays_;
    PlacementRule rule_;
    const data::Table* table_ = nullptr;
    std::vector<std::uint32_t> rows_;
    std::vector<std::uint8_t> undecided_;
    std::vector<std::int32_t> branch_, children_;
    std::vector<std::pair<std::size_t, std::vector<std::uint32_t>>> open_;
};

// Explains one row by the training shares, leaf by leaf. This serves leaves without a table and rows that take several
// branches.
class RowWalk {
public:
    RowWalk(const Game& game, const ProductGame& product) : game_(game), product_(product) {}

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
        std::int32_t branch;  // the value of tree::branch_of_row
        double hot, cold;     // values of the node's column on arrival
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
        const std::size_t node = static_cast<std::size_t>(tree_.source[g]);
        std::int32_t branch = tree::branch_of_row(arrays_, node, table, row);
        if (branch == tree::row_stays) branch = static_cast<std::int32_t>(tree_.n_children(g)) - 1;
        open_.push_back({g, branch, hot_[k], cold_[k]});
    }
    void arrive(std::size_t g) {
        const Open& above = open_.back();
        double part = tree_.place[g] == above.branch ? 1.0 : 0.0;
        if (above.branch == tree::row_is_fractional) {
            const std::size_t node = static_cast<std::size_t>(tree_.source[above.node]);
            part = arrays_.branch_share[arrays_.branch_start[node] + tree_.place[g]];
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
        slots_.resize(n_slots(m, game_.interactions));
        product_.solve(hot_.data(), cold_.data(), m, game_.interactions, slots_.data(), room_);
        const std::vector<std::int32_t> columns(column_.begin(), column_.begin() + static_cast<std::ptrdiff_t>(m));
        const std::vector<std::uint32_t> target = slot_targets(columns, game_.n_columns, game_.interactions);
        game_.values.add(tree_.source[g], target, slots_.data(), out);
    }

    const Game& game_;
    const GameTree& tree_ = game_.tree;
    const tree::RoutingArrays& arrays_ = game_.arrays;
    const ProductGame& product_;
    std::vector<Open> open_;
    std::vector<double> hot_, cold_, slots_, room_;
    std::vector<std::int32_t> column_;
};

}  // namespace ceiba::explain
