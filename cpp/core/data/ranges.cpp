#include "data/ranges.hpp"

#include "base/processor/wide_registers.hpp"
#include "base/shared_buffer.hpp"
#include "data/table.hpp"

namespace ceiba::data {

namespace {

// NaN compares as false and changes nothing. Compilers turn each line into one instruction.
template <class T, class Count>
inline void widen(T x, T& low, T& high, Count& n_missing) {
    low = x < low ? x : low;
    high = x > high ? x : high;
    n_missing += x != x;
}

// Updates the ranges of n columns, row after row.
template <class T, class Count>
inline void widen_rows(const T* x, std::size_t n_rows, std::int64_t stride, std::size_t n, T* low, T* high,
                       Count* n_missing) {
    for (std::size_t i = 0; i < n_rows; ++i, x += stride)
        for (std::size_t c = 0; c < n; ++c) widen(x[c], low[c], high[c], n_missing[c]);
}

#if defined(CEIBA_HAS_WIDE)
// The same compiled for AVX-512: narrower registers hold two 8-byte numbers, and cannot compare 8-byte integers.
template <class T, class Count>
CEIBA_WIDE void widen_wide(const T* x, std::size_t n_rows, std::int64_t stride, std::size_t n, T* low, T* high,
                           Count* n_missing) {
    for (std::size_t i = 0; i < n_rows; ++i, x += stride)
        for (std::size_t c = 0; c < n; ++c) widen(x[c], low[c], high[c], n_missing[c]);
}
#endif

// The ranges so far of n columns, or of n lanes of one column.
template <class T>
struct Extremes {
    using Limits = std::numeric_limits<T>;
    static constexpr T top = Limits::has_infinity ? Limits::infinity() : Limits::max();
    static constexpr T bottom = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();

    // Counters as wide as the values, so that one vector loop updates both.
    using Count = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

    std::vector<T> low, high;
    std::vector<Count> n_missing;

    explicit Extremes(std::size_t n) : low(n, top), high(n, bottom), n_missing(n, 0) {}

    void widen_all(const T* x, std::size_t n_rows, std::int64_t stride) {
#if defined(CEIBA_HAS_WIDE)
        if constexpr (sizeof(T) == 8)
            if (base::has_wide_registers())
                return widen_wide(x, n_rows, stride, low.size(), low.data(), high.data(), n_missing.data());
#endif
        widen_rows(x, n_rows, stride, low.size(), low.data(), high.data(), n_missing.data());
    }
};

// One column. A contiguous column is read as rows of 16 lanes, so that a comparison need not wait for the previous one.
template <class T>
void widen_column(const T* x, std::size_t n_rows, std::int64_t stride, std::size_t c, Extremes<T>& out) {
    constexpr std::size_t n_lanes = 16;
    T low = Extremes<T>::top, high = Extremes<T>::bottom;
    typename Extremes<T>::Count missing = 0;
    std::size_t done = 0;
    if (stride == 1 && n_rows >= 4 * n_lanes) {
        Extremes<T> lanes(n_lanes);
        lanes.widen_all(x, n_rows / n_lanes, n_lanes);
        done = n_rows / n_lanes * n_lanes;
        low = *std::min_element(lanes.low.begin(), lanes.low.end());
        high = *std::max_element(lanes.high.begin(), lanes.high.end());
        missing = std::accumulate(lanes.n_missing.begin(), lanes.n_missing.end(), missing);
    }
    for (std::size_t i = done; i < n_rows; ++i) widen(x[static_cast<std::int64_t>(i) * stride], low, high, missing);
    out.low[c] = low, out.high[c] = high, out.n_missing[c] = missing;
}

// A row of a narrow matrix does not fill a register, so several rows that lie side by side are read as one wider row.
template <class T>
void widen_narrow(const T* x, std::size_t n_rows, Extremes<T>& out) {
    constexpr std::size_t n_lanes = 32;
    const std::size_t k = out.low.size(), together = n_lanes / k, done = n_rows / together * together;
    Extremes<T> lanes(together * k);
    lanes.widen_all(x, n_rows / together, static_cast<std::int64_t>(together * k));
    for (std::size_t i = 0; i < together * k; ++i) {
        out.low[i % k] = std::min(out.low[i % k], lanes.low[i]);
        out.high[i % k] = std::max(out.high[i % k], lanes.high[i]);
        out.n_missing[i % k] += lanes.n_missing[i];
    }
    out.widen_all(x + done * k, n_rows - done, static_cast<std::int64_t>(k));
}

}  // namespace

template <class T>
Ranges ranges_of(const MatrixView<T>& m, base::ThreadPool* pool) {
    const std::size_t k = m.n_columns;
    constexpr std::size_t values_at_once = std::size_t{1} << 17;
    const Extremes<T> extremes = base::merge_blocks(
        pool, m.n_rows, Extremes<T>(k),
        [&](Extremes<T>& part, std::size_t from, std::size_t to) {
            const T* const first = m.data + static_cast<std::int64_t>(from) * m.row_stride;
            if (m.column_stride == 1 && m.row_stride == static_cast<std::int64_t>(k) && k <= 8)
                return widen_narrow(first, to - from, part);
            if (m.column_stride == 1) return part.widen_all(first, to - from, m.row_stride);
            for (std::size_t c = 0; c < k; ++c)
                widen_column(first + static_cast<std::int64_t>(c) * m.column_stride, to - from, m.row_stride, c, part);
        },
        [](Extremes<T>& all, const Extremes<T>& more) {
            for (std::size_t c = 0; c < all.low.size(); ++c) {
                all.low[c] = std::min(all.low[c], more.low[c]);
                all.high[c] = std::max(all.high[c], more.high[c]);
                all.n_missing[c] += more.n_missing[c];
            }
        },
        std::max<std::size_t>(64, values_at_once / k));
    Ranges out;
    out.values.resize(3 * k);
    for (std::size_t c = 0; c < k; ++c) {
        const bool none = extremes.n_missing[c] == m.n_rows;
        if constexpr (std::is_floating_point_v<T>)
            out.is_finite =
                out.is_finite && (none || (std::isfinite(extremes.low[c]) && std::isfinite(extremes.high[c])));
        out.values[c] = static_cast<double>(extremes.n_missing[c]);
        // Adding 0 turns -0 into 0: which of the two came first depends on the layout.
        out.values[k + c] = none ? std::nan("") : static_cast<double>(extremes.low[c]) + 0.0;
        out.values[2 * k + c] = none ? std::nan("") : static_cast<double>(extremes.high[c]) + 0.0;
    }
    return out;
}

template Ranges ranges_of(const MatrixView<double>&, base::ThreadPool*);
template Ranges ranges_of(const MatrixView<float>&, base::ThreadPool*);
template Ranges ranges_of(const MatrixView<std::int64_t>&, base::ThreadPool*);
template Ranges ranges_of(const MatrixView<std::int32_t>&, base::ThreadPool*);
template Ranges ranges_of(const MatrixView<std::int16_t>&, base::ThreadPool*);
template Ranges ranges_of(const MatrixView<std::int8_t>&, base::ThreadPool*);
template Ranges ranges_of(const MatrixView<std::uint32_t>&, base::ThreadPool*);
template Ranges ranges_of(const MatrixView<std::uint16_t>&, base::ThreadPool*);
template Ranges ranges_of(const MatrixView<std::uint8_t>&, base::ThreadPool*);

Ranges ranges_of(const SparseMatrix& m) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    struct SeenColumn {  // one struct, because columns come in any order
        double low = infinity, high = -infinity;
        std::uint32_t n_missing = 0, n_stored = 0;
    };
    std::vector<SeenColumn> extremes(m.n_columns);
    Ranges out;
    for (std::size_t major = 0; major < m.n_major(); ++major)
        for (std::size_t i = m.start(major); i < m.start(major + 1); ++i) {
            const std::size_t c = m.by_rows ? m.index(i) : major;
            const double x = m.value(i);
            out.is_finite = out.is_finite && !std::isinf(x);
            widen(x, extremes[c].low, extremes[c].high, extremes[c].n_missing);
            ++extremes[c].n_stored;
        }
    const std::size_t k = m.n_columns;
    out.values.resize(3 * k);
    for (std::size_t c = 0; c < k; ++c) {
        double low = extremes[c].low, high = extremes[c].high;
        if (extremes[c].n_stored < m.n_rows) low = low < 0.0 ? low : 0.0, high = high > 0.0 ? high : 0.0;
        const bool none = low > high;
        out.values[c] = extremes[c].n_missing;
        out.values[k + c] = none ? std::numeric_limits<double>::quiet_NaN() : low;
        out.values[2 * k + c] = none ? std::numeric_limits<double>::quiet_NaN() : high;
    }
    return out;
}

std::optional<Coded> code_integers(const std::int64_t* values, std::size_t n, std::int64_t stride,
                                   base::ThreadPool* pool) {
    if (n == 0) return Coded{};
    const auto at = [&](std::size_t i) { return values[static_cast<std::int64_t>(i) * stride]; };
    using Ends = std::pair<std::int64_t, std::int64_t>;
    const auto [low, high] = base::merge_blocks(
        pool, n, Ends(at(0), at(0)),
        [&](Ends& part, std::size_t from, std::size_t to) {
            for (std::size_t i = from; i < to; ++i) part = {std::min(part.first, at(i)), std::max(part.second, at(i))};
        },
        [](Ends& all, const Ends& more) {
            all = {std::min(all.first, more.first), std::max(all.second, more.second)};
        });
    const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    if (span > 4 * static_cast<std::uint64_t>(n) + 1024) return std::nullopt;
    const auto offset = [&, least = low](std::size_t i) { return static_cast<std::size_t>(at(i) - least); };
    const std::size_t n_values = static_cast<std::size_t>(span) + 1;
    using Extremes = std::vector<std::uint8_t>;
    const Extremes extremes = base::merge_blocks(
        pool, n, Extremes(n_values, 0),
        [&](Extremes& part, std::size_t from, std::size_t to) {
            for (std::size_t i = from; i < to; ++i) part[offset(i)] = 1;
        },
        [](Extremes& all, const Extremes& more) {
            for (std::size_t v = 0; v < all.size(); ++v) all[v] |= more[v];
        },
        std::max(base::block_rows, 16 * n_values));
    std::vector<std::int32_t> code_of(n_values, -1);
    Coded out;
    for (std::size_t v = 0; v < n_values; ++v)
        if (extremes[v]) {
            code_of[v] = static_cast<std::int32_t>(out.classes.size());
            out.classes.push_back(low + static_cast<std::int64_t>(v));
        }
    base::resize(out.codes, n, pool);
    base::for_blocks(pool, n, [&](std::size_t, std::size_t from, std::size_t to, int) {
        for (std::size_t i = from; i < to; ++i) out.codes[i] = code_of[offset(i)];
    });
    return out;
}

}  // namespace ceiba::data
