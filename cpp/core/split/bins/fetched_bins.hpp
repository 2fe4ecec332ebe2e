// Bins of a column that must be looked into: their rows, fetched from the table and sorted by value.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/radix_sort.hpp"
#include "split/bins/histogram.hpp"
#include "split/store/small_sort.hpp"

namespace ceiba::split {

class FetchedBins {
public:
    std::array<std::uint32_t, cells_per_column + 1> start{};  // per bin: where its items and entries begin
    std::vector<Item> items;
    std::vector<Entry> entries;  // ranks count from 0 in each bin

    // Reads the rows of the wanted bins from the table and sorts them by value.
    void fetch(const NodeRows& node, std::size_t c, const std::array<bool, cells_per_column>& wanted,
               const std::array<double, cells_per_column>& rows, std::size_t n_bins) {
        const Binning& binning = *node.store->binning;
        start.fill(0);
        std::uint32_t n = 0;
        for (std::size_t b = 0; b < n_bins; ++b) {
            start[b] = n;
            if (wanted[b]) n += static_cast<std::uint32_t>(rows[b]);
        }
        start[n_bins] = n;
        items.resize(n);
        entries.resize(n);
        std::array<std::uint32_t, cells_per_column> cursor;
        std::copy_n(start.begin(), cells_per_column, cursor.begin());
        const std::uint8_t* const byte = node.bins() + binning.column[c].slot;
        for (std::size_t i = 0; i < node.size(); ++i) {
            const std::uint8_t b = byte[i * binning.stride];
            if (wanted[b]) items[cursor[b]++].row = static_cast<std::uint32_t>(i);
        }
        const std::uint32_t* const row = node.store->target.row.data() + node.begin;
        const data::Column& column = node.store->table->columns[c];
        column.with_reader([&](auto number) {
            for (std::size_t i = 0; i < n; ++i) {  // the rows lie far apart in the table
                column.ahead(row[items[std::min<std::size_t>(i + ahead, n - 1)].row]);
                items[i].value = number(row[items[i].row]) + 0.0;
            }
        });
        for (std::size_t b = 0; b < n_bins; ++b)
            if (wanted[b]) sort_bin(start[b], start[b + 1]);
    }

private:
    static constexpr std::size_t ahead = 16;

    void sort_bin(std::size_t from, std::size_t to) {
        Item* const own = items.data() + from;
        const std::size_t n = to - from;
        if (n < 512) {
            sort_items(own, n);
        } else {
            key_.resize(n);
            order_.resize(n);
            for (std::size_t i = 0; i < n; ++i) {
                key_[i] = base::sort_key(own[i].value);
                order_[i] = static_cast<std::uint32_t>(i);
            }
            base::sort_rows(key_, order_, sort_);
            std::vector<Item> sorted(n);
            for (std::size_t i = 0; i < n; ++i) sorted[i] = own[order_[i]];
            std::copy(sorted.begin(), sorted.end(), own);
        }
        std::uint32_t rank = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (i > 0 && own[i].value != own[i - 1].value) ++rank;
            entries[from + i] = {rank, own[i].row};
        }
    }

    std::vector<std::uint64_t> key_;
    std::vector<std::uint32_t> order_;
    base::SortSpace sort_;
};

}  // namespace ceiba::split
