// The sorted columns of a table that fits into the cache. An entry stores everything that a scan needs in 32 bits. Rows
// are never renumbered: a split marks them in a table of 4,096 bytes, which partitions each column. Missing values come
// last and have the highest rank, which is free: with one of them, a column of 4,096 rows has at most 4,095 values. A
// bundle (bundles.hpp) is one such column, whose ranks are codes.
#pragma once

#include "split/store/bin_sort.hpp"

namespace ceiba::split {

// The parts of an entry: rank | row | class. More classes leave room for fewer rows: 4,096 or, with more than 256
// classes, 2,048.
struct EntryLayout {
    static constexpr std::size_t most_classes = 1024;

    explicit EntryLayout(std::size_t n_classes)
        : class_bits(n_classes <= 256 ? 8 : 10), row_bits((32 - class_bits) / 2) {}

    int class_bits, row_bits;

    std::size_t most_rows() const { return std::size_t{1} << row_bits; }
    int rank_shift() const { return class_bits + row_bits; }
    std::uint32_t label_mask() const { return (1u << class_bits) - 1; }
    std::uint32_t rank(std::uint32_t entry) const { return entry >> rank_shift(); }
    std::uint32_t row(std::uint32_t entry) const { return (entry >> class_bits) & ((1u << row_bits) - 1); }
    std::uint32_t label(std::uint32_t entry) const { return entry & label_mask(); }
    std::uint32_t entry(std::uint32_t rank, std::uint32_t row, std::uint32_t label) const {
        return (rank << rank_shift()) | (row << class_bits) | label;
    }
};

class PackedColumns {
public:
    explicit PackedColumns(std::size_t n_classes) : layout_(n_classes) {}

    static constexpr std::size_t read_past = 16;  // number of entries after the last one that may be read

    // Sorts the columns of these rows of the table (label: one per row). Columns with one value, or with missing values
    // alone, are left out. Returns false if a value is missing, unless this is allowed. The arguments must outlive this
    // object.
    bool sort(const data::Table& table, const std::uint32_t* rows, std::size_t n_rows, const std::uint16_t* label,
              bool allow_missing);
    // The same for a node of a binned store.
    bool sort(const NodeRows& node, bool allow_missing);

    EntryLayout layout() const { return layout_; }
    std::size_t n_rows() const { return n_rows_; }
    std::uint16_t label_of_row(std::size_t i) const { return label_[i]; }
    std::size_t size() const { return column_.size(); }
    std::uint32_t* entries(std::size_t at) { return entries_.data() + at * n_rows_; }
    bool bundle(std::size_t at) const { return column_[at] < 0; }
    // How many of n entries of a column are present.
    std::uint32_t n_present(std::size_t at, const std::uint32_t* entries, std::uint32_t n) const {
        if (complete_[at]) return n;
        const auto present = [this](std::uint32_t entry) { return layout_.rank(entry) != missing_rank(); };
        return static_cast<std::uint32_t>(std::partition_point(entries, entries + n, present) - entries);
    }
    // The column of the table, or that of a code in a bundle.
    std::int32_t column(std::size_t at, std::uint32_t code) const;
    // Whether the rare value of a bundle's member (given by its code) is on the left of the cut.
    bool rare_on_left(std::size_t at, std::uint32_t code) const;
    // The cut between two neighbouring entries of different rank, and the cut of a bundle's member.
    double cut(std::size_t at, std::uint32_t lower, std::uint32_t upper) const;
    double cut(std::size_t at, std::uint32_t code) const;

private:
    static constexpr int row_bits = 12;  // of a key

    void begin(const data::Table& table, const std::uint32_t* rows, std::size_t n_rows, const std::uint16_t* label);
    // The range of the values that are present.
    struct ValueRange {
        double low, high;
        bool complete;
    };
    ValueRange read_values(const data::Column& column);
    void sort_values(const ValueRange& range);
    template <int digit_bits>
    void sort_digits(const ValueRange& range);
    void sort_runs();
    void write(std::size_t c, bool complete);
    void keep(std::int32_t column, bool complete);
    bool sort_binned(const NodeRows& node, std::size_t c, bool allow_missing);
    std::uint32_t missing_rank() const { return static_cast<std::uint32_t>(layout_.most_rows() - 1); }
    void sort_bundle(const NodeRows& node, std::size_t b);

    EntryLayout layout_;
    const data::Table* table_ = nullptr;
    const Binning* binning_ = nullptr;  // if ranks are bins, at least in some columns
    const std::uint8_t* bytes_ = nullptr;  // of the first row, if there is a binning
    const std::uint32_t* rows_ = nullptr;
    const std::uint16_t* label_ = nullptr;
    std::size_t n_rows_ = 0;
    std::vector<std::int32_t> column_;    // columns of the table, by position; -1 - b: bundle b
    std::vector<std::uint8_t> complete_;  // by position: no value is missing
    std::vector<std::uint32_t> entries_;  // column by column
    std::vector<double> value_;            // of a column, by row
    std::vector<std::uint32_t> key_, spare_;  // rounded value << row_bits | row
    BinSort in_order_;
};

}  // namespace ceiba::split
