// What a split asks: its kind, and the branch of each level.
#pragma once

#include "base/standard.hpp"

namespace ceiba::tree {

// Intervals: several cuts of a column of numbers, with a branch for each interval. No search makes them.
enum class Kind : std::int8_t { none, cut, levels, presence, intervals };

struct LevelBranch {
    std::int32_t code;
    std::int32_t branch;
};

}  // namespace ceiba::tree
