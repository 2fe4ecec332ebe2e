// How a tree is grown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "criteria/node_risk.hpp"
#include "split/engine.hpp"

namespace ceiba::grow {

struct GrowOptions : split::EngineOptions {
    int max_depth = -1;
    std::size_t min_samples_split = 2;
    double min_weight_split = 0.0;  // the same by weight (frequency weights)
    int max_leaf_nodes = -1;        // best-first growth when set
    double min_gain = 0.0;          // gain of a split as a share of the whole table's weight
    double min_gain_ratio = 0.0;    // gain of a split over that of the root's split
    // a node with no more risk than this is a leaf (rpart's cp in its own unit); < 0: off
    double min_risk = -1.0;
    double min_risk_ratio = -1.0;  // the same as a share of the root's risk
    criteria::RiskRule risk;
    bool small_tables = true;  // whole trees of small tables may be grown by small_tree.hpp
    std::uint64_t seed = 0;
    double low = -std::numeric_limits<double>::infinity();  // monotone limits of the root (a part of a larger tree)
    double high = std::numeric_limits<double>::infinity();
    double whole_weight = 0.0;  // of the larger tree that this one is a part of; 0: it stands alone
    int n_threads = 1;

    bool operator==(const GrowOptions&) const = default;
};

// Every option that Python sets by name: `visit(name, field)`, where field(options) is the member. An option of the
// core is declared by its member and its line here.
template <class Visit>
void for_each_option(Visit visit) {
    visit("max_depth", [](auto& o) -> auto& { return o.max_depth; });
    visit("min_samples_split", [](auto& o) -> auto& { return o.min_samples_split; });
    visit("min_weight_split", [](auto& o) -> auto& { return o.min_weight_split; });
    visit("max_leaf_nodes", [](auto& o) -> auto& { return o.max_leaf_nodes; });
    visit("min_gain", [](auto& o) -> auto& { return o.min_gain; });
    visit("min_gain_ratio", [](auto& o) -> auto& { return o.min_gain_ratio; });
    visit("min_risk", [](auto& o) -> auto& { return o.min_risk; });
    visit("min_risk_ratio", [](auto& o) -> auto& { return o.min_risk_ratio; });
    visit("class_cost", [](auto& o) -> auto& { return o.risk.class_cost; });
    visit("prior_events", [](auto& o) -> auto& { return o.risk.prior_events; });
    visit("small_tables", [](auto& o) -> auto& { return o.small_tables; });
    visit("seed", [](auto& o) -> auto& { return o.seed; });
    visit("low", [](auto& o) -> auto& { return o.low; });
    visit("high", [](auto& o) -> auto& { return o.high; });
    visit("n_threads", [](auto& o) -> auto& { return o.n_threads; });
    visit("keep_zero_weights", [](auto& o) -> auto& { return o.keep_zero_weights; });
    visit("use_surrogate", [](auto& o) -> auto& { return o.use_surrogate; });
    visit("max_surrogates", [](auto& o) -> auto& { return o.surrogates.max_surrogates; });
    visit("weights_count_rows", [](auto& o) -> auto& { return o.surrogates.weights_count_rows; });
    visit("surrogate_style", [](auto& o) -> auto& { return o.surrogates.style; });
    visit("max_bins", [](auto& o) -> auto& { return o.bins.max_bins; });
    visit("approximate", [](auto& o) -> auto& { return o.bins.approximate; });
    visit("min_samples_leaf", [](auto& o) -> auto& { return o.search.min_rows; });
    visit("min_weight_leaf", [](auto& o) -> auto& { return o.search.min_weight; });
    visit("small_node", [](auto& o) -> auto& { return o.search.small_node; });
    visit("max_features", [](auto& o) -> auto& { return o.search.max_features; });
    visit("max_competitors", [](auto& o) -> auto& { return o.search.max_competitors; });
    visit("random_splitter", [](auto& o) -> auto& { return o.search.random_cuts; });
    visit("allow_zero_rate", [](auto& o) -> auto& { return o.search.allow_zero_rate; });
    visit("multiway", [](auto& o) -> auto& { return o.search.multiway; });
    visit("empty_branches", [](auto& o) -> auto& { return o.search.empty_branches; });
    visit("cuts_at_values", [](auto& o) -> auto& { return o.search.cuts_at_values; });
    visit("min_branch", [](auto& o) -> auto& { return o.search.min_branch; });
    visit("class_scale", [](auto& o) -> auto& { return o.search.class_scale; });
    visit("column_cost", [](auto& o) -> auto& { return o.search.column_cost; });
}

}  // namespace ceiba::grow
