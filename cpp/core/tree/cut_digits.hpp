// How many digits of a cut must be printed, so that the text sends every value of a column where the cut sends it.
//
// A cut is printed rounded to so many significant digits: as `x <= t` where it was rounded down, as `x < t` where it
// was rounded up. With the digits below, this holds for all larger numbers of digits, too.
#pragma once

#include "data/table.hpp"
#include "tree/tree_arrays.hpp"

namespace ceiba::tree {

constexpr std::int8_t least_digits = 6, all_digits = 17;

// The values of a column next to a cut: the largest that is not above it, and the smallest that is. Values that no
// rounding to `least_digits` reaches need not be known.
struct CutGap {
    double below = -std::numeric_limits<double>::infinity(), above = std::numeric_limits<double>::infinity();
};

// The digits of a decimal of at most 12 that is the cut or the float above it; else those that the gap asks for.
std::int8_t digits_for(double cut, CutGap gap);

// The gaps of several cuts, each with its column; `rows` empty: all rows.
std::vector<CutGap> cut_gaps(const data::Table& table, std::span<const std::uint32_t> rows,
                             std::span<const std::int32_t> column, std::span<const double> cut, int n_threads = 1);

// The digits of several cuts. Columns are read only for cuts that are no short decimals.
std::vector<std::int8_t> cut_digits(const data::Table& table, std::span<const std::uint32_t> rows,
                                    std::span<const std::int32_t> column, std::span<const double> cut,
                                    int n_threads = 1);

}  // namespace ceiba::tree
