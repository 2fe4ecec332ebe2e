// The options of the split search.
#pragma once

#include "criteria/registry.hpp"

namespace ceiba::split {

enum class Missing { learn, majority, surrogate, fractional, error };

// The differences between rpart and the default conventions, which are those of scikit-learn where it has any.
struct Conventions {
    // Weights and cuts.
    bool keep_zero_weights = false;    // rows of zero weight are counted and routed, but do not affect the search
    bool absent_levels_stay = false;   // a row of zero weight stays in the node if no row with weight has its level
    bool strict_ordered_cuts = false;  // a row of zero weight goes right if its ordered level equals the cut
    bool cuts_below_midpoint = false;  // numeric columns: `x <= cut` is equivalent to `x < midpoint`
    // Rates.
    bool allow_zero_rate = false;  // a side without events is allowed
    bool falling_rates = false;    // levels are scanned by descending rate, which matters for ties under min_rows
    // Surrogates, and rows that no surrogate places.
    bool surrogate_levels_err = false;     // levels: two rows must agree and two disagree, not two rows per side
    bool tie_stays = false;                // rows stay in the node if its branches have equal weights
    bool stay_without_surrogates = false;  // rows stay in the node if max_surrogates is 0
    bool default_by_row_counts = false;    // predict() uses the branch with more rows, not with more weight

    bool operator==(const Conventions&) const = default;
};

constexpr Conventions rpart_conventions{true, true, true, true, true, true, true, true, true, true};

struct SearchOptions {
    criteria::Name criterion = criteria::name_of<criteria::Gini>();
    Missing missing = Missing::learn;
    bool multiway = false;        // columns of levels: one branch per level
    bool empty_branches = false;  // multiway: levels that do not occur in the node also have a branch
    bool cuts_at_values = false;  // gain ratio: a cut is the largest value of the whole column not above the midpoint
    double min_branch = 0.0;      // gain ratio: at least two branches must have this weight
    bool random_cuts = false;     // one random cut per column, not the best (scikit-learn's splitter="random")
    Conventions conventions;
    int max_features = -1;            // columns tried per node; -1: all
    int max_competitors = 0;          // number of competitors returned besides the best split
    std::size_t min_rows = 1;         // per branch
    double min_weight = 0.0;          // per branch
    double min_events = 0.0;          // per branch, weighted; for event rates
    std::size_t small_node = 2048;    // nodes with fewer rows are sorted, larger ones are searched by bins
    std::size_t zoom_rows = 4096;     // columns with at least this many rows to fetch are first counted in finer bins
    std::vector<int> monotone;        // per column; empty: none
    std::vector<double> class_scale;  // factor per class (altered priors); empty: none
    std::vector<double> column_cost;  // gains are divided by these; empty: none
    std::vector<int> quantile;        // costs of the pinball loss (criteria::QuantileLevel); empty: absolute errors
    // Interactions (scikit-learn's interaction_cst): the columns that may be on one path.
    int max_interaction = 0;                     // maximum number of different columns; 0: no limit
    std::vector<std::vector<int>> interactions;  // groups of columns; each path must be within a group; empty: no limit

    bool operator==(const SearchOptions&) const = default;
};

// The columns on the path to a node, ascending, and the columns that may split it.
struct PathColumns {
    std::vector<int> used;
    std::vector<char> allowed;  // per column; empty: all
};

// The path of the branches of a split by `column` (-1: the path of the root). Null if there are no limits.
std::shared_ptr<const PathColumns> path_below(std::shared_ptr<const PathColumns> path, int column,
                                              std::size_t n_columns, const SearchOptions& options);

// What the search needs to know about a node besides its rows.
struct NodeContext {
    std::uint64_t seed = 0;
    double low = -std::numeric_limits<double>::infinity();  // monotone limits inherited from the ancestors
    double high = std::numeric_limits<double>::infinity();
    std::shared_ptr<const PathColumns> path = nullptr;  // null: all columns are allowed

    const std::vector<char>& allowed() const {
        static const std::vector<char> all;
        return path ? path->allowed : all;
    }
    bool allows(std::size_t column) const { return allowed().empty() || allowed()[column]; }
};

}  // namespace ceiba::split
