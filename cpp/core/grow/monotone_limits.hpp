// What monotone splits limit, the value of a node or the share of its second class, and how limits are handed down.
#pragma once

#include <algorithm>

#include "criteria/node_summary.hpp"
#include "split/candidate.hpp"
#include "split/search_options.hpp"

namespace ceiba::grow {

// The value of a node within the limits that splits above it have set.
inline double limited_value(const criteria::NodeSummary& summary, const split::NodeContext& context) {
    const bool classes = summary.value.size() == 2;
    if (classes && !(summary.weight > 0.0)) return 0.0;
    const double number = classes ? summary.value[1] / summary.weight : summary.value[0];
    return std::clamp(number, classes ? std::max(context.low, 0.0) : context.low,
                      classes ? std::min(context.high, 1.0) : context.high);
}

struct LimitedBranch {
    split::NodeContext& context;
    double& value;
};

// The split was judged by the rows that it places; those placed otherwise may turn the order round. Then both sides
// answer with the middle.
inline void hand_down_limits(const split::SearchOptions& options, const split::Candidate& split,
                             const split::NodeContext& parent, LimitedBranch first, LimitedBranch second) {
    const int direction = options.monotone[static_cast<std::size_t>(split.column)];
    if (direction == 0) return;
    const double middle = 0.5 * (first.value + second.value);
    const LimitedBranch low = direction > 0 ? first : second, high = direction > 0 ? second : first;
    low.context.high = std::min(parent.high, middle);
    high.context.low = std::max(parent.low, middle);
    low.value = std::min(low.value, middle);
    high.value = std::max(high.value, middle);
}

}  // namespace ceiba::grow
