// The summary of a node: weight, value and impurity, computed from its own rows (never by subtraction from a parent).
#pragma once

#include "base/thread_pool.hpp"
#include "criteria/number_criteria.hpp"
#include "data/target.hpp"

namespace ceiba::criteria {

struct NodeSummary {
    double weight = 0.0;         // sum of the row weights
    double search_weight = 0.0;  // the same with each class multiplied by its factor (altered priors)
    double impurity = 0.0;       // impurity of the counts that the search uses; mean over the outputs
    bool pure = false;           // no further split can reduce the impurity
    std::vector<double> value;   // node values, or class weights, output after output, padded to equal lengths
};

// The summary of the rows [begin, end). class_scale: one factor per class, or empty. level: used by absolute_error.
NodeSummary summarize(const data::TargetRows& rows, std::size_t begin, std::size_t end, Name criterion,
                      const std::vector<double>& class_scale, const QuantileLevel& level, base::ThreadPool* pool);

// The summary of rows of which only the class weights and the total weight are known.
NodeSummary summarize_classes(std::vector<double> class_weight, double weight, Name criterion,
                              const std::vector<double>& class_scale);

// R(t) of a node as a leaf, as a sum over its rows. The complexity rule of rpart compares it.
//
//   classification   min over predictions j of sum_k f(k) cost[k, j] (the costs include priors); without costs:
//                    weight - largest f(k)
//   regression       weight x impurity
//   poisson, shrunken rates (events d, time t, m = d / t):  rate r = (d + a) / (t + b); t (I(t) + m log(m / r) - m + r)
struct RiskRule {
    std::vector<double> class_cost;  // K x K, one row per true class; empty: each error costs 1
    double prior_events = 0.0;       // a = 1 / shrink^2; 0: no shrinkage
    double overall_rate = 0.0;       // rate of the root; b = a / overall_rate

    bool operator==(const RiskRule&) const = default;
};

inline double node_risk(const NodeSummary& node, const RiskRule& rule, bool classification) {
    if (!classification) {
        if (!(rule.prior_events > 0.0)) return node.weight * node.impurity;
        const double mean = node.value[0];
        const double rate =
            (mean * node.weight + rule.prior_events) / (node.weight + rule.prior_events / rule.overall_rate);
        return node.weight * (node.impurity + (mean > 0.0 ? mean * std::log(mean / rate) : 0.0) - mean + rate);
    }
    if (rule.class_cost.empty()) return node.weight - *std::max_element(node.value.begin(), node.value.end());
    const std::size_t n = node.value.size();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < n; ++j) {
        double cost = 0.0;
        for (std::size_t k = 0; k < n; ++k) cost += node.value[k] * rule.class_cost[k * n + j];
        least = std::min(least, cost);
    }
    return least;
}

}  // namespace ceiba::criteria
