// The rows of a node of a binned store in the order of a column: its bins are the first digit, and where a bin holds
// several values these are sorted.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "split/store/row_store.hpp"
#include "split/store/small_sort.hpp"

namespace ceiba::split {

class BinSort {
public:
    // Takes a column; returns how many rows of the node have a value.
    std::uint32_t begin(const NodeRows& node, std::size_t c) {
        column_ = &node.store->table->columns[c];
        bins_ = &node.store->binning->column[c];
        row_ = node.store->target.row.data() + node.begin;
        byte_ = node.bins() + bins_->slot;
        stride_ = node.store->binning->stride;
        n_ = node.size();
        bins_are_ranks_ = bins_->lossless() || node.store->binning->approximate;
        bin_ = bins_->bin_of_byte();
        start_.fill(0);
        for (std::size_t i = 0; i < n_; ++i) ++start_[bin(i) + 1u];
        for (std::size_t b = 0; b < 256; ++b) start_[b + 1] += start_[b];
        return start_[missing_bin];
    }

    // Have all rows the same value, as far as bins tell?
    bool one_value() const { return bins_are_ranks_ && start_[bin(0) + 1u] - start_[bin(0)] == n_; }

    // Calls write(place, rank, row) for every row, row counted from the node's first; those without a value come last.
    template <class Write>
    void run(Write write) {
        std::copy(start_.begin(), start_.end() - 1, cursor_.begin());
        if (bins_are_ranks_)
            for (std::size_t i = 0; i < n_; ++i) write(cursor_[bin(i)]++, bin(i), static_cast<std::uint32_t>(i));
        else if (!by_keys(write))
            by_values(write);
    }

private:
    // Rows of a node lie far apart in the table: the memory is asked for so many rows before it is needed.
    static constexpr std::size_t ahead = 24;

    std::uint8_t bin(std::size_t i) const { return bin_[byte_[i * stride_]]; }

    // Numbers that single precision can hold, and most measured ones are such: value and row in one word, half the size
    // of a pair and faster to compare. False: some number is not.
    template <class Write>
    bool by_keys(Write write) {
        keys_.resize(n_);
        bool exact = true;
        column_->with_reader([&](auto number) {
            for (std::size_t i = 0; i < n_; ++i) {
                column_->ahead(row_[std::min(i + ahead, n_ - 1)]);
                const double x = number(row_[i]) + 0.0;
                const float single = static_cast<float>(x);
                exact &= (static_cast<double>(single) == x) | (x != x);
                const auto bits = std::bit_cast<std::uint32_t>(single);
                const std::uint32_t key = bits ^ ((bits >> 31) ? ~std::uint32_t{0} : std::uint32_t{1} << 31);
                keys_[cursor_[bin(i)]++] = (std::uint64_t{key} << 32) | i;
            }
        });
        if (!exact) {
            std::copy(start_.begin(), start_.end() - 1, cursor_.begin());
            return false;
        }
        for (std::size_t b = 0; b < bins_->n_bins(); ++b)
            sort_keys(keys_.data() + start_[b], start_[b + 1] - start_[b]);
        std::uint32_t rank = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            rank += i > 0 && (keys_[i] >> 32) != (keys_[i - 1] >> 32);
            write(i, rank, static_cast<std::uint32_t>(keys_[i]));
        }
        return true;
    }

    template <class Write>
    void by_values(Write write) {
        items_.resize(n_);
        column_->with_reader([&](auto number) {
            for (std::size_t i = 0; i < n_; ++i)
                items_[cursor_[bin(i)]++] = {number(row_[i]), static_cast<std::uint32_t>(i)};
        });
        for (std::size_t b = 0; b < bins_->n_bins(); ++b)
            if (start_[b + 1] - start_[b] > 1) sort_items(items_.data() + start_[b], start_[b + 1] - start_[b]);
        std::uint32_t rank = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            rank += i > 0 && items_[i].value != items_[i - 1].value;
            write(i, rank, items_[i].row);
        }
    }

    const data::Column* column_ = nullptr;
    const ColumnBins* bins_ = nullptr;
    const std::uint32_t* row_ = nullptr;
    const std::uint8_t* byte_ = nullptr;
    std::size_t stride_ = 0, n_ = 0;
    bool bins_are_ranks_ = false;
    std::array<std::uint8_t, 256> bin_{};
    std::array<std::uint32_t, 257> start_{};
    std::array<std::uint32_t, 256> cursor_{};
    std::vector<std::uint64_t> keys_;
    std::vector<Item> items_;
};

}  // namespace ceiba::split
