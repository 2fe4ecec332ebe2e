// Blocks of rows during routing: lanes, missing values, copies of columns, and prefetching of the next block (20
// columns are more streams than a processor prefetches on its own; 1M x 20: 41 ms -> 33 ms).
#pragma once

#include "data/table.hpp"

namespace ceiba::predict {

// Eight rows are routed together: their cache misses overlap, and no branch is mispredicted.
//
// The two branches of a node are adjacent, so a step is first child + (x > cut). A leaf is its own first child, with
// the cut +infinity: a row stays at its leaf until the last of the eight rows has reached one. (Prototypes on 1M rows,
// 13,270 leaves, depth 34: 8 rows 32 ms, 12 rows 34 ms, 16 rows 47 ms. Another prototype moved a block of 256 rows step
// by step, without the rows at leaves: 43 ms against 31 ms for 8 rows.)
constexpr std::size_t lanes = 8;
// The bit of a first child that sends missing values to the second child.
constexpr std::uint32_t missing_second = 1u << 31;

// Routes n rows. step(at, row, unsure) returns the node after `at`, and sets unsure (to nonzero) if it may be wrong.
// `least`: the least depth of a leaf. prefetch(first row) is called before each eight rows, and redo(first row) after
// eight rows with an unsure step.
template <class Step, class RowStep, class Prefetch, class Redo>
void route_lanes(std::size_t n, const char* data, RowStep row_step, std::uint32_t least, const std::int32_t* id,
                 std::int32_t* out, const Step step, Prefetch prefetch, Redo redo) {
    std::size_t first = 0;
    for (; first + lanes <= n; first += lanes) {
        prefetch(first);
        const char* rows[lanes];
        for (std::size_t l = 0; l < lanes; ++l) rows[l] = data + static_cast<std::ptrdiff_t>(first + l) * row_step;
        std::uint32_t at[lanes] = {};
        std::uint32_t moved, unsure = 0;
        for (std::uint32_t s = 0; s < least; ++s)
            for (std::size_t l = 0; l < lanes; ++l) at[l] = step(at[l], rows[l], unsure);
        do {  // two steps per check, because a leaf leads to itself
            for (std::size_t l = 0; l < lanes; ++l) at[l] = step(at[l], rows[l], unsure);
            moved = 0;
            for (std::size_t l = 0; l < lanes; ++l) {
                const std::uint32_t next = step(at[l], rows[l], unsure);
                moved |= next ^ at[l];
                at[l] = next;
            }
        } while (moved);
        for (std::size_t l = 0; l < lanes; ++l) out[first + l] = id[at[l]];
        if (unsure) redo(first);
    }
    std::uint32_t unsure = 0;
    for (std::size_t i = first; i < n; ++i) {
        const char* const row = data + static_cast<std::ptrdiff_t>(i) * row_step;
        std::uint32_t at = 0;
        for (std::uint32_t next; (next = step(at, row, unsure)) != at;) at = next;
        out[i] = id[at];
    }
    if (unsure) redo(first);
}

template <class T>
bool any_missing(const T* values, std::size_t n) {
    std::size_t i = 0;
#if defined(__GNUC__)
    // Four independent registers. GCC does not find this on its own.
    using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    typedef T Values __attribute__((vector_size(16)));
    typedef Bits Mask __attribute__((vector_size(16)));
    constexpr std::size_t width = 16 / sizeof(T);
    Mask missing[4] = {};
    for (Values next[4]; i + 4 * width <= n; i += 4 * width) {
        std::memcpy(next, values + i, sizeof next);
        for (std::size_t k = 0; k < 4; ++k) missing[k] |= next[k] != next[k];
    }
    const Mask any = (missing[0] | missing[1]) | (missing[2] | missing[3]);
    for (std::size_t k = 0; k < width; ++k)
        if (any[k]) return true;
#endif
    return std::any_of(values + i, values + n, [](T value) { return value != value; });
}

// Prefetches the rows of the next block while those of the current one are routed, in pieces: column by column.
class Prefetch {
public:
    void add(const char* data, std::ptrdiff_t stride) {
        if (stride <= 0) return;
        const std::size_t step = static_cast<std::size_t>(stride);
        if (!streams_.empty() && streams_.back().stride == step) {
            const auto address = [](const char* at) { return reinterpret_cast<std::uintptr_t>(at); };
            const std::uintptr_t a = address(data), b = address(streams_.back().data);
            if (std::max(a, b) - std::min(a, b) < step) return;  // a column of the same rows
        }
        streams_.push_back({data, step});
    }
    // Prefetches a piece of the rows [begin, begin + n) while eight rows from `done` on are routed.
    void operator()(std::size_t begin, std::size_t n, std::size_t done) const {
#if defined(__GNUC__)
        const std::uint64_t size = std::uint64_t{streams_.size()} * n;  // values
        for (std::uint64_t k = size * done / n; k < size * (done + lanes) / n;) {
            const Stream& s = streams_[k / n];
            const std::uint64_t row = k % n, rows = std::min<std::uint64_t>(n - row, size * (done + lanes) / n - k);
            const char* const at = s.data + (begin + row) * s.stride;
            for (std::size_t b = 0; b < rows * s.stride; b += 64) __builtin_prefetch(at + b);
            k += rows;
        }
#else
        static_cast<void>(begin + n + done);
#endif
    }

    // The number of cache lines of these rows, which need not start with a line.
    std::size_t n_lines(std::size_t n_rows) const {
        std::size_t lines = 0;
        for (const Stream& s : streams_) lines += n_rows * s.stride / 64 + 1;
        return lines;
    }

private:
    friend class LinePrefetch;
    struct Stream {
        const char* data;
        std::size_t stride;
    };
    std::vector<Stream> streams_;
};

// Prefetches the rows [begin, begin + n) line by line, a few lines per call, in about n calls.
class LinePrefetch {
public:
    LinePrefetch(const Prefetch& prefetch, std::size_t begin, std::size_t n)
        : stream_(prefetch.streams_.data()),
          last_(stream_ + prefetch.streams_.size()),
          begin_(begin),
          n_(n),
          at_once_(n == 0 ? 0 : (prefetch.n_lines(n) + n - 1) / n) {
        if (stream_ != last_) enter();
    }

    void operator()() {
#if defined(__GNUC__)
        for (std::size_t k = 0; k < at_once_ && stream_ != last_; ++k) {
            __builtin_prefetch(at_, 0, 2);  // into the L2 cache, because L1 is full
            at_ += 64;
            if (at_ >= end_ && ++stream_ != last_) enter();
        }
#endif
    }

private:
    void enter() {
        const char* const data = stream_->data + begin_ * stream_->stride;
        at_ = data - reinterpret_cast<std::uintptr_t>(data) % 64;
        end_ = data + n_ * stream_->stride;
    }

    const Prefetch::Stream *stream_, *last_;
    std::size_t begin_, n_, at_once_;
    const char *at_ = nullptr, *end_ = nullptr;
};

// Returns the callback of the walk of a block: it prefetches the next block, if that is a whole one.
inline auto next_block(const Prefetch& prefetch, std::size_t after, std::size_t n, std::size_t n_rows) {
    return [&prefetch, after, n, whole = after + n <= n_rows](std::size_t done) {
        if (whole) prefetch(after, n, done);
    };
}

// The largest float32 that is not above the cut.
float not_above(double cut);
// The nearest float32, as for values; too large numbers become infinite.
float nearest(double cut);

// Copies contiguous values, float64 as the nearest float32. Returns true if some value is missing.
bool narrow_values(const float* from, std::size_t n, float* out);
bool narrow_values(const double* from, std::size_t n, float* out);

// Copies n values of a column. Returns true if some value is missing.
inline bool narrow_column(const data::Column& column, std::size_t begin, std::size_t n, float* out) {
    const auto copy = [&]<class T>(const T* values) {
        if (column.stride() == static_cast<std::ptrdiff_t>(sizeof(T))) return narrow_values(values + begin, n, out);
        for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(column.fast<T>(begin + i));
        return any_missing(out, n);
    };
    if (column.is<float>()) return copy(reinterpret_cast<const float*>(column.data()));
    if (column.is<double>()) return copy(reinterpret_cast<const double*>(column.data()));
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(column.number(begin + i));
    return any_missing(out, n);
}

}  // namespace ceiba::predict
