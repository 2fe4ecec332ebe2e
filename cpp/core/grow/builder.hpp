// A growing tree: nodes in order of creation, which are numbered in pre-order only at the end.
//
// Other threads may grow subtrees, each in its own builder, which are grafted onto a node of the first builder. The
// finished arrays do not depend on the threads.
#pragma once

#include "criteria/node_summary.hpp"
#include "split/missing/surrogates.hpp"
#include "tree/collapse.hpp"

namespace ceiba::grow {

// The split of an inner node, with its surrogates and competitors.
struct NodeSplit {
    split::Candidate split;
    std::vector<split::Candidate> competitors;
    std::vector<split::Surrogate> surrogates;
    std::int32_t default_branch = -1;
    std::int64_t sent_default = 0;
};

struct NodeRecord {
    std::int32_t first_child = -1, n_children = 0;
    std::int32_t graft = -1;                  // index of the builder whose root replaces this node
    std::unique_ptr<tree::TreeArrays> grown;  // finished subtree that replaces this node
    std::int64_t n_rows = 0;
    double weight = 0.0, search_weight = 0.0, impurity = 0.0;
    double limited = 0.0;  // as in TreeArrays
    std::vector<double> value;
    std::unique_ptr<NodeSplit> node_split;  // null: a leaf
};

using Builder = std::vector<NodeRecord>;

// Assembles the tree. builders[0] contains the root, and the grafts of its nodes refer to the other builders.
tree::TreeArrays assemble(const std::deque<Builder>& builders, bool limited);

// Reserves memory for `n_nodes` nodes with `n_values` values each. Growing the fourteen arrays step by step takes a
// fifth of the time of the iris tree.
void reserve(tree::TreeArrays& out, std::size_t n_nodes, std::size_t n_values);

// Monotone constraints limit the value of a node or the share of its second class. Branches inherit the limits.

// The value of a node within the limits that the splits above it have set.
inline double limited_value(const criteria::NodeSummary& summary, const split::NodeContext& context) {
    const bool classes = summary.value.size() == 2;
    if (classes && !(summary.weight > 0.0)) return 0.0;
    const double number = classes ? summary.value[1] / summary.weight : summary.value[0];
    return std::clamp(number, classes ? std::max(context.low, 0.0) : context.low,
                      classes ? std::min(context.high, 1.0) : context.high);
}

// Copies the summary of a node, except for the value, which the caller moves. `limits`: there are monotone constraints.
inline void describe(NodeRecord& node, const criteria::NodeSummary& summary, std::uint64_t n_rows, bool limits,
                     const split::NodeContext& context) {
    node.n_rows = static_cast<std::int64_t>(n_rows);
    node.weight = summary.weight;
    node.search_weight = summary.search_weight;
    node.impurity = summary.impurity;
    if (limits) node.limited = limited_value(summary, context);
}

struct LimitedBranch {
    split::NodeContext& context;
    double& value;
};

// The split was chosen by the rows that it places, and other rows may reverse the order of the values. Both sides then
// predict the mean of the two values.
inline void hand_down_limits(const split::SearchOptions& options, const split::Candidate& split,
                             const split::NodeContext& parent, LimitedBranch first, LimitedBranch second) {
    const int direction = options.monotone[split.column];
    if (direction == 0) return;
    const double middle = 0.5 * (first.value + second.value);
    const LimitedBranch low = direction > 0 ? first : second, high = direction > 0 ? second : first;
    low.context.high = std::min(parent.high, middle);
    high.context.low = std::max(parent.low, middle);
    low.value = std::min(low.value, middle);
    high.value = std::max(high.value, middle);
}

}  // namespace ceiba::grow
