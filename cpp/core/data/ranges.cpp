#include "data/ranges.hpp"

#include "base/processor/wide_registers.hpp"
#include "data/table.hpp"

namespace ceiba::data {

namespace {

// Compares so that NaN changes nothing, in the form that compilers turn into one instruction.
template <class T, class Count>
inline void widen(T x, T& low, T& high, Count& n_missing) {
    low = x < low ? x : low;
    high = x > high ? x : high;
    n_missing += x != x;
}

// Row after row of n values.
template <class T, class Count>
inline void widen_rows(const T* x, std::size_t n_rows, std::int64_t stride, std::size_t n, T* low, T* high,
                       Count* n_missing) {
    for (std::size_t i = 0; i < n_rows; ++i, x += stride)
        for (std::size_t c = 0; c < n; ++c) widen(x[c], low[c], high[c], n_missing[c]);
}

#if defined(CEIBA_HAS_WIDE)
// Narrower registers hold two numbers of eight bytes, and do not compare them if they are integers.
template <class T, class Count>
CEIBA_WIDE void widen_wide(const T* x, std::size_t n_rows, std::int64_t stride, std::size_t n, T* low, T* high,
                           Count* n_missing) {
    for (std::size_t i = 0; i < n_rows; ++i, x += stride)
        for (std::size_t c = 0; c < n; ++c) widen(x[c], low[c], high[c], n_missing[c]);
}
#endif

// What is known so far of n columns, or of n lanes of one.
template <class T>
struct Seen {
    using Limits = std::numeric_limits<T>;
    static constexpr T top = Limits::has_infinity ? Limits::infinity() : Limits::max();
    static constexpr T bottom = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();

    // As wide as a value, so that they are counted as they are compared.
    using Count = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

    std::vector<T> low, high;
    std::vector<Count> n_missing;

    explicit Seen(std::size_t n) : low(n, top), high(n, bottom), n_missing(n, 0) {}

    void widen_all(const T* x, std::size_t n_rows, std::int64_t stride) {
#if defined(CEIBA_HAS_WIDE)
        if constexpr (sizeof(T) == 8)
            if (base::has_wide_registers())
                return widen_wide(x, n_rows, stride, low.size(), low.data(), high.data(), n_missing.data());
#endif
        widen_rows(x, n_rows, stride, low.size(), low.data(), high.data(), n_missing.data());
    }
};

// One column. Without gaps in memory it is read as rows of several values: a comparison need not wait for the last one.
template <class T>
void widen_column(const T* x, std::size_t n_rows, std::int64_t stride, std::size_t c, Seen<T>& out) {
    constexpr std::size_t n_lanes = 16;
    T low = Seen<T>::top, high = Seen<T>::bottom;
    typename Seen<T>::Count missing = 0;
    std::size_t done = 0;
    if (stride == 1 && n_rows >= 4 * n_lanes) {
        Seen<T> lanes(n_lanes);
        lanes.widen_all(x, n_rows / n_lanes, n_lanes);
        done = n_rows / n_lanes * n_lanes;
        low = *std::min_element(lanes.low.begin(), lanes.low.end());
        high = *std::max_element(lanes.high.begin(), lanes.high.end());
        missing = std::accumulate(lanes.n_missing.begin(), lanes.n_missing.end(), missing);
    }
    for (std::size_t i = done; i < n_rows; ++i) widen(x[static_cast<std::int64_t>(i) * stride], low, high, missing);
    out.low[c] = low, out.high[c] = high, out.n_missing[c] = missing;
}

}  // namespace

template <class T>
Ranges ranges_of(const MatrixView<T>& m) {
    const std::size_t k = m.n_columns;
    Seen<T> seen(k);
    if (m.column_stride == 1)
        seen.widen_all(m.data, m.n_rows, m.row_stride);
    else
        for (std::size_t c = 0; c < k; ++c)
            widen_column(m.data + static_cast<std::int64_t>(c) * m.column_stride, m.n_rows, m.row_stride, c, seen);
    Ranges out;
    out.values.resize(3 * k);
    for (std::size_t c = 0; c < k; ++c) {
        const bool none = seen.n_missing[c] == m.n_rows;
        if constexpr (std::is_floating_point_v<T>)
            out.is_finite = out.is_finite && (none || (std::isfinite(seen.low[c]) && std::isfinite(seen.high[c])));
        out.values[c] = static_cast<double>(seen.n_missing[c]);
        // + 0 turns -0 into 0: which of them came first depends on the layout.
        out.values[k + c] = none ? std::nan("") : static_cast<double>(seen.low[c]) + 0.0;
        out.values[2 * k + c] = none ? std::nan("") : static_cast<double>(seen.high[c]) + 0.0;
    }
    return out;
}

template Ranges ranges_of(const MatrixView<double>&);
template Ranges ranges_of(const MatrixView<float>&);
template Ranges ranges_of(const MatrixView<std::int64_t>&);
template Ranges ranges_of(const MatrixView<std::int32_t>&);
template Ranges ranges_of(const MatrixView<std::int16_t>&);
template Ranges ranges_of(const MatrixView<std::int8_t>&);
template Ranges ranges_of(const MatrixView<std::uint32_t>&);
template Ranges ranges_of(const MatrixView<std::uint16_t>&);
template Ranges ranges_of(const MatrixView<std::uint8_t>&);

Ranges ranges_of(const SparseMatrix& m) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    struct SeenColumn {  // together, because columns come in any order
        double low = infinity, high = -infinity;
        std::uint32_t n_missing = 0, n_stored = 0;
    };
    std::vector<SeenColumn> seen(m.n_columns);
    Ranges out;
    for (std::size_t major = 0; major < m.n_major(); ++major)
        for (std::size_t i = m.start(major); i < m.start(major + 1); ++i) {
            const std::size_t c = m.by_rows ? m.index(i) : major;
            const double x = m.value(i);
            out.is_finite = out.is_finite && !std::isinf(x);
            widen(x, seen[c].low, seen[c].high, seen[c].n_missing);
            ++seen[c].n_stored;
        }
    const std::size_t k = m.n_columns;
    out.values.resize(3 * k);
    for (std::size_t c = 0; c < k; ++c) {
        double low = seen[c].low, high = seen[c].high;
        if (seen[c].n_stored < m.n_rows) low = low < 0.0 ? low : 0.0, high = high > 0.0 ? high : 0.0;
        const bool none = low > high;
        out.values[c] = seen[c].n_missing;
        out.values[k + c] = none ? std::numeric_limits<double>::quiet_NaN() : low;
        out.values[2 * k + c] = none ? std::numeric_limits<double>::quiet_NaN() : high;
    }
    return out;
}

std::optional<Coded> code_integers(const std::int64_t* values, std::size_t n, std::int64_t stride) {
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
