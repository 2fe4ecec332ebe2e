#include "split/bins/fetched_bins.hpp"

#include <algorithm>

namespace ceiba::split {

namespace {

constexpr std::uint32_t not_fetched = ~std::uint32_t{0};
constexpr std::size_t fetched_ahead = 16;

}  // namespace

void FetchedBins::fetch(const NodeRows& node, std::size_t c, const ColumnPlaces& places, const Marks& marks,
                        const ColumnCounts& counts) {
    const std::size_t n_places = counts.size();
    start.resize(n_places + 1);
    cursor_.assign(places.missing() + 1, not_fetched);
    std::uint32_t n = 0;
    for (std::size_t p = 0; p < n_places; ++p) {
        start[p] = n;
        if (!(marks.of(p) & Marks::inside)) continue;
        cursor_[p] = n;
        n += static_cast<std::uint32_t>(counts.rows(p));
    }
    start[n_places] = n;
    items.resize(n);
    entries.resize(n);
    places.with([&](auto place_of) {
        for (std::size_t i = 0; i < node.size(); ++i)
            if (std::uint32_t& at = cursor_[place_of(i)]; at != not_fetched)
                items[at++].row = static_cast<std::uint32_t>(i);
    });
    const std::uint32_t* const row = node.store->target.row.data() + node.begin;
    const data::Column& column = node.store->table->columns[c];
    column.with_reader([&](auto number) {
        for (std::size_t i = 0; i < n; ++i) {  // the rows lie far apart in the table
            column.ahead(row[items[std::min<std::size_t>(i + fetched_ahead, n - 1)].row]);
            items[i].value = number(row[items[i].row]) + 0.0;
        }
    });
    for (std::size_t p = 0; p < n_places; ++p)
        if (start[p] < start[p + 1]) sort_place(start[p], start[p + 1]);
}

void FetchedBins::sort_place(std::size_t from, std::size_t to) {
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

}  // namespace ceiba::split
