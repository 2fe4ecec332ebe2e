// Stopping rules and their options: the one place for them, shared by all growers.
#pragma once

#include "criteria/node_summary.hpp"
#include "split/search_options.hpp"

namespace ceiba::grow {

struct StopOptions {
    int max_depth = -1;
    std::size_t min_samples_split = 2;
    double min_weight_split = 0.0;  // the same by weight (frequency weights)
    double min_gain = 0.0;          // gain of a split as a share of the whole table's weight
    double min_gain_ratio = 0.0;    // gain of a split over that of the root's split
    // a node with no more risk than this is a leaf (rpart's cp in its own unit); < 0: off
    double min_risk = -1.0;
    double min_risk_ratio = -1.0;  // the same as a share of the root's risk
    criteria::RiskRule risk;
    double whole_weight = 0.0;  // of the larger tree that this one is a part of; 0: it stands alone

    bool operator==(const StopOptions&) const = default;
};

// As in for_each_option (grow.hpp).
template <class Visit>
void for_each_stop_option(Visit visit) {
    const auto own = [&](const char* name, auto member) {
        visit(
            name, [member](auto& o) -> auto& { return o.*member; });
    };
    own("max_depth", &StopOptions::max_depth);
    own("min_samples_split", &StopOptions::min_samples_split);
    own("min_weight_split", &StopOptions::min_weight_split);
    own("min_gain", &StopOptions::min_gain);
    own("min_gain_ratio", &StopOptions::min_gain_ratio);
    own("min_risk", &StopOptions::min_risk);
    own("min_risk_ratio", &StopOptions::min_risk_ratio);
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

    // The root comes first: some rules are shares of what it has.
    void begin(const criteria::NodeSummary& root, bool classification) {
        begin(root.search_weight);
        classification_ = classification;
        if (!watches_risk_) return;
        risk_ = options_.risk;
        if (!classification) risk_.overall_rate = root.value[0];
        const double whole = criteria::node_risk(root, risk_, classification);
        least_risk_ = std::max(options_.min_risk, options_.min_risk_ratio * whole) * (1.0 - 1e-9);
    }
    // Where risk is not watched, the weight of the root is enough.
    void begin(double whole_weight) {
        whole_weight_ = options_.whole_weight > 0.0 ? options_.whole_weight : whole_weight;
    }

    double whole_weight() const { return whole_weight_; }

    // By its size and depth, may a node that is not pure be split?
    bool large_enough(std::size_t n_rows, double weight, int depth) const {
        return n_rows >= options_.min_samples_split && n_rows >= 2 * search_.min_rows &&
               weight >= 2.0 * search_.min_weight && weight >= options_.min_weight_split &&
               (options_.max_depth < 0 || depth < options_.max_depth);
    }
    // A node with so little risk that no split below it can be worth its cost need not be split. The last bits are left
    // to the comparison of splits.
    bool splittable(const criteria::NodeSummary& node, std::size_t n_rows, int depth) const {
        return !node.pure && large_enough(n_rows, node.weight, depth) &&
               (!watches_risk_ || criteria::node_risk(node, risk_, classification_) > least_risk_);
    }
    // scikit-learn adds the rounding unit before it compares, so a gain that equals min_impurity_decrease is enough.
    bool gains_enough(double gain) const { return !(gain / whole_weight_ + 0x1p-52 < options_.min_gain); }

    // What a gain must exceed by min_gain_ratio in a node of this impurity mass; the root (depth 0) sets the measure.
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
