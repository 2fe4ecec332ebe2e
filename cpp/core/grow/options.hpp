// How a tree is grown.
#pragma once

#include "grow/stop_rules.hpp"
#include "split/engine.hpp"

namespace ceiba::grow {

struct GrowOptions : split::EngineOptions, StopOptions {
    int max_leaf_nodes = -1;   // best-first growth when set
    bool small_tables = true;  // whole trees of small tables may be grown by small_tree.hpp
    std::uint64_t seed = 0;
    double low = -std::numeric_limits<double>::infinity();  // monotone limits of the root (a part of a larger tree)
    double high = std::numeric_limits<double>::infinity();
    int n_threads = 1;

    bool operator==(const GrowOptions&) const = default;
};

// Every option that Python sets by name: `visit(name, field)`, where field(options) is the member. An option of the
// core is declared by its member and its line here, or both in stop_rules.hpp.
template <class Visit>
void for_each_option(Visit visit) {
    for_each_stop_option(visit);
    visit(
        "max_leaf_nodes", [](auto& o) -> auto& { return o.max_leaf_nodes; });
    visit(
        "small_tables", [](auto& o) -> auto& { return o.small_tables; });
    visit(
        "seed", [](auto& o) -> auto& { return o.seed; });
    visit(
        "low", [](auto& o) -> auto& { return o.low; });
    visit(
        "high", [](auto& o) -> auto& { return o.high; });
    visit(
        "n_threads", [](auto& o) -> auto& { return o.n_threads; });
    visit(
        "use_surrogate", [](auto& o) -> auto& { return o.use_surrogate; });
    visit(
        "max_surrogates", [](auto& o) -> auto& { return o.surrogates.max_surrogates; });
    visit(
        "weights_count_rows", [](auto& o) -> auto& { return o.surrogates.weights_count_rows; });
    visit(
        "surrogate_style", [](auto& o) -> auto& { return o.surrogates.style; });
    visit(
        "max_bins", [](auto& o) -> auto& { return o.bins.max_bins; });
    visit(
        "approximate", [](auto& o) -> auto& { return o.bins.approximate; });
    visit(
        "min_samples_leaf", [](auto& o) -> auto& { return o.search.min_rows; });
    visit(
        "min_weight_leaf", [](auto& o) -> auto& { return o.search.min_weight; });
    visit(
        "small_node", [](auto& o) -> auto& { return o.search.small_node; });
    visit(
        "zoom_rows", [](auto& o) -> auto& { return o.search.zoom_rows; });
    visit(
        "max_features", [](auto& o) -> auto& { return o.search.max_features; });
    visit(
        "max_competitors", [](auto& o) -> auto& { return o.search.max_competitors; });
    visit(
        "random_splitter", [](auto& o) -> auto& { return o.search.random_cuts; });
    visit(
        "multiway", [](auto& o) -> auto& { return o.search.multiway; });
    visit(
        "empty_branches", [](auto& o) -> auto& { return o.search.empty_branches; });
    visit(
        "cuts_at_values", [](auto& o) -> auto& { return o.search.cuts_at_values; });
    visit(
        "min_branch", [](auto& o) -> auto& { return o.search.min_branch; });
    visit(
        "class_scale", [](auto& o) -> auto& { return o.search.class_scale; });
    visit(
        "monotonic", [](auto& o) -> auto& { return o.search.monotone; });
    visit(
        "column_cost", [](auto& o) -> auto& { return o.search.column_cost; });
}

}  // namespace ceiba::grow
