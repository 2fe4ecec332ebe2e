// Surrogate splits (Breiman et al. 1984, 5.3; rpart's rules): for every other column, the split that best reproduces
// the primary split on the rows that it could place.
//
// Agreement is the weight of rows sent to the same side, over the weight placed by the primary split (style 0) or the
// part of it with a value in the surrogate's column (style 1). Adjusted agreement is the share of the possible gain
// over sending all rows to the larger side; it must be positive. Ties: "below the cut goes to the right son" (with the
// larger mean response) first, then lower cuts, then earlier columns. O(n) per column and node.
#pragma once

#include "split/store/partition.hpp"

namespace ceiba::split {

struct Surrogate {
    Kind kind = Kind::none;
    std::int32_t column = -1;
    double cut = 0.0;
    int low_branch = 0;               // branch of x <= cut
    std::vector<LevelBranch> levels;  // all placed levels, ascending
    double agreement = 0.0;
    double adjusted = 0.0;
    std::int64_t sent = 0;  // number of rows sent by this surrogate during growing
};

struct SurrogateOptions {
    int max_surrogates = 0;
    int style = 0;
    bool weights_count_rows = false;  // a row of weight k counts as k rows

    bool operator==(const SurrogateOptions&) const = default;
};

// `right_son` is the branch (0 or 1) that is right in the tie rules. A column with a monotone limit is not a surrogate:
// its values would choose between branches of another column, which have no order.
std::vector<Surrogate> find_surrogates(const NodeRows& node, const Routing& primary, std::int32_t primary_column,
                                       int right_son, const SurrogateOptions& options, const SearchOptions& search,
                                       base::ThreadPool* pool);

// The right son is the branch with the larger mean response (class index under class_scale), or branch 0 if they are
// equal.
int right_son(const NodeRows& node, const Routing& primary, const std::vector<double>& class_scale,
              base::ThreadPool* pool);

// Sends each unplaced row by the first surrogate that can place it, and counts these rows in `sent`.
void route_by_surrogates(const NodeRows& node, const SurrogateOptions& options, std::vector<Surrogate>& surrogates,
                         Routing& routing, base::ThreadPool* pool);

// The surrogates of a given split, which is not searched.
struct GivenSplitSurrogates {
    std::vector<Surrogate> surrogates;
    std::vector<std::uint16_t> branch;  // per row of the table: as given, as sent by a surrogate, or unplaced
};

// `branch` contains 0, 1 or unplaced for every row of the table; only target.rows (all, if empty) are read. If `use`,
// surrogates send the unplaced rows.
GivenSplitSurrogates surrogates_of_given_split(const data::Table& table, const data::Target& target,
                                               std::span<const std::uint16_t> branch, std::int32_t primary_column,
                                               const SearchOptions& search, const SurrogateOptions& options, bool use);

}  // namespace ceiba::split
