// Sorting rows by a double: radix sort on a window of 32 bits, the highest in which the keys differ (three passes over
// 8-byte items); runs that agree in the window are then sorted by the whole key. Keys are those of
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

// Puts `rows` (indices into key) into the order of their keys; equal keys keep the order of their rows, which must
// ascend.
void sort_rows(const std::vector<std::uint64_t>& key, std::vector<std::uint32_t>& rows, SortSpace& space);

// The order of a few scores.

// Positions by ascending score; equal scores keep their order.
std::vector<std::uint32_t> ascending(const std::vector<double>& score);

// Puts items in ascending order of their scores; those of equal scores keep theirs. (std::stable_sort is compiled anew
// for every type and comparison, and is long.)
template <class T>
void sort_by(const std::vector<double>& score, std::vector<T>& items) {
    std::vector<T> sorted;
    sorted.reserve(items.size());
    for (std::uint32_t i : ascending(score)) sorted.push_back(std::move(items[i]));
    items.swap(sorted);
}

}  // namespace ceiba::base
