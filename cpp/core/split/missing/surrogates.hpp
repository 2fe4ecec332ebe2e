// Surrogate splits (Breiman et al. 1984, 5.3; rpart's rules): for every other column the split that best repeats how
// the primary split sent the rows it could place.
//
// Agreement is the weight of rows sent to the same side, over the weight that the primary placed (style 0) or the part
// of it with a value in the surrogate's column (style 1). Adjusted agreement is the share of what sending all rows to
// the larger side leaves to gain; a surrogate needs a positive one. Ties: "below the cut goes to the right son" (of the
// larger mean response) first, then lower cuts, then earlier columns. O(n) per column and node.
#pragma once

#include "split/store/partition.hpp"

namespace ceiba::split {

struct Surrogate {
    Kind kind = Kind::none;
    std::int32_t column = -1;
    double cut = 0.0;
    int low_branch = 0;               // branch of x <= cut
    std::vector<LevelBranch> levels;  // every level placed, ascending
    double agreement = 0.0;
    double adjusted = 0.0;
    std::int64_t sent = 0;  // rows that this surrogate sent when the tree was grown
};

struct SurrogateOptions {
    int max_surrogates = 0;
    int style = 0;
    bool weights_count_rows = false;  // a row of weight k counts as k rows

    bool operator==(const SurrogateOptions&) const = default;
};

// `right_son` is the branch (0 or 1) that counts as right in the tie rules. A column with a monotone limit is not a
// surrogate: its value would send a row to branches of another column, whose values have no order.
std::vector<Surrogate> find_surrogates(const NodeRows& node, const Routing& primary, std::int32_t primary_column,
                                       int right_son, const SurrogateOptions& options, const SearchOptions& search,
                                       base::ThreadPool* pool);

// Which branch is the right son: the one with the larger mean response (class index under class_scale); branch 0 when
// equal.
int right_son(const NodeRows& node, const Routing& primary, const std::vector<double>& class_scale,
              base::ThreadPool* pool);

// Sends unplaced rows by the first surrogate that can place them; counts them in `sent`.
void route_by_surrogates(const NodeRows& node, const SurrogateOptions& options, std::vector<Surrogate>& surrogates,
                         Routing& routing, base::ThreadPool* pool);

// Surrogates of a split that was given, not searched for.
struct GivenSplitSurrogates {
    std::vector<Surrogate> surrogates;
    std::vector<std::uint16_t> branch;  // per row of the table: as given, or where a surrogate sends the row; unplaced
};

// `branch` holds 0, 1 or unplaced for every row of the table; only target.rows (all, if empty) are read. `use`:
// unplaced rows are sent by the surrogates.
GivenSplitSurrogates surrogates_of_given_split(const data::Table& table, const data::Target& target,
                                               std::span<const std::uint16_t> branch, std::int32_t primary_column,
                                               const SearchOptions& search, const SurrogateOptions& options, bool use);

}  // namespace ceiba::split
