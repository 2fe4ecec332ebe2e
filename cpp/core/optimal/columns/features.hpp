// The columns of a table as orders of rows, which the exact search cuts. A feature is a dense rank per row; a split
// sends the ranks up to some rank to the left. Each split that a tree may have is a cut of some feature:
//
//   numbers, ordered levels    ranks of the values. Missing values under "learn": two features, with the missing rows
//                              below all values and above all values.
//   levels                     one feature with two ranks per set of levels ("learn" treats a missing value as one
//                              more level). Above max_exact_levels: the levels in the order of their mean target
//                              (Breiman et al. 1984, section 4.2.2), with three or more classes one order per class.
//   missing under "majority"   no rank: the rows go to the heavier side of the cut (ranked.hpp). The features of
//                              "learn" give lower bounds, because any decision of the majority is one of their cuts.
#pragma once

#include "data/table.hpp"
#include "data/target.hpp"

namespace ceiba::optimal {

constexpr std::uint32_t unranked = 0xFFFFFFFFu;
constexpr int max_exact_levels = 8;

struct Feature {
    enum class Kind : std::uint8_t { numbers, levels };
    Kind kind = Kind::numbers;
    std::int32_t column = -1;
    bool bounds_only = false;   // no tree may use it
    bool missing_low = false;   // rank 0 contains the missing rows
    bool missing_high = false;  // the last rank contains the missing rows
    std::uint32_t n_ranks = 0;
    std::vector<std::uint32_t> rank;        // per row; unranked: the row goes to the heavier side
    std::vector<double> values;             // numbers: the value of each rank (NaN: missing)
    std::vector<std::uint32_t> level_rank;  // levels: rank of each level code
    std::uint32_t missing_rank = unranked;  // levels: rank of missing values
};

struct Features {
    std::vector<Feature> all;
    bool exact = true;  // false: some column has more levels than max_exact_levels
    bool has_unranked = false;
};

// `rows`: the table rows that take part.
Features make_features(const data::Table& table, const data::Target& target, const std::vector<std::uint32_t>& rows,
                       bool learn_missing);

}  // namespace ceiba::optimal
