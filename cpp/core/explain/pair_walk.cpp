#include "explain/pair_walk.hpp"

namespace ceiba::explain {

// Undoes the decisions of another path, and records the decision of this one.
void PairWalk::backtrack(const State& now) {
    for (; own_.size() > now.n_own; own_.pop_back()) side_[own_.back()] = free;
    for (; other_.size() > now.n_other; other_.pop_back()) side_[other_.back()] = free;
    if (now.column < 0) return;
    side_[now.column] = now.side;
    (now.side == own_side ? own_ : other_).push_back(now.column);
}

// The branch, or -1 if the split (or surrogate) cannot place the row.
int PairWalk::branch_of(const State& now, const RowOf& row) const {
    const std::size_t node = static_cast<std::size_t>(tree_.source[now.node]);
    const int branch =
        now.surrogate == primary
            ? arrays_.by_split(node, *row.table, row.row)
            : tree::branch_of_split(arrays_.surrogates, static_cast<std::size_t>(now.surrogate), *row.table, row.row);
    return branch < 0 ? -1 : branch;
}

void PairWalk::apply_split(const State& now, const RowOf& row, const RowOf& other) {
    const std::int32_t column =
        now.surrogate == primary ? tree_.column[now.node] : arrays_.surrogates.column[now.surrogate];
    const Side side = side_[column];
    const int row_branch = side == other_side ? -1 : branch_of(now, row),
              other_branch = side == own_side ? -1 : branch_of(now, other);
    if (side == free && row_branch != other_branch) {
        go(now, row_branch, column, own_side);
        go(now, other_branch, column, other_side);
    } else {
        go(now, side == other_side ? other_branch : row_branch, -1, free);
    }
}

void PairWalk::go(const State& from, int answer, std::int32_t column, Side side) {
    State next{from.node, primary, from.weight, own_.size(), other_.size(), column, side};
    const std::size_t node = static_cast<std::size_t>(tree_.source[from.node]), first = tree_.child_start[from.node];
    const auto to = [&](std::size_t place) {
        next.node = static_cast<std::size_t>(tree_.child[first + place]);
        open_.push_back(next);
    };
    if (answer >= 0) return to(static_cast<std::size_t>(answer));
    if (!arrays_.branch_share.empty()) {
        for (std::size_t b = 0; b < tree_.n_children(from.node); ++b) {
            const double part = arrays_.branch_share[static_cast<std::size_t>(arrays_.branch_start[node]) + b];
            next.weight = from.weight * part;
            if (part > 0.0) to(b);
        }
        return;
    }
    if (!arrays_.surrogate_start.empty()) {
        const std::int32_t following = from.surrogate == primary ? arrays_.surrogate_start[node] : from.surrogate + 1;
        if (following < arrays_.surrogate_start[node + 1]) {
            next.surrogate = following;
            open_.push_back(next);
            return;
        }
    }
    const std::int32_t by_default = arrays_.default_branch[node];
    to(by_default >= 0 ? static_cast<std::size_t>(by_default) : tree_.n_children(from.node) - 1);
}

void PairWalk::add_leaf(const State& now, double* out) {
    const std::size_t p = own_.size(), q = other_.size(), m = p + q;
    if (m == 0) return;
    single_.assign(m, now.weight * SetGame::other_value(p, q));
    for (std::size_t i = 0; i < p; ++i) single_[i] = now.weight * SetGame::own_value(p, q);
    std::vector<std::int32_t> columns(own_);
    columns.insert(columns.end(), other_.begin(), other_.end());
    if (game_.interactions) {
        slots_.assign(n_slots(m, true), 0.0);
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = i + 1; j < m; ++j)
                slots_[pair_slot(i, j, m)] = now.weight * SetGame::pair(i < p, j < p, p, q);
        ProductGame::put_diagonal(single_.data(), m, slots_.data());
    }
    const std::vector<double>& slots = game_.interactions ? slots_ : single_;
    const std::vector<std::uint32_t> target = slot_targets(columns, game_.n_columns, game_.interactions);
    game_.values.add(tree_.source[now.node], target, slots.data(), out);
}

}  // namespace ceiba::explain
