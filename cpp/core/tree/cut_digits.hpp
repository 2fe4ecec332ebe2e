// How many digits of a cut to print so that the rounded cut routes every value of a column as the cut does.
//
// A cut is printed rounded to significant digits: as `x <= t` if it was rounded down, as `x < t` if it was rounded up.
// The result also holds for any larger number of digits.
#pragma once

#include "data/table.hpp"
#include "tree/tree_arrays.hpp"

namespace ceiba::tree {

constexpr std::int8_t least_digits = 6, all_digits = 17;

// The values of a column next to a cut: the largest one that is not above it, and the smallest one above it. Values
// that rounding to `least_digits` cannot reach may be absent.
struct CutGap {
    double below = -std::numeric_limits<double>::infinity(), above = std::numeric_limits<double>::infinity();
};

// The number of digits of the cut or of the next larger float, whichever is shorter, if this is at most 12; otherwise
// the number of digits that the gap requires.
std::int8_t digits_for(double cut, CutGap gap);

// The gaps of several cuts, each in its own column. `rows` empty: all rows.
std::vector<CutGap> cut_gaps(const data::Table& table, std::span<const std::uint32_t> rows,
                             std::span<const std::int32_t> column, std::span<const double> cut, int n_threads = 1);

// The digits of several cuts. Only cuts that are not short decimals require a pass over their columns.
std::vector<std::int8_t> cut_digits(const data::Table& table, std::span<const std::uint32_t> rows,
                                    std::span<const std::int32_t> column, std::span<const double> cut,
                                    int n_threads = 1);

}  // namespace ceiba::tree
