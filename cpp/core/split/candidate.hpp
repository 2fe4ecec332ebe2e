// A split that was found but not carried out, and the limits of the search.
#pragma once

#include "base/double_double.hpp"
#include "tree/tree_arrays.hpp"

namespace ceiba::split {

// No gain is required.
constexpr double no_floor = -std::numeric_limits<double>::infinity();

using tree::Kind, tree::LevelBranch;

struct Candidate {
    Kind kind = Kind::none;
    std::int32_t column = -1;
    base::DoubleDouble gain;  // decrease of impurity mass (weight x impurity) over the participating rows
    double tolerance = 0.0;   // gains closer than this are tied
    double cut = std::numeric_limits<double>::quiet_NaN();
    std::uint32_t position = 0;  // kind cut: number of sorted entries on the left
    int n_branches = 2;
    bool learned_missing = false;     // whether the search chose the branch of missing values
    int missing_branch = 1;           // the branch of missing values if learned_missing
    std::vector<LevelBranch> levels;  // kind levels: branches of all levels in the node and possibly others, ascending

    bool found() const { return kind != Kind::none; }
};

// The limits of a division: minima per branch (rows, weight, weighted events) and monotone limits of the branch values.
struct Limits {
    std::size_t min_rows = 1;
    double min_weight = 0.0;
    double min_events = 0.0;
    int monotone = 0;  // +1: the right side's value must not be below the left's; -1: vice versa
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
};

// Returns a number with lower <= cut < upper: the midpoint if it is in this range, with `below` the next double below
// the midpoint, otherwise `lower`.
inline double cut_between(double lower, double upper, bool below) {
    double middle = 0.5 * (lower + upper);
    if (!std::isfinite(middle)) middle = 0.5 * lower + 0.5 * upper;
    if (below) middle = std::nextafter(middle, lower);
    return middle >= lower && middle < upper ? middle : lower;
}

}  // namespace ceiba::split
