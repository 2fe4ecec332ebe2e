// One look at the data before a fit: ranges of columns, classes of a target. For small tables the same in numpy costs
// more than growing the tree; for large ones it takes twice as many passes over the memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace ceiba::data {

template <class T>
struct MatrixView {
    const T* data;
    std::size_t n_rows, n_columns;
    std::int64_t row_stride, column_stride;  // in values
};

struct Ranges {
    // for all columns the missing values, then the minima, then the maxima (NaN: all missing)
    std::vector<double> values;
    bool is_finite = true;
};

// Compares so that NaN changes nothing, in the form that compilers turn into one instruction.
template <class T>
void widen(T x, T& low, T& high, std::uint32_t& n_missing) {
    low = x < low ? x : low;
    high = x > high ? x : high;
    n_missing += x != x;
}

template <class T>
Ranges ranges_of(const MatrixView<T>& m) {
    using Limits = std::numeric_limits<T>;
    constexpr T top = Limits::has_infinity ? Limits::infinity() : Limits::max();
    constexpr T bottom = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    const std::size_t k = m.n_columns;
    std::vector<T> low(k, top), high(k, bottom);
    std::vector<std::uint32_t> n_missing(k, 0);
    if (m.column_stride == 1) {
        for (std::size_t i = 0; i < m.n_rows; ++i) {
            const T* const row = m.data + static_cast<std::int64_t>(i) * m.row_stride;
            T *const lows = low.data(), *const highs = high.data();
            std::uint32_t* const missing = n_missing.data();
            for (std::size_t c = 0; c < k; ++c) widen(row[c], lows[c], highs[c], missing[c]);
        }
    } else {
        for (std::size_t c = 0; c < k; ++c) {
            const T* const column = m.data + static_cast<std::int64_t>(c) * m.column_stride;
            T lowest = top, highest = bottom;
            std::uint32_t missing = 0;
            for (std::size_t i = 0; i < m.n_rows; ++i)
                widen(column[static_cast<std::int64_t>(i) * m.row_stride], lowest, highest, missing);
            low[c] = lowest, high[c] = highest, n_missing[c] = missing;
        }
    }
    Ranges out;
    out.values.resize(3 * k);
    for (std::size_t c = 0; c < k; ++c) {
        const bool none = n_missing[c] == m.n_rows;
        if constexpr (Limits::has_infinity)
            out.is_finite = out.is_finite && (none || (low[c] > bottom && high[c] < top));
        out.values[c] = n_missing[c];
        out.values[k + c] = none ? std::nan("") : static_cast<double>(low[c]);
        out.values[2 * k + c] = none ? std::nan("") : static_cast<double>(high[c]);
    }
    return out;
}

struct Coded {
    std::vector<std::int64_t> classes;  // ascending
    std::vector<std::int32_t> codes;
};

// Whole numbers as positions among their distinct values; nothing if their range is much larger than their number.
inline std::optional<Coded> code_integers(const std::int64_t* values, std::size_t n, std::int64_t stride) {
    if (n == 0) return Coded{};
    const auto at = [&](std::size_t i) { return values[static_cast<std::int64_t>(i) * stride]; };
    std::int64_t low = at(0), high = low;
    for (std::size_t i = 1; i < n; ++i) low = std::min(low, at(i)), high = std::max(high, at(i));
    const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    if (span > 4 * static_cast<std::uint64_t>(n) + 1024) return std::nullopt;
    const auto offset = [&](std::size_t i) { return static_cast<std::size_t>(at(i) - low); };
    std::vector<std::int32_t> code_of(static_cast<std::size_t>(span) + 1, -1);
    for (std::size_t i = 0; i < n; ++i) code_of[offset(i)] = 0;
    Coded out;
    for (std::size_t v = 0; v < code_of.size(); ++v)
        if (code_of[v] == 0) {
            code_of[v] = static_cast<std::int32_t>(out.classes.size());
            out.classes.push_back(low + static_cast<std::int64_t>(v));
        }
    out.codes.resize(n);
    for (std::size_t i = 0; i < n; ++i) out.codes[i] = code_of[offset(i)];
    return out;
}

}  // namespace ceiba::data
