// The summary of a node: weight, value and impurity, from its own rows (never by subtraction from a parent).
#pragma once

#include "base/thread_pool.hpp"
#include "criteria/number_criteria.hpp"
#include "data/target.hpp"

namespace ceiba::criteria {

struct NodeSummary {
    double weight = 0.0;         // as the rows are weighted
    double search_weight = 0.0;  // the same with each class multiplied by its factor (altered priors)
    double impurity = 0.0;       // of the counts as the search sees them; mean over the outputs
    bool pure = false;           // nothing left to tell apart
    std::vector<double> value;   // class weights, output after output, each padded to the most classes; or node values
};

// Summary of the rows [begin, end); class_scale has one factor per class, or is empty; level: of absolute_error.
NodeSummary summarize(const data::TargetRows& rows, std::size_t begin, std::size_t end, Name criterion,
                      const std::vector<double>& class_scale, const QuantileLevel& level, base::ThreadPool* pool);

// The same of rows of which only the weight of each class is known, and the weight of all.
NodeSummary summarize_classes(std::vector<double> class_weight, double weight, Name criterion,
                              const std::vector<double>& class_scale);

// R(t) of a node taken as a leaf, as a sum over its rows: what rpart's complexity stop compares.
//
//   classification   least over answers j of sum_k f(k) cost[k, j] (priors are in the costs); plain: weight - largest
//                    f(k)
//   regression       weight x impurity
//   poisson, shrunken rates (events d, time t, m = d / t):  rate r = (d + a) / (t + b); t (I(t) + m log(m / r) - m + r)
struct RiskRule {
    std::vector<double> class_cost;  // K x K, truth after truth; empty: every mistake costs 1
    double prior_events = 0.0;       // a = 1 / shrink^2; 0: rates as they are
    double overall_rate = 0.0;       // of the root; b = a / overall_rate

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
