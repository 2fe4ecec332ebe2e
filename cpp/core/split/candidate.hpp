// A split that was found, before it is carried out; and what limits the search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/double_double.hpp"

namespace ceiba::split {

// No gain is required.
constexpr double no_floor = -std::numeric_limits<double>::infinity();

enum class Kind : std::int8_t { none, cut, levels, presence };

struct LevelBranch {
    std::int32_t code;
    std::int32_t branch;
};

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
    int monotone = 0;  // +1: the right side's value must not be below the left's; -1 the other way round
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
};

}  // namespace ceiba::split
