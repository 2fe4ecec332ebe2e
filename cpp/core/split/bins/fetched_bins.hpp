// Bins of a column, or parts of them, that must be looked into: their rows, fetched from the table and sorted by
// value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/radix_sort.hpp"
#include "split/bins/zoom.hpp"
#include "split/store/small_sort.hpp"

namespace ceiba::split {

class FetchedBins {
public:
    std::vector<std::uint32_t> start;  // per place: where its items and entries begin
    std::vector<Item> items;
    std::vector<Entry> entries;  // ranks count from 0 in each place

    // Reads the rows of the places with a mark inside from the table and sorts them by value.
    template <class Strip>
    void fetch(const NodeRows& node, std::size_t c, const ColumnPlaces& places, const Marks& marks,
               const Strip& strip) {
        const std::size_t n_places = strip.size();
        start.resize(n_places + 1);
        cursor_.assign(places.missing() + 1, none);
        std::uint32_t n = 0;
        for (std::size_t p = 0; p < n_places; ++p) {
            start[p] = n;
            if (!(marks.of(p) & Marks::inside)) continue;
            cursor_[p] = n;
            n += static_cast<std::uint32_t>(strip.rows(p));
        }
        start[n_places] = n;
        items.resize(n);
        entries.resize(n);
        places.with([&](auto place_of) {
            for (std::size_t i = 0; i < node.size(); ++i)
                if (std::uint32_t& at = cursor_[place_of(i)]; at != none)
                    items[at++].row = static_cast<std::uint32_t>(i);
        });
        const std::uint32_t* const row = node.store->target.row.data() + node.begin;
        node.store->table->columns[c].with_reader([&](auto number) {
            for (Item& item : items) item.value = number(row[item.row]) + 0.0;
        });
        for (std::size_t p = 0; p < n_places; ++p)
            if (start[p] < start[p + 1]) sort_place(start[p], start[p + 1]);
    }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    void sort_place(std::size_t from, std::size_t to) {
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

    std::vector<std::uint32_t> cursor_;  // per place: where its next row goes; none: it is not fetched
    std::vector<std::uint64_t> key_;
    std::vector<std::uint32_t> order_;
    base::SortSpace sort_;
};

}  // namespace ceiba::split
