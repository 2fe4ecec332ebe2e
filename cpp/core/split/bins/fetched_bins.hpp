// Bins of a column, or parts of them, that must be looked into: their rows, fetched from the table and sorted by
// value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/radix_sort.hpp"
#include "split/bins/column_counts.hpp"
#include "split/store/small_sort.hpp"
#include "split/survey/zoom.hpp"

namespace ceiba::split {

class FetchedBins {
public:
    std::vector<std::uint32_t> start;  // per place: where its items and entries begin
    std::vector<Item> items;
    std::vector<Entry> entries;  // ranks count from 0 in each place

    // Reads the rows of the places with a mark inside from the table and sorts them by value.
    void fetch(const NodeRows& node, std::size_t c, const ColumnPlaces& places, const Marks& marks,
               const ColumnCounts& counts);

private:
    void sort_place(std::size_t from, std::size_t to);

    std::vector<std::uint32_t> cursor_;  // per place: where its next row goes
    std::vector<std::uint64_t> key_;
    std::vector<std::uint32_t> order_;
    base::SortSpace sort_;
};

}  // namespace ceiba::split
