// The best small tree: from a table and a target to the splits of a tree and a certificate of its quality.
#pragma once

#include "base/interrupt.hpp"
#include "data/table.hpp"
#include "data/target.hpp"
#include "tree/tree_arrays.hpp"

namespace ceiba::optimal {

struct Request {
    std::string loss = "error";  // error, cost, gini, entropy, squared_error, absolute_error
    std::vector<double> cost;    // K x K, one row per true class, priors included (cost)
    int max_depth = 3;
    int max_leaves = 1 << 30;
    std::size_t min_rows = 1;
    double penalty = 0.0;  // per leaf, in units of the loss
    int horizon = 0;       // > 0: lookahead with this depth; 0: exact search
    int last_stage = 5;    // greedy, lookahead, refined, limited, proof: the last stage to run (horizon 0)
    double time_limit = 60.0, gap = 0.0;
    std::size_t memory = std::size_t{1} << 30;  // bytes for sorted columns and the cache
    bool learn_missing = true;
    int n_threads = 1;
    double within = -1.0;            // >= 0: also lists trees whose value exceeds the best by at most this share ...
    std::size_t n_alternatives = 0;  // ... and at most this many of them
};

enum class Status : std::uint8_t { proven, within_gap, out_of_time, interrupted, heuristic, out_of_memory };

struct TreeShape {
    tree::SplitTable splits;
    std::vector<std::int32_t> parent, default_branch;
    double value = 0.0;  // loss and penalty
};

struct Outcome {
    TreeShape best;
    std::vector<TreeShape> alternatives;
    double lower = 0.0;
    Status status = Status::proven;
    bool all_alternatives = true;  // false: there are more than n_alternatives, or the time was over
    bool exact_levels = true;
    std::size_t evaluations = 0;
    std::uint64_t needed = 0;  // bytes of the sorted columns
    double seconds = 0.0;
};

// Called regularly in the calling thread during the search, with the best value, the lower bound and the seconds.
using Progress = std::function<void(double, double, double)>;

Outcome search(const data::Table& table, const data::Target& target, const Request& request, base::Interrupt& interrupt,
               const Progress& progress);

}  // namespace ceiba::optimal
