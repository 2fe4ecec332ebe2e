// Numbers as keys, whole numbers in the same order; and zoom: a stretch of keys in equal parts.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/radix_sort.hpp"

namespace ceiba::split {

// Both zeros are one.
inline std::uint64_t key_of(double x) { return base::sort_key(x + 0.0); }
inline double number_of(std::uint64_t key) {
    return std::bit_cast<double>(key ^ ((key >> 63) ? std::uint64_t{1} << 63 : ~std::uint64_t{0}));
}

// A stretch is counted again in at most 2^zoom_bits parts: that of a key is (key - low) >> zoom_shift.
constexpr int zoom_bits = 8;
constexpr std::size_t zoom_parts = std::size_t{1} << zoom_bits;
inline int zoom_shift(std::uint64_t low, std::uint64_t high, int bits = zoom_bits) {
    return std::max(0, static_cast<int>(std::bit_width(high - low)) - bits);
}

}  // namespace ceiba::split
