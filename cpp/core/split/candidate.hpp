// A split that was found, before it is carried out; and what limits the search.
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
    base::DoubleDouble gain;  // decrease of impurity mass (weight x impurity) over the rows that took part
    double tolerance = 0.0;   // gains closer than this are tied
    double cut = std::numeric_limits<double>::quiet_NaN();
    std::uint32_t position = 0;  // kind cut: how many of the sorted entries lie on the left
    int n_branches = 2;
    bool learned_missing = false;     // the search itself decided where missing values go ...
    int missing_branch = 1;           // ... namely here
    std::vector<LevelBranch> levels;  // kind levels: every level present in the node, ascending

    bool found() const { return kind != Kind::none; }
};

// What a division must respect. Rows are counted, weights weighed; the monotone limits are values of the children.
struct Limits {
    std::size_t min_rows = 1;
    double min_weight = 0.0;
    double min_events = 0.0;
    int monotone = 0;  // +1: the right side's value must not be below the left's; -1 the other way round
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
};

// Where a cut between two neighbouring values lies.

// A number between two neighbours such that lower <= cut < upper: the midpoint where doubles allow it, or with
// `below` the number just below the midpoint.
inline double cut_between(double lower, double upper, bool below) {
    double middle = 0.5 * (lower + upper);
    if (!std::isfinite(middle)) middle = 0.5 * lower + 0.5 * upper;
    if (below) middle = std::nextafter(middle, lower);
    return middle >= lower && middle < upper ? middle : lower;
}

}  // namespace ceiba::split
