// The rows of a node of a binned store in the order of a column. If each bin contains one value, the bins are the
// order. Otherwise each row gets a two-byte rank: its bin and the part of the bin that contains its value. Its leading
// bits are used, two to four ranks per row, so that a counting sort leaves little to do. (With insertion sort of each
// bin most branches are mispredicted, and without gathered rows a fit of 1M x 20 took 1.2 times as long at any depth.)
#pragma once

#include "base/processor/starts.hpp"
#include "split/bins/wide_bins.hpp"
#include "split/store/row_store.hpp"

namespace ceiba::split {

// A row with its value, for sorting the few rows of a bin by value.
struct Item {
    double value;
    std::uint32_t row;
};

inline constexpr auto by_value_and_row = [](const Item& a, const Item& b) {
    return a.value < b.value || (a.value == b.value && a.row < b.row);
};

// For nearly sorted items. The sort is stable.
template <class T, class Less>
void insertion_sort(T* items, std::size_t n, Less less) {
    for (std::size_t i = 1; i < n; ++i) {
        if (!less(items[i], items[i - 1])) continue;
        const T item = items[i];
        std::size_t at = i;
        for (; at > 0 && less(item, items[at - 1]); --at) items[at] = items[at - 1];
        items[at] = item;
    }
}

// Equal values keep the order of their rows, which must ascend. Insertion sort up to 24 items: 14 ns per item in bins
// of four.
inline void sort_items(Item* items, std::size_t n) {
    if (n > 24) return std::sort(items, items + n, by_value_and_row);
    insertion_sort(items, n, [](const Item& a, const Item& b) { return a.value < b.value; });
}

// The numbers of a small node, copied from a C-contiguous matrix: column by column, in the order of the node's rows.
//
// The rows of a node are scattered in a large table. Sorting visits them once per column; here each row is visited
// once, which avoids most TLB misses.
class GatheredRows {
public:
    // Takes the columns of a node with several values per bin, if they have the same type and are stored row by row.
    void gather(const NodeRows& node) {
        n_ = node.size();
        if (table_ != node.store->table) choose(*node.store);
        if (columns_.empty()) return;
        if (single_)
            copy(node, singles_);
        else
            copy(node, doubles_);
    }

    // The values of a column; null if they were not gathered.
    template <class T>
    const T* values(std::size_t c) const {
        if (place_.empty() || place_[c] < 0 || single_ != (sizeof(T) == sizeof(float))) return nullptr;
        const std::size_t from = static_cast<std::size_t>(place_[c]) * n_;
        if constexpr (sizeof(T) == sizeof(float))
            return singles_.data() + from;
        else
            return doubles_.data() + from;
    }

private:
    static constexpr std::size_t prefetch_distance = 12;

    void choose(const RowStore& store) {
        table_ = store.table;
        columns_.clear();
        place_.clear();
        for (std::size_t c : store.binning->numeric)
            if (!store.binning->column[c].lossless() && !store.binning->column[c].integers) columns_.push_back(c);
        if (columns_.empty() || store.binning->approximate) return columns_.clear();
        const auto& columns = store.table->columns;
        const data::Column &first = columns[columns_.front()], &last = columns[columns_.back()];
        single_ = first.is<float>();
        const bool alike = std::all_of(columns_.begin(), columns_.end(), [&](std::size_t c) {
            const bool one_type = single_ ? columns[c].is<float>() : columns[c].is<double>();
            return one_type && columns[c].stride() == first.stride();
        });
        if (!alike || last.data() < first.data() || last.data() - first.data() >= first.stride())
            return columns_.clear();
        place_.assign(columns.size(), -1);
        for (std::size_t k = 0; k < columns_.size(); ++k) place_[columns_[k]] = static_cast<std::int32_t>(k);
    }

    template <class T>
    void copy(const NodeRows& node, std::vector<T>& out) {
        out.resize(n_ * columns_.size());
        const data::Column &first = table_->columns[columns_.front()], &last = table_->columns[columns_.back()];
        offset_.clear();
        for (std::size_t c : columns_)
            offset_.push_back(static_cast<std::size_t>(table_->columns[c].data() - first.data()) / sizeof(T));
        const std::uint32_t* const row = node.target().row.data() + node.begin;
        const std::size_t n = n_, n_columns = offset_.size();
        const std::size_t* const offset = offset_.data();
        T* const to = out.data();
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t soon = row[std::min(i + prefetch_distance, n - 1)];
            first.prefetch(soon);
            last.prefetch(soon);
            const auto* const from =
                reinterpret_cast<const T*>(first.data() + static_cast<std::ptrdiff_t>(row[i]) * first.stride());
            for (std::size_t k = 0; k < n_columns; ++k) to[k * n + i] = from[offset[k]];
        }
    }

    const data::Table* table_ = nullptr;
    std::size_t n_ = 0;
    bool single_ = false;
    std::vector<std::size_t> columns_, offset_;  // the gathered columns, and their offsets in a row
    std::vector<std::int32_t> place_;            // per column of the table: its position among them, or -1
    std::vector<float> singles_;
    std::vector<double> doubles_;
};

class BinSort {
public:
    // Copies the values of a node whose columns will all be sorted, if this pays off.
    void gather(const NodeRows& node) {
        gathered_.gather(node);
        whole_node_ = true;
    }

    // Selects a column. Returns the number of rows of the node with a value.
    std::uint32_t begin(const NodeRows& node, std::size_t c) {
        c_ = c;
        column_ = &node.store->table->columns[c];
        bins_ = &node.store->binning->column[c];
        row_ = node.target().row.data() + node.begin;
        byte_ = node.bins() + bins_->slot;
        stride_ = node.store->binning->stride;
        n_ = node.size();
        bins_are_ranks_ = bins_->lossless() || node.store->binning->approximate;
        bin_ = bins_->bin_of_byte();
        if (!bins_are_ranks_ && !bins_->any_missing) return static_cast<std::uint32_t>(n_);
        start_.fill(0);
        for (std::size_t i = 0; i < n_; ++i) ++start_[bin(i) + 1u];
        for (std::size_t b = 0; b < 256; ++b) start_[b + 1] += start_[b];
        return start_[missing_bin];
    }

    // Whether all rows have the same value, as far as the bins show.
    bool one_value() const { return bins_are_ranks_ && start_[bin(0) + 1u] - start_[bin(0)] == n_; }

    // Calls write(place, rank, row) for every row, relative to the node's first row. Rows without a value come last.
    template <class Write>
    void run(Write write) {
        if (!bins_are_ranks_) {
            if (!by_integers(write) && !by_keys(write)) by_values(write);
            return;
        }
        std::copy(start_.begin(), start_.end() - 1, cursor_.begin());
        for (std::size_t i = 0; i < n_; ++i) write(cursor_[bin(i)]++, bin(i), static_cast<std::uint32_t>(i));
    }

private:
    // The rows of a node are scattered in the table, so memory is prefetched this number of rows ahead.
    static constexpr std::size_t prefetch_distance = 24;
    static constexpr std::uint32_t long_bucket = 24;  // longer buckets are sorted separately: n log n, not n^2

    std::uint8_t bin(std::size_t i) const { return bin_[byte_[i * stride_]]; }

    // For small integers: a radix sort of integer and row in one word. Returns false for other columns and large nodes.
    template <class Write>
    bool by_integers(Write write) {
        constexpr int row_bits = 32 - SmallIntegers::bits, digit_bits = SmallIntegers::bits / 2;
        constexpr std::uint32_t n_digits = 1u << digit_bits, row_mask = (1u << row_bits) - 1;
        if (!bins_->integers || n_ > row_mask) return false;
        const std::uint8_t* const integer = byte_ - bins_->slot + bins_->integers->offset;
        ranks_.resize(n_);
        packed_.resize(n_);
        std::array<std::uint32_t, n_digits> low{}, high{};
        for (std::size_t i = 0; i < n_; ++i) {
            const std::uint32_t x = SmallIntegers::read(integer + i * stride_);
            ++low[x % n_digits];
            ++high[x / n_digits];
            packed_[i] = (x << row_bits) | static_cast<std::uint32_t>(i);
        }
        base::starts_from_counts(low.data(), n_digits);
        base::starts_from_counts(high.data(), n_digits);
        for (const std::uint32_t key : packed_) ranks_[low[(key >> row_bits) % n_digits]++] = key;
        for (const std::uint32_t key : ranks_) packed_[high[key >> (row_bits + digit_bits)]++] = key;
        std::uint32_t rank = 0, last = packed_[0] >> row_bits;
        for (std::size_t i = 0; i < n_; ++i) {
            const std::uint32_t x = packed_[i] >> row_bits;
            rank += x != last;
            last = x;
            write(i, rank, packed_[i] & row_mask);
        }
        return true;
    }

    // For numbers that float32 can represent, as most measured values: value and row in one word, which is half the
    // size of a pair and faster to compare. Returns false if some number is not representable.
    bool sort_keys() {
        const float* const x = singles();
        if (!x) return false;
        keys_.resize(n_);
        sorted_keys_.resize(n_);
        const RankRule rule = begin_ranks();
        for (std::size_t i = rank_wide(x, rule); i < n_; ++i) {
            const float single = x[i] + 0.0f;
            rank(i, single, rule);
            const auto bits = std::bit_cast<std::uint32_t>(single);
            const std::uint32_t key = bits ^ ((bits >> 31) ? ~std::uint32_t{0} : std::uint32_t{1} << 31);
            keys_[i] = (std::uint64_t{key} << 32) | i;
        }
        sort_by_ranks(keys_, sorted_keys_, [](std::uint64_t a, std::uint64_t b) { return a < b; });
        return true;
    }
    template <class Write>
    bool by_keys(Write write) {
        if (!sort_keys()) return false;
        std::uint32_t rank = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            rank += i > 0 && (sorted_keys_[i] >> 32) != (sorted_keys_[i - 1] >> 32);
            write(i, rank, static_cast<std::uint32_t>(sorted_keys_[i]));
        }
        return true;
    }

    void sort_values() {
        items_.resize(n_);
        sorted_items_.resize(n_);
        const RankRule rule = begin_ranks();
        read_values(0, n_, [&](std::size_t i, double x) {
            rank(i, static_cast<float>(x), rule);
            items_[i] = {x, static_cast<std::uint32_t>(i)};
        });
        sort_by_ranks(items_, sorted_items_, by_value_and_row);
    }
    template <class Write>
    void by_values(Write write) {
        sort_values();
        std::uint32_t rank = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            rank += i > 0 && sorted_items_[i].value != sorted_items_[i - 1].value;
            write(i, rank, sorted_items_[i].row);
        }
    }

    RankRule begin_ranks() {
        const int n_bits = std::clamp(static_cast<int>(std::bit_width(2 * n_)), 5, 16);
        const std::uint32_t n_ranks = std::uint32_t{1} << n_bits;  // one more for missing values
        ranks_.resize(n_);
        count_.assign(n_ranks + std::size_t{1}, 0);
        return {bins_->part_start.data(), bins_->parts_per_width.data(), 16 - n_bits, n_ranks};
    }

    // Computes ranks and keys of the first rows if the processor supports it. Returns the number of these rows.
    std::size_t rank_wide(const float* x, const RankRule& rule) {
        if (!base::has_fast_gathers()) return 0;
        const std::size_t n_done = wide_ranks({x, byte_, stride_, n_}, rule, ranks_.data(), keys_.data());
        for (std::size_t i = 0; i < n_done; ++i) ++count_[ranks_[i]];
        return n_done;
    }

    // Computes and counts the rank of a row.
    void rank(std::size_t i, float single, const RankRule& rule) {
        const std::uint32_t b = bin(i);
        // Every step preserves the order of the values; without a value the part is 0.
        const float part = std::min(std::max(0.0f, (single - rule.low[b]) * rule.per_width[b]), 255.0f);
        const std::uint32_t both = (b << 8) + static_cast<std::uint32_t>(static_cast<std::int32_t>(part));
        const std::uint32_t r = b == missing_bin ? rule.n_ranks : both >> rule.dropped;
        ranks_[i] = r;
        ++count_[r];
    }

    // The values of the column in node order; null if float32 cannot represent all of them.
    const float* singles() {
        if (const float* const x = whole_node_ ? gathered_.values<float>(c_) : nullptr) return x;
        singles_.resize(n_);
        constexpr std::size_t block = 256;
        bool exact = true;
        for (std::size_t from = 0; exact && from < n_; from += block)
            read_values(from, std::min(n_, from + block), [&](std::size_t i, double x) {
                const float single = static_cast<float>(x);
                exact &= (static_cast<double>(single) == x) | (x != x);
                singles_[i] = single;
            });
        return exact ? singles_.data() : nullptr;
    }

    // Calls take(i, value) for the rows [from, to).
    template <class Take>
    void read_values(std::size_t from, std::size_t to, Take take) {
        // + 0 converts -0 to 0.
        if (const double* const x = whole_node_ ? gathered_.values<double>(c_) : nullptr) {
            for (std::size_t i = from; i < to; ++i) take(i, x[i] + 0.0);
            return;
        }
        column_->with_reader([&](auto number) {
            for (std::size_t i = from; i < to; ++i) {
                column_->prefetch(row_[std::min(i + prefetch_distance, n_ - 1)]);
                take(i, number(row_[i]) + 0.0);
            }
        });
    }

    // Sorts rows in node order by value: a counting sort by rank, then insertion. With two to four ranks per row a
    // bucket contains about one row, so insertion moves few of them: O(n).
    template <class T, class Less>
    void sort_by_ranks(const std::vector<T>& from, std::vector<T>& to, Less less) {
        const std::uint32_t longest = base::starts_from_counts(count_.data(), count_.size());
        for (std::size_t i = 0; i < n_; ++i) to[count_[ranks_[i]]++] = from[i];
        // count_[r] is now the end of the rows with rank r. Missing values, which come last, are not sorted.
        const std::size_t n_ranks = count_.size() - 1, n_present = count_[n_ranks - 1];
        if (longest > long_bucket)
            for (std::size_t r = 0, begin = 0; r < n_ranks; begin = count_[r++])
                if (count_[r] - begin > long_bucket) std::sort(to.data() + begin, to.data() + count_[r], less);
        insertion_sort(to.data(), n_present, less);
    }

    GatheredRows gathered_;
    bool whole_node_ = false;  // the gathered rows are those of the node
    std::size_t c_ = 0;
    const data::Column* column_ = nullptr;
    const ColumnBins* bins_ = nullptr;
    const std::uint32_t* row_ = nullptr;
    const std::uint8_t* byte_ = nullptr;
    std::size_t stride_ = 0, n_ = 0;
    bool bins_are_ranks_ = false;
    std::array<std::uint8_t, 256> bin_{};
    std::array<std::uint32_t, 257> start_{};
    std::array<std::uint32_t, 256> cursor_{};
    std::vector<float> singles_;
    std::vector<std::uint32_t> ranks_, packed_;
    std::vector<std::uint32_t> count_;  // per rank
    std::vector<std::uint64_t> keys_, sorted_keys_;
    std::vector<Item> items_, sorted_items_;
};

}  // namespace ceiba::split
