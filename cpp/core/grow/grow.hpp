// Growing a tree: from a table, a target and options to the arrays of a tree.
#pragma once

#include "grow/builder.hpp"
#include "grow/stop_rules.hpp"
#include "split/engine.hpp"

namespace ceiba::grow {

struct GrowOptions : split::EngineOptions, StopOptions {
    int max_leaf_nodes = -1;   // best-first growth when set
    bool small_tables = true;  // trees of small tables may be grown completely by small_tree.hpp
    std::uint64_t seed = 0;
    double low = -std::numeric_limits<double>::infinity();  // monotone limits of the root (a part of a larger tree)
    double high = std::numeric_limits<double>::infinity();
    std::shared_ptr<const split::PathColumns> path;  // of the splits above the root (a part of a larger tree)
    int n_threads = 1;

    bool operator==(const GrowOptions&) const = default;
};

// Calls visit(name, field) for every option that Python sets by name; field(options) is the member. An option of the
// core needs its member and its line here, or both in stop_rules.hpp.
template <class Visit>
void for_each_option(Visit visit) {
    for_each_stop_option(visit);
    const auto option = [&](const char* name, auto member) {
        visit(
            name, [member](auto& o) -> auto& { return o.*member; });
    };
    using G = GrowOptions;
    option("max_leaf_nodes", &G::max_leaf_nodes);
    option("small_tables", &G::small_tables);
    option("seed", &G::seed);
    option("low", &G::low);
    option("high", &G::high);
    option("n_threads", &G::n_threads);
    option("use_surrogate", &G::use_surrogate);
    const auto surrogates = [&](const char* name, auto member) {
        visit(
            name, [member](auto& o) -> auto& { return o.surrogates.*member; });
    };
    surrogates("max_surrogates", &split::SurrogateOptions::max_surrogates);
    surrogates("weights_count_rows", &split::SurrogateOptions::weights_count_rows);
    surrogates("surrogate_style", &split::SurrogateOptions::style);
    const auto bins = [&](const char* name, auto member) {
        visit(
            name, [member](auto& o) -> auto& { return o.bins.*member; });
    };
    bins("max_bins", &split::BinOptions::max_bins);
    bins("approximate", &split::BinOptions::approximate);
    const auto search = [&](const char* name, auto member) {
        visit(
            name, [member](auto& o) -> auto& { return o.search.*member; });
    };
    using S = split::SearchOptions;
    search("min_samples_leaf", &S::min_rows);
    search("min_weight_leaf", &S::min_weight);
    search("min_events_leaf", &S::min_events);
    search("small_node", &S::small_node);
    search("zoom_rows", &S::zoom_rows);
    search("max_features", &S::max_features);
    search("max_competitors", &S::max_competitors);
    search("random_splitter", &S::random_cuts);
    search("multiway", &S::multiway);
    search("empty_branches", &S::empty_branches);
    search("cuts_at_values", &S::cuts_at_values);
    search("min_branch", &S::min_branch);
    search("class_scale", &S::class_scale);
    search("monotonic", &S::monotone);
    search("column_cost", &S::column_cost);
    visit(
        "allow_zero_rate", [](auto& o) -> auto& { return o.search.conventions.allow_zero_rate; });
    search("quantile", &S::quantile);
    search("max_interaction", &S::max_interaction);
    search("interactions", &S::interactions);
}

tree::TreeArrays grow(const data::Table& table, const data::Target& target, const GrowOptions& options,
                      base::Interrupt& interrupt);

// Grows best first (max_leaf_nodes must be set) and returns the nodes in order of creation.
Builder grow_nodes(const data::Table& table, const data::Target& target, const GrowOptions& options,
                   base::Interrupt& interrupt);

}  // namespace ceiba::grow
