// A growing tree: nodes in the order in which they were made, numbered in pre-order only at the end.
//
// Subtrees may be grown by other threads, each in its own builder, and grafted onto a node of the first builder; the
// finished arrays do not depend on the threads.
#pragma once

#include "criteria/node_summary.hpp"
#include "split/missing/surrogates.hpp"

namespace ceiba::grow {

// What an inner node asks.
struct Question {
    split::Candidate split;
    std::vector<split::Candidate> competitors;
    std::vector<split::Surrogate> surrogates;
    std::int32_t default_branch = -1;
    std::int64_t sent_default = 0;
};

struct NodeRecord {
    std::int32_t first_child = -1, n_children = 0;
    std::int32_t graft = -1;                  // this node is the root of that builder's tree
    std::unique_ptr<tree::TreeArrays> grown;  // or of this one, which is finished
    std::int64_t n_rows = 0;
    double weight = 0.0, search_weight = 0.0, impurity = 0.0;
    double limited = 0.0;  // as in TreeArrays
    std::vector<double> value;
    std::unique_ptr<Question> question;  // null: a leaf
};

using Builder = std::vector<NodeRecord>;

// builders[0] holds the root; its grafts name the others.
tree::TreeArrays assemble(const std::deque<Builder>& builders, bool limited);

// Room for so many nodes at once, with `n_values` each: letting fourteen arrays grow costs a fifth of the tree of iris.
void reserve(tree::TreeArrays& out, std::size_t n_nodes, std::size_t n_values);

// Fills in the branches of nodes in pre-order, from their parents.
void link_branches(tree::TreeArrays& tree);

// What monotone splits limit, the value of a node or the share of its second class, and how limits are handed down.

// The value of a node within the limits that splits above it have set.
inline double limited_value(const criteria::NodeSummary& summary, const split::NodeContext& context) {
    const bool classes = summary.value.size() == 2;
    if (classes && !(summary.weight > 0.0)) return 0.0;
    const double number = classes ? summary.value[1] / summary.weight : summary.value[0];
    return std::clamp(number, classes ? std::max(context.low, 0.0) : context.low,
                      classes ? std::min(context.high, 1.0) : context.high);
}

// Fills in what a node says of itself; the value is left to the caller to move. `limits`: values have monotone limits.
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

// The split was chosen by the rows that it places; rows placed otherwise may reverse the order. Then both sides
// answer with the middle.
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
