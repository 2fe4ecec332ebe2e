// The order of a few scores.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace ceiba::base {

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
