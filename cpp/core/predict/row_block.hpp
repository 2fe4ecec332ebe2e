// Blocks of rows on their path: lanes, missing values, copies of columns, and prefetching of the next block (20 columns
// are more streams than a processor follows by itself; 1M x 20: 41 ms -> 33 ms).
#pragma once

#include "data/table.hpp"

namespace ceiba::predict {

// Eight rows go down a tree together: their cache misses overlap, and no branch is mispredicted.
//
// The two branches of a node stand next to each other, so a step is  first child + (x > cut). A leaf is its own first
// child, with the cut +infinity: rows that have arrived walk on the spot until the last of the eight has arrived.
// (Sketches on 1M rows, 13,270 leaves, depth 34: 8 rows 32 ms, 12 rows 34 ms, 16 rows 47 ms. Another: one step for a
// block of 256 rows at a time, without those that have arrived, 43 ms against 31 ms for 8 rows.)
constexpr std::size_t lanes = 8;
// The bit of a first child that sends rows without a value to the second one.
constexpr std::uint32_t missing_second = 1u << 31;

// Routes n rows; step(at, row, unsure) gives the node after `at`, and sets unsure (to other than 0) if it may be wrong.
// `least`: no leaf is nearer to the root than this. Before each eight rows, ahead(first of them) may ask for what comes
// later. Where a step was not sure, aside(first row of the eight) is called.
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
        do {  // two steps to a look: a leaf leads to itself
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
    // Four registers that do not wait for each other. GCC does not see this by itself.
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

// Asks for the rows of the next block while those of this one go down, a part at a time: one column after the other.
class Prefetch {
public:
    void add(const char* data, std::ptrdiff_t stride) {
        if (stride > 0) streams_.push_back({data, static_cast<std::size_t>(stride)});
    }
    // The part of the rows [begin, begin + n) that is asked for when eight rows from `done` on go down.
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

    // Lines of the cache that rows take up.
    std::size_t n_lines(std::size_t n_rows) const {
        std::size_t bytes = 0;
        for (const Stream& s : streams_) bytes += n_rows * s.stride;
        return bytes / 64;
    }

private:
    friend class LinePrefetch;
    struct Stream {
        const char* data;
        std::size_t stride;
    };
    std::vector<Stream> streams_;
};

// Asks for the rows [begin, begin + n) line after line, a few at each call, of which there are about n.
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
            __builtin_prefetch(at_, 0, 2);  // into the second cache: the first is full
            at_ += 64;
            if (at_ >= end_ && ++stream_ != last_) enter();
        }
#endif
    }

private:
    void enter() {
        at_ = stream_->data + begin_ * stream_->stride;
        end_ = at_ + n_ * stream_->stride;
    }

    const Prefetch::Stream *stream_, *last_;
    std::size_t begin_, n_, at_once_;
    const char *at_ = nullptr, *end_ = nullptr;
};

// Returns what the walk of a block calls as it goes on: it prefetches the next block, if that is a whole one.
inline auto next_block(const Prefetch& prefetch, std::size_t after, std::size_t n, std::size_t n_rows) {
    return [&prefetch, after, n, whole = after + n <= n_rows](std::size_t done) {
        if (whole) prefetch(after, n, done);
    };
}

// The largest float32 that is not above the cut.
float not_above(double cut);
// To the nearest, as values are; what is too large for float32 is infinite.
float nearest(double cut);

// Copies values that lie in one piece, float64 to the nearest float32; true: one of them is missing.
bool narrow_values(const float* from, std::size_t n, float* out);
bool narrow_values(const double* from, std::size_t n, float* out);

// Copies n values of a column; true: one of them is missing.
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
