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
    double min_risk_ratio = -1.0;   // the same as a share of the root's risk
    criteria::RiskRule risk;
    bool small_tables = true;  // whole trees of small tables may be grown by small_tree.hpp
    std::uint64_t seed = 0;
    double low = -std::numeric_limits<double>::infinity();  // monotone limits of the root (a part of a larger tree)
    double high = std::numeric_limits<double>::infinity();
    int n_threads = 1;

    bool operator==(const GrowOptions&) const = default;
};

}  // namespace ceiba::grow
