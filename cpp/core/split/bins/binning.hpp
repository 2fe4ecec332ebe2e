// Binning: every numeric column gets at most 255 bins, and a value becomes one byte, the number of edges below it; so
// "all bins up to b" is exactly "x <= edge[b]". Edges are quantiles of a sample, which decides speed only: the search
// is exact for any edges. A column with few values gets one bin for each (`lossless`); columns of two values may share
// a byte (bundles.hpp).
#pragma once

#include "base/interrupt.hpp"
#include "base/thread_pool.hpp"
#include "data/table.hpp"
#include "data/target.hpp"

namespace ceiba::split {

constexpr int most_bins = 255;
constexpr std::uint8_t missing_bin = 255;

struct ColumnBins {
    std::vector<double> edge;   // one fewer than bins
    std::vector<double> value;  // lossless: the value of each bin; otherwise empty
    // Several values per bin: where a bin is taken to begin, and its 256 parts per width (bin_sort.hpp).
    std::vector<float> part_start, parts_per_width;
    bool any_missing = false;
    std::size_t slot = 0;   // place of this column among the bytes of a row
    std::uint8_t code = 0;  // in a shared byte: the one for the rare of two values; 0: the byte is the bin
    std::uint8_t rare = 0;  // the bin of that value

    bool bundled() const { return code != 0; }
    bool lossless() const { return !value.empty(); }
    std::size_t n_bins() const { return edge.size() + 1; }
    // The last bin with values that are not above this cut.
    std::uint8_t bin_of_cut(double cut) const;
    // From a byte at `slot` to the bin.
    std::array<std::uint8_t, 256> bin_of_byte() const;
};

struct Binning {
    std::vector<ColumnBins> column;                 // per column of the table; those of columns of levels stay empty
    std::vector<std::size_t> numeric;               // the columns that have bins, ascending
    std::vector<std::vector<std::size_t>> bundles;  // columns that share a byte, by code - 1; these bytes come first
    std::size_t n_slots = 0;
    std::size_t stride = 0;    // bytes per row: the slots, rounded up so that rows can be copied in words
    bool approximate = false;  // cuts are made at edges only (max_bins)
};

struct BinOptions {
    int max_bins = most_bins;
    bool approximate = false;

    bool operator==(const BinOptions&) const = default;
};

// Chooses edges for the rows of `target` and fills `bytes` with stride bytes for each of them. For the exact search on
// a part of the rows, bins are those of the whole table: made once, and kept with it.
Binning make_bins(const data::Table& table, const data::TargetRows& target, const BinOptions& options,
                  base::Buffer<std::uint8_t>& bytes, base::ThreadPool& pool, base::Interrupt& interrupt);

// Edges for at most max_bins bins that hold about equally many of these values (NaN is none), or about equal weight if
// `weights` is not empty; `single`: of a column of float32.
std::vector<double> edges_of(const std::vector<double>& values, const std::vector<double>& weights, int max_bins,
                             bool single);
// Of so many rows, those by which the edges of an approximate search are placed.
std::vector<std::size_t> approximate_sample(std::size_t n_rows);

}  // namespace ceiba::split
