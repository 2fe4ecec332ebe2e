// Columns of whole numbers in a small range, as most counts and codes are: the bin of a value is looked up by the value
// itself, without a search. Integers, or floats that happen to be whole; values that are out of the range, not whole or
// missing are left to the search.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "split/bins/binning.hpp"

namespace ceiba::split {

class WholeNumbers {
public:
    static constexpr std::int64_t most = 8192;          // values between the first and the last
    static constexpr std::uint16_t another = 1u << 8;   // set: the value is not the one of its (lossless) bin
    static constexpr std::uint16_t elsewhere = 1u << 9;  // the search must tell

    WholeNumbers() = default;

    // Of the whole numbers from `low` to `high`; empty if they are too many, or not whole.
    WholeNumbers(const ColumnBins& bins, double low, double high) {
        const bool small = std::abs(low) < 0x1p52 && std::abs(high) < 0x1p52 && high - low < static_cast<double>(most);
        if (!small || low != std::floor(low) || high != std::floor(high)) return;
        low_ = static_cast<std::int64_t>(low);
        for (std::int64_t v = low_; v <= static_cast<std::int64_t>(high); ++v) {
            const double x = static_cast<double>(v);
            const auto b = std::lower_bound(bins.edge.begin(), bins.edge.end(), x) - bins.edge.begin();
            const bool other = bins.lossless() && bins.value[static_cast<std::size_t>(b)] != x;
            bin_.push_back(static_cast<std::uint16_t>(b) | (other ? another : std::uint16_t{0}));
        }
    }

    bool empty() const { return bin_.empty(); }

    // To look values up in a loop that writes bytes: a copy of its own, which those bytes cannot overlap.
    struct View {
        std::int64_t low;
        const std::uint16_t* bin;
        std::size_t n;

        template <class T>
        std::uint16_t find(T x) const {
            if constexpr (std::is_integral_v<T>) {
                const auto value = static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
                const std::uint64_t at = value - static_cast<std::uint64_t>(low);
                return at < n ? bin[at] : elsewhere;
            } else {
                const T from = x - static_cast<T>(low);
                if (!(from >= T{0} && from < static_cast<T>(n))) return elsewhere;
                const auto at = static_cast<std::int32_t>(from);
                return static_cast<T>(at) == from ? bin[static_cast<std::size_t>(at)] : elsewhere;
            }
        }
    };
    View view() const { return {low_, bin_.data(), bin_.size()}; }

private:
    std::int64_t low_ = 0;
    std::vector<std::uint16_t> bin_;
};

}  // namespace ceiba::split
