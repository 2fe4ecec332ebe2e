// A grown tree as plain arrays: the common layout of Python's Tree, the predictor and the exporters.
#pragma once

#include "base/standard.hpp"

namespace ceiba::tree {

// Intervals: several cuts of a numeric column, with a branch for each interval. The search does not create them.
enum class Kind : std::int8_t { none, cut, levels, presence, intervals };

struct LevelBranch {
    std::int32_t code;
    std::int32_t branch;
};

// Splits as a struct of arrays, for the splits of nodes, surrogates and competitors.
struct SplitTable {
    std::vector<std::int8_t> kind;        // Kind
    std::vector<std::int32_t> column;     // -1: no split
    std::vector<double> cut;              // NaN unless kind is cut
    std::vector<std::int8_t> low_branch;  // branch of x <= cut
    std::vector<std::int8_t> digits;      // digits of the printed cut, see cut_digits.hpp; empty: unknown
    std::vector<std::int64_t> level_start{0};
    std::vector<std::int32_t> level_code;  // only levels present in the node, ascending within a split
    std::vector<std::int32_t> level_branch;

    void push(Kind k, std::int32_t c, double x, int low, const std::vector<LevelBranch>& levels) {
        kind.push_back(static_cast<std::int8_t>(k));
        column.push_back(c);
        cut.push_back(k == Kind::cut ? x : std::numeric_limits<double>::quiet_NaN());
        low_branch.push_back(static_cast<std::int8_t>(low));
        if (k == Kind::levels)
            for (const LevelBranch& level : levels) {
                level_code.push_back(level.code);
                level_branch.push_back(level.branch);
            }
        level_start.push_back(static_cast<std::int64_t>(level_code.size()));
    }
    // Appends split s of another table.
    void push(const SplitTable& other, std::size_t s) {
        kind.push_back(other.kind[s]);
        column.push_back(other.column[s]);
        cut.push_back(other.cut[s]);
        low_branch.push_back(other.low_branch[s]);
        if (!other.digits.empty()) digits.push_back(other.digits[s]);
        const std::int64_t first = other.level_start[s], last = other.level_start[s + 1];
        level_code.insert(level_code.end(), other.level_code.begin() + first, other.level_code.begin() + last);
        level_branch.insert(level_branch.end(), other.level_branch.begin() + first, other.level_branch.begin() + last);
        level_start.push_back(static_cast<std::int64_t>(level_code.size()));
    }
    std::size_t size() const { return kind.size(); }
};

struct TreeArrays {
    std::vector<std::int32_t> parent;  // pre-order: parent[i] < i, the first branch of i is i + 1
    std::vector<std::int32_t> branch_start{0};
    std::vector<std::int32_t> branch_node;
    SplitTable splits;                         // one per node
    std::vector<std::int32_t> default_branch;  // -1: a row that no rule can place stays in the node
    std::vector<std::int64_t> n_rows;
    std::vector<double> weight, impurity, gain;
    std::vector<double> value;    // n_nodes x width: class weights or node values
    std::vector<double> limited;  // with monotone limits: `value` or the share of the second class, clipped; else empty
    std::vector<std::int64_t> sent_default;
    std::vector<std::int32_t> surrogate_start{0};
    SplitTable surrogates;
    std::vector<double> agreement, adjusted;
    std::vector<std::int64_t> surrogate_sent;
    std::vector<std::int32_t> competitor_start{0};
    SplitTable competitors;
    std::vector<double> competitor_gain;

    std::size_t n_nodes() const { return parent.size(); }

    // The most probable class of each node, the first of those that agree up to rounding, as in Tree.answer.
    std::vector<std::int32_t> best_classes() const {
        std::vector<std::int32_t> best;
        best.reserve(n_nodes());
        const std::size_t width = value.size() / n_nodes();
        for (auto count = value.begin(); count != value.end(); count += static_cast<std::ptrdiff_t>(width)) {
            double total = 0.0, most = 0.0;
            for (std::size_t k = 0; k < width; ++k) total += count[k], most = std::max(most, count[k]);
            const double share = total > 0.0 ? most / total : 0.0, least = share - 1e-12 * share;
            std::int32_t k = 0;
            while (total > 0.0 && !(count[k] / total >= least)) ++k;
            best.push_back(k);
        }
        return best;
    }

    // The share of the root's impurity that remains after one or two splits on the root's column (see
    // ceiba.estimators.leaves).
    double left_by_first_column() const {
        const auto loss = [&](std::int32_t i) { return impurity[i] * weight[i]; };
        const auto below = [&](std::int32_t i) {
            double sum = 0.0;
            for (std::int32_t b = branch_start[i]; b < branch_start[i + 1]; ++b) sum += loss(branch_node[b]);
            return sum;
        };
        double left = below(0), most = 0.0, again = 0.0;
        for (std::int32_t b = branch_start[0]; b < branch_start[1]; ++b) {
            const std::int32_t child = branch_node[b];
            const bool same = branch_start[child + 1] > branch_start[child] && splits.column[child] == splits.column[0];
            if (same && loss(child) >= most) most = loss(child), again = below(child);
        }
        return (left - most + again) / loss(0);
    }
};

}  // namespace ceiba::tree
