// Sorting rows by a double: least-significant-digit radix sort on the bits of the value.
//
// The key of x is its bit pattern made monotone (negative numbers flipped), so any order of doubles is an order of
// unsigned integers. -0.0 must have been turned into 0.0, and NaN kept out, by the caller. Digits that are the same
// in all keys are skipped, which makes whole numbers and float32 data cheap.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ceiba::base {

struct KeyedRow {
    std::uint64_t key;
    std::uint32_t row;
};

inline std::uint64_t sort_key(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    return bits ^ ((bits >> 63) ? ~std::uint64_t{0} : std::uint64_t{1} << 63);
}

inline double value_of_key(std::uint64_t key) {
    return std::bit_cast<double>(key ^ ((key >> 63) ? std::uint64_t{1} << 63 : ~std::uint64_t{0}));
}

// Sorts `items` by (key, position); `spare` is working space that may be reused between calls.
inline void radix_sort(std::vector<KeyedRow>& items, std::vector<KeyedRow>& spare) {
    const std::size_t n = items.size();
    // Below this size the 6 x 2048 counters cost more than comparing does (measured: even at about 700 items).
    if (n < 700) {
        std::stable_sort(items.begin(), items.end(),
                         [](const KeyedRow& a, const KeyedRow& b) { return a.key < b.key; });
        return;
    }
    constexpr int digit_bits = 11, n_digits = 6;
    constexpr std::size_t radix = std::size_t{1} << digit_bits;
    std::vector<std::array<std::uint32_t, radix>> count(n_digits);
    for (const KeyedRow& item : items)
        for (int d = 0; d < n_digits; ++d) ++count[d][(item.key >> (d * digit_bits)) & (radix - 1)];
    spare.resize(n);
    for (int d = 0; d < n_digits; ++d) {
        auto& c = count[d];
        if (std::any_of(c.begin(), c.end(), [n](std::uint32_t x) { return x == n; })) continue;
        std::uint32_t start = 0;
        for (std::uint32_t& x : c) start += std::exchange(x, start);
        for (const KeyedRow& item : items) spare[c[(item.key >> (d * digit_bits)) & (radix - 1)]++] = item;
        items.swap(spare);
    }
}

}  // namespace ceiba::base
