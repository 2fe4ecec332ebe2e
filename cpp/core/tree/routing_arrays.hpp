// The arrays of a finished tree as routing needs them, for predictions and prunings.
#pragma once

#include "data/table.hpp"
#include "tree/tree_arrays.hpp"

namespace ceiba::tree {

// What a split says of a row that it cannot place; branches are 0, 1, ...
constexpr int row_lacks_value = -1, row_has_unknown_level = -2;

// The branch that one split gives a row.
inline int branch_of_split(const SplitTable& splits, std::size_t s, const data::Table& table, std::size_t row) {
    const data::Column& column = table.columns[splits.column[s]];
    const Kind kind = static_cast<Kind>(splits.kind[s]);
    if (kind == Kind::levels) {
        const std::int32_t code = column.code(row);
        if (code < 0) return row_lacks_value;
        const auto first = splits.level_code.begin() + splits.level_start[s],
                   last = splits.level_code.begin() + splits.level_start[s + 1];
        // Where every level has its branch, a level stands at its own place.
        const bool in_place = code < last - first && first[code] == code;
        const auto at = in_place ? first + code : std::lower_bound(first, last, code);
        if (at == last || *at != code) return row_has_unknown_level;
        return splits.level_branch[at - splits.level_code.begin()];
    }
    const double x = column.number(row);
    if (kind == Kind::presence) return std::isnan(x) ? 1 : 0;
    if (std::isnan(x)) return row_lacks_value;
    if (column.kind() == data::ColumnKind::ordered && column.code(row) >= column.n_levels())
        return row_has_unknown_level;
    return x <= splits.cut[s] ? splits.low_branch[s] : 1 - splits.low_branch[s];
}

struct RoutingArrays {
    std::vector<std::int32_t> branch_start, branch_node, default_branch, majority_branch;
    SplitTable splits;
    std::vector<std::int64_t> cut_start;        // node i has the cuts from cut_start[i] to cut_start[i + 1]
    std::vector<double> cuts;                   // ascending; beyond an infinite one lie missing values alone
    std::vector<std::int32_t> surrogate_start;  // empty: no surrogates
    SplitTable surrogates;
    bool unseen_is_missing = false;    // a level that the node does not know: missing, or to the majority branch
    std::vector<double> branch_share;  // per branch (as branch_node); not empty: rows go down every branch (C4.5)

    std::size_t n_nodes() const { return branch_start.size() - 1; }
    bool is_leaf(std::size_t node) const { return branch_start[node] == branch_start[node + 1]; }

    // By the split alone, or the majority for a level that is not taken for missing; else one of the two words above.
    int by_split(std::size_t node, const data::Table& table, std::size_t row) const {
        if (static_cast<Kind>(splits.kind[node]) == Kind::intervals) return interval_of(node, table, row);
        const int branch = branch_of_split(splits, node, table, row);
        return branch == row_has_unknown_level && !unseen_is_missing ? majority_branch[node] : branch;
    }

    // How many cuts lie below the number.
    int interval_of(std::size_t node, const data::Table& table, std::size_t row) const {
        const double x = table.columns[splits.column[node]].number(row);
        const auto first = cuts.begin() + cut_start[node], last = cuts.begin() + cut_start[node + 1];
        return std::isnan(x) ? row_lacks_value : static_cast<int>(std::lower_bound(first, last, x) - first);
    }

    // By split, surrogates and default, in this order; -1: the row stays in the node.
    int branch_at(std::size_t node, const data::Table& table, std::size_t row) const {
        const int branch = by_split(node, table, row);
        if (branch >= 0) return branch;
        if (!surrogate_start.empty())
            for (std::int32_t s = surrogate_start[node]; s < surrogate_start[node + 1]; ++s) {
                const int by_surrogate = branch_of_split(surrogates, static_cast<std::size_t>(s), table, row);
                if (by_surrogate >= 0) return by_surrogate;
            }
        return default_branch[node];
    }
};

// The arrays of a tree that was grown without surrogates. `fractional`: rows without a branch go down every branch.
inline RoutingArrays routing_arrays(const TreeArrays& t, bool fractional = false) {
    RoutingArrays q;
    q.branch_start = t.branch_start, q.branch_node = t.branch_node, q.default_branch = t.default_branch;
    q.splits = t.splits;
    q.cut_start.assign(t.n_nodes() + 1, 0);
    q.majority_branch.reserve(t.n_nodes());
    for (std::size_t i = 0; i < t.n_nodes(); ++i) {
        const std::int32_t first = t.branch_start[i], last = t.branch_start[i + 1];
        std::int32_t heaviest = first;
        double sum = 0.0;
        for (std::int32_t b = first; b < last; ++b) {
            if (t.weight[t.branch_node[b]] > t.weight[t.branch_node[heaviest]]) heaviest = b;
            sum += t.weight[t.branch_node[b]];
        }
        q.majority_branch.push_back(heaviest - first);
        for (std::int32_t b = first; fractional && b < last; ++b)
            q.branch_share.push_back(sum > 0.0 ? t.weight[t.branch_node[b]] / sum : 1.0 / (last - first));
    }
    return q;
}

}  // namespace ceiba::tree
