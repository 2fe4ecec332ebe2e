// Exact sums of doubles that do not depend on the order of their terms: 32-bit digits in 64-bit words, which are added
// word by word; carries wait. 2^31 terms fit between two carries, and so do 2^31 sums that were carried.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/double_double.hpp"
#include "base/fixed_point.hpp"

namespace ceiba::shards {

// The digits of one number, a multiple of 2^unit: at most three words beginning at `at`.
struct NumberDigits {
    std::size_t at = 0;
    std::uint64_t word[3] = {0, 0, 0};

    NumberDigits(double x, int unit) {
        base::Digits d(x);
        if (d.digits == 0) return;
        const int shift = d.to_unit(unit), rest = shift % 32;
        at = static_cast<std::size_t>(shift / 32);
        const std::uint64_t low = d.digits << rest, high = rest > 0 ? d.digits >> (64 - rest) : 0;
        word[0] = low & 0xFFFFFFFFu, word[1] = low >> 32, word[2] = high;
        if (x < 0.0)
            for (std::uint64_t& w : word) w = ~w + 1;
    }
    void add_to(std::uint64_t* digits) const {
        for (std::size_t j = 0; j < 3; ++j)
            if (word[j] != 0) digits[at + j] += word[j];
    }
};

// Words for numbers whose bits lie from 2^lowest to below 2^highest.
inline std::size_t digits_for(int lowest, int highest) {
    return highest <= lowest ? 1 : static_cast<std::size_t>((highest - lowest + 31) / 32);
}

// Every finite double is a multiple of 2^-1074.
constexpr int any_unit = -1074;
constexpr std::size_t any_digits = (1024 + 1074 + 31) / 32 + 1;

// Carries: all digits but the last are below 2^32 then, and the last has the sign. The same sums are the same words.
inline void carry(std::uint64_t* digits, std::size_t n) {
    std::int64_t rest = 0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
        const std::int64_t v = static_cast<std::int64_t>(digits[i]) + rest;
        digits[i] = static_cast<std::uint64_t>(v) & 0xFFFFFFFFu;
        rest = v >> 32;
    }
    if (n > 0) digits[n - 1] += static_cast<std::uint64_t>(rest);
}

inline base::LongSum sum_of(const std::uint64_t* digits, std::size_t n, int unit) {
    std::vector<std::int64_t> carried(n + 2, 0);
    double sign = 1.0;
    const auto carry_all = [&](bool flip) {
        std::int64_t carry = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const auto digit = static_cast<std::int64_t>(digits[i]);
            const std::int64_t v = (flip ? -digit : digit) + carry;
            carried[i] = v & 0xFFFFFFFF;
            carry = v >> 32;
        }
        carried[n] = carry & 0xFFFFFFFF;
        carried[n + 1] = carry >> 32;
        return carry;
    };
    if (carry_all(false) < 0) sign = -1.0, carry_all(true);
    base::LongSum sum;
    for (std::size_t i = n + 2; i-- > 0;)
        if (carried[i] != 0)
            sum.add(sign * std::ldexp(static_cast<double>(carried[i]), 32 * static_cast<int>(i) + unit));
    return sum;
}

}  // namespace ceiba::shards
