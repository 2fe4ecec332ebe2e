// What the search for splits is asked to do.
#pragma once

#include "criteria/registry.hpp"

namespace ceiba::split {

enum class Missing { learn, majority, surrogate, fractional, error };

// Where rpart decides otherwise, each difference by its name. The defaults are those of scikit-learn where it has any.
struct Conventions {
    // Weights and cuts.
    bool keep_zero_weights = false;    // rows of zero weight are counted and routed, but decide nothing
    bool absent_levels_stay = false;   // such a row stays in the node if no row with weight has its level
    bool strict_ordered_cuts = false;  // such a row goes right if its ordered level is the cut
    bool cuts_below_midpoint = false;  // columns of numbers: `x <= cut` is then `x < midpoint`
    // Rates.
    bool allow_zero_rate = false;  // a side without events is allowed
    bool falling_rates = false;    // levels are scanned from the highest rate; it matters for ties under min_rows
    // Surrogates, and rows that none of them places.
    bool surrogate_levels_err = false;     // levels: two rows must agree and two go astray, not two go each way
    bool tie_stays = false;                // rows stay in the node if its branches weigh the same
    bool stay_without_surrogates = false;  // rows stay in the node if max_surrogates is 0
    bool default_by_row_counts = false;    // prediction sends them to the branch with more rows, not with more weight

    bool operator==(const Conventions&) const = default;
};

constexpr Conventions rpart_conventions{true, true, true, true, true, true, true, true, true, true};

struct SearchOptions {
    criteria::Name criterion = criteria::name_of<criteria::Gini>();
    Missing missing = Missing::learn;
    bool multiway = false;        // columns of levels: one branch per level
    bool empty_branches = false;  // multiway: levels that are not in the node have a branch too
    bool cuts_at_values = false;  // gain ratio: a cut is the largest value of the table not above the midpoint
    double min_branch = 0.0;      // gain ratio: weight that two branches need
    bool random_cuts = false;     // one random cut per column, not the best (scikit-learn's splitter="random")
    Conventions conventions;
    int max_features = -1;            // columns tried per node; -1: all
    int max_competitors = 0;          // runners-up returned besides the best
    std::size_t min_rows = 1;         // per branch
    double min_weight = 0.0;          // per branch
    double min_events = 0.0;          // per branch, weighted; rates of events
    std::size_t small_node = 2048;    // nodes with fewer rows are sorted, larger ones searched by bins
    std::size_t zoom_rows = 4096;     // columns with as many rows to fetch are counted in finer bins first
    std::vector<int> monotone;        // per column; empty: none
    std::vector<double> class_scale;  // altered priors: factor per class; empty: none
    std::vector<double> column_cost;  // gains are divided by these; empty: none
    std::vector<int> quantile;        // costs of the pinball loss (criteria::QuantileLevel); empty: absolute errors
    // Interactions (scikit-learn's interaction_cst): which columns may be on one path.
    int max_interaction = 0;                     // number of different columns; 0: any
    std::vector<std::vector<int>> interactions;  // groups of columns, one of which holds all of the path; empty: any

    bool operator==(const SearchOptions&) const = default;
};

// The columns on the path to a node, ascending, and which columns may split it.
struct PathColumns {
    std::vector<int> used;
    std::vector<char> allowed;  // per column; empty: all
};

// The same below a split of a column (-1: at the root); null: there are no limits.
std::shared_ptr<const PathColumns> path_below(std::shared_ptr<const PathColumns> path, int column,
                                              std::size_t n_columns, const SearchOptions& options);

// What the search must know of one node besides its rows.
struct NodeContext {
    std::uint64_t seed = 0;
    double low = -std::numeric_limits<double>::infinity();  // monotone limits handed down
    double high = std::numeric_limits<double>::infinity();
    std::shared_ptr<const PathColumns> path = nullptr;  // null: all columns are allowed

    const std::vector<char>& allowed() const {
        static const std::vector<char> all;
        return path ? path->allowed : all;
    }
    bool allows(std::size_t column) const { return allowed().empty() || allowed()[column]; }
};

}  // namespace ceiba::split
