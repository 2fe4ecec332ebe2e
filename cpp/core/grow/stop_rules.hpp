// Stopping rules and their options, which all growers share.
#pragma once

#include "criteria/node_summary.hpp"
#include "split/search_options.hpp"

namespace ceiba::grow {

struct StopOptions {
    int max_depth = -1;
    std::size_t min_samples_split = 2;
    double min_weight_split = 0.0;  // the same for the sum of weights (frequency weights)
    double min_gain = 0.0;          // minimum gain as a share of the table's total weight
    double min_gain_ratio = 0.0;    // minimum gain as a ratio to the gain of the root's split
    // a node with at most this risk is a leaf (rpart's cp in absolute units); < 0: off
    double min_risk = -1.0;
    double min_risk_ratio = -1.0;  // the same as a share of the root's risk
    criteria::RiskRule risk;
    double whole_weight = 0.0;  // total weight of the larger tree that contains this one; 0: there is none

    bool operator==(const StopOptions&) const = default;
};

// Visits the options as for_each_option (grow.hpp) does.
template <class Visit>
void for_each_stop_option(Visit visit) {
    const auto option = [&](const char* name, auto member) {
        visit(
            name, [member](auto& o) -> auto& { return o.*member; });
    };
    option("max_depth", &StopOptions::max_depth);
    option("min_samples_split", &StopOptions::min_samples_split);
    option("min_weight_split", &StopOptions::min_weight_split);
    option("min_gain", &StopOptions::min_gain);
    option("min_gain_ratio", &StopOptions::min_gain_ratio);
    option("min_risk", &StopOptions::min_risk);
    option("min_risk_ratio", &StopOptions::min_risk_ratio);
    visit(
        "class_cost", [](auto& o) -> auto& { return o.risk.class_cost; });
    visit(
        "prior_events", [](auto& o) -> auto& { return o.risk.prior_events; });
}

class StopRules {
public:
    StopRules(const StopOptions& options, const split::SearchOptions& search)
        : options_(options),
          search_(search),
          by_impurity_(search.criterion == criteria::name_of<criteria::SquaredError>()),
          watches_risk_(options.min_risk >= 0.0 || options.min_risk_ratio >= 0.0) {}

    // Must be called with the root first, because some rules are relative to it.
    void begin(const criteria::NodeSummary& root, bool classification) {
        begin(root.search_weight);
        classification_ = classification;
        if (!watches_risk_) return;
        risk_ = options_.risk;
        if (!classification) risk_.overall_rate = root.value[0];
        const double whole = criteria::node_risk(root, risk_, classification);
        least_risk_ = std::max(options_.min_risk, options_.min_risk_ratio * whole) * (1.0 - 1e-9);
    }
    // Without a risk rule the weight of the root suffices.
    void begin(double whole_weight) {
        whole_weight_ = options_.whole_weight > 0.0 ? options_.whole_weight : whole_weight;
    }

    double whole_weight() const { return whole_weight_; }

    // Whether the size and depth of a node allow a split, if the node is not pure.
    bool large_enough(std::size_t n_rows, double weight, int depth) const {
        return n_rows >= options_.min_samples_split && n_rows >= 2 * search_.min_rows &&
               weight >= 2.0 * search_.min_weight && weight >= options_.min_weight_split &&
               (options_.max_depth < 0 || depth < options_.max_depth);
    }
    // Whether to search a split. A node is a leaf if its risk is so small that no split below it can be worth its cost.
    // The comparison leaves a margin for rounding; the comparison of splits decides exactly.
    bool splittable(const criteria::NodeSummary& node, std::size_t n_rows, int depth) const {
        return !node.pure && large_enough(n_rows, node.weight, depth) &&
               (!watches_risk_ || criteria::node_risk(node, risk_, classification_) > least_risk_);
    }
    // As in scikit-learn, the rounding unit is added first, so a gain equal to min_impurity_decrease is enough.
    bool gains_enough(double gain) const { return !(gain / whole_weight_ + 0x1p-52 < options_.min_gain); }

    // The least gain that min_gain_ratio requires in a node with this impurity mass. The root (depth 0) sets the unit.
    bool compares_with_root() const { return options_.min_gain_ratio > 0.0; }
    double least_gain(double gain, double impurity_mass, int depth) {
        const double unit = by_impurity_ ? impurity_mass : 1.0;
        if (depth == 0) root_merit_ = gain / unit;
        return options_.min_gain_ratio * root_merit_ * unit;
    }

private:
    const StopOptions& options_;
    const split::SearchOptions& search_;
    bool by_impurity_, watches_risk_, classification_ = true;
    double whole_weight_ = 0.0, root_merit_ = 0.0, least_risk_ = 0.0;
    criteria::RiskRule risk_;
};

}  // namespace ceiba::grow
