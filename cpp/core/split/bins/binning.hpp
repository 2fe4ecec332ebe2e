// Binning: every numeric column has at most 255 bins. A value becomes one byte, the number of edges below it, so "all
// bins up to b" means exactly "x <= edge[b]". Edges are quantiles of a sample, which affects only the speed: the search
// is exact for any edges. A column with few values has one bin per value (`lossless`); columns with two values may
// share a byte (bundles.hpp).
#pragma once

#include "base/interrupt.hpp"
#include "base/thread_pool.hpp"
#include "data/table.hpp"
#include "data/target.hpp"

namespace ceiba::split {

constexpr int most_bins = 255;
constexpr std::uint8_t missing_bin = 255;

// A column of integers in a small range, with several per bin: each row also stores its integer minus `low` in two
// bytes. The rows of a node are then sorted and counted by integer without reading the table.
struct SmallIntegers {
    static constexpr int bits = 14;
    static constexpr std::uint16_t missing = (1u << bits) - 1;

    double low = 0.0;                         // the value that is stored as 0
    std::size_t offset = 0;                   // of the two bytes among those of a row
    std::uint16_t first = missing, last = 0;  // range of the stored integers

    static std::uint16_t read(const std::uint8_t* at) {
        std::uint16_t integer;
        std::memcpy(&integer, at, sizeof(integer));
        return integer;
    }
    // Returns nothing if the number is not an integer in the range.
    std::optional<std::uint16_t> find(double x) const {
        if (std::isnan(x)) return missing;
        const double from = x - low;  // rounded if x is not an integer
        if (!(from >= 0.0 && from < missing) || x != std::floor(x)) return std::nullopt;
        return static_cast<std::uint16_t>(from);
    }
    // The largest integer that is not above x, which is in the range.
    std::uint16_t up_to(double x) const { return static_cast<std::uint16_t>(std::floor(x - low)); }
};

struct ColumnBins {
    std::vector<double> edge;   // one fewer than bins
    std::vector<double> value;  // lossless: the value of each bin; otherwise empty
    // Bins with several values: the assumed start of each bin, and its 256 parts per width (bin_sort.hpp).
    std::vector<float> part_start, parts_per_width;
    std::optional<SmallIntegers> integers;
    bool any_missing = false;
    std::size_t slot = 0;   // position of this column among the bytes of a row
    std::uint8_t code = 0;  // shared byte: code of the rarer of the two values; 0: the byte is the bin
    std::uint8_t rare = 0;  // shared byte: the bin of the rarer value

    bool bundled() const { return code != 0; }
    bool lossless() const { return !value.empty(); }
    std::size_t n_bins() const { return edge.size() + 1; }
    // The last bin with values that are not above this cut.
    std::uint8_t bin_of_cut(double cut) const;
    // The first and the last of the small integers in a bin with rows.
    std::pair<std::uint16_t, std::uint16_t> integers_of(std::size_t bin) const;
    // The bin of each value of the byte at `slot`.
    std::array<std::uint8_t, 256> bin_of_byte() const;
};

struct Binning {
    std::vector<ColumnBins> column;                 // per column of the table; empty for columns of levels
    std::vector<std::size_t> numeric;               // the columns with bins, ascending
    std::vector<std::vector<std::size_t>> bundles;  // columns that share a byte, by code - 1; these bytes come first
    std::size_t n_slots = 0;
    std::size_t stride = 0;    // bytes per row: slots and small integers, rounded up so that words can be copied
    bool approximate = false;  // cuts are at edges only (max_bins)
};

struct BinOptions {
    int max_bins = most_bins;
    bool approximate = false;

    bool operator==(const BinOptions&) const = default;
};

// Chooses edges for the rows of `target` and fills `bytes` with stride bytes per row. The exact search on a subset of
// the rows uses the bins of the whole table, which are computed once and cached with it.
Binning make_bins(const data::Table& table, const data::TargetRows& target, const BinOptions& options,
                  base::Buffer<std::uint8_t>& bytes, base::ThreadPool& pool, base::Interrupt& interrupt);

// Edges for at most max_bins bins with about equally many of these values (NaN is ignored), or with about equal weight
// if `weights` is not empty. `single`: the column is float32.
std::vector<double> edges_of(const std::vector<double>& values, const std::vector<double>& weights, int max_bins,
                             bool single);
// The rows, out of n_rows, from which the approximate search computes its edges.
std::vector<std::size_t> approximate_sample(std::size_t n_rows);

}  // namespace ceiba::split
