// Radix sort of rows by a double. It sorts by a window of 32 bits, the highest in which the keys differ (three passes
// over 8-byte items). Runs with equal windows are then sorted by the complete key. The keys are those of
// row_arithmetic.hpp.
#pragma once

#include "base/row_arithmetic.hpp"
#include "base/standard.hpp"

namespace ceiba::base {

struct WindowItem {
    std::uint32_t window;
    std::uint32_t row;
};

struct SortSpace {
    std::vector<WindowItem> items, spare;
};

// Sorts `rows` (indices into key, ascending) by their keys. Rows with equal keys keep their order.
void sort_rows(const std::vector<std::uint64_t>& key, std::vector<std::uint32_t>& rows, SortSpace& space);

// Sorting a few items by their scores.

// The positions in ascending order of the scores. Equal scores keep their order.
std::vector<std::uint32_t> ascending(const std::vector<double>& score);

// Sorts items by ascending scores. Items with equal scores keep their order. (std::stable_sort is long and would be
// compiled again for each type and comparison.)
template <class T>
void sort_by(const std::vector<double>& score, std::vector<T>& items) {
    std::vector<T> sorted;
    sorted.reserve(items.size());
    for (std::uint32_t i : ascending(score)) sorted.push_back(std::move(items[i]));
    items.swap(sorted);
}

}  // namespace ceiba::base
