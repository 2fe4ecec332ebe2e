#include "base/sort.hpp"

namespace ceiba::base {

void sort_rows(const std::vector<std::uint64_t>& key, std::vector<std::uint32_t>& rows, SortSpace& space) {
    const auto by_key = [&key](std::uint32_t a, std::uint32_t b) {
        return key[a] < key[b] || (key[a] == key[b] && a < b);
    };
    const std::size_t n = rows.size();
    // For fewer rows, clearing the counters costs more than a comparison sort.
    if (n < 512) {
        std::sort(rows.begin(), rows.end(), by_key);
        return;
    }
    std::uint64_t lowest = ~std::uint64_t{0}, highest = 0;
    for (std::uint32_t r : rows) lowest = std::min(lowest, key[r]), highest = std::max(highest, key[r]);
    const int shift = std::max(0, static_cast<int>(std::bit_width(highest - lowest)) - 32);
    constexpr int digit_bits = 11, n_digits = 3;
    constexpr std::size_t radix = std::size_t{1} << digit_bits;
    std::array<std::array<std::uint32_t, radix>, n_digits> count{};
    space.items.resize(n);
    space.spare.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto window = static_cast<std::uint32_t>((key[rows[i]] - lowest) >> shift);
        space.items[i] = {window, rows[i]};
        for (int d = 0; d < n_digits; ++d) ++count[d][(window >> (d * digit_bits)) & (radix - 1)];
    }
    for (int d = 0; d < n_digits; ++d) {
        auto& c = count[d];
        if (c[(space.items[0].window >> (d * digit_bits)) & (radix - 1)] == n) continue;  // all digits are equal
        std::uint32_t start = 0;
        for (std::uint32_t& x : c) start += std::exchange(x, start);
        for (const WindowItem& item : space.items)
            space.spare[c[(item.window >> (d * digit_bits)) & (radix - 1)]++] = item;
        space.items.swap(space.spare);
    }
    for (std::size_t i = 0; i < n; ++i) rows[i] = space.items[i].row;
    if (shift == 0) return;
    for (std::size_t i = 0; i < n;) {
        std::size_t end = i + 1;
        while (end < n && space.items[end].window == space.items[i].window) ++end;
        if (end - i > 1) {
            const auto first = rows.begin() + static_cast<std::ptrdiff_t>(i),
                       last = rows.begin() + static_cast<std::ptrdiff_t>(end);
            if (!std::is_sorted(first, last, by_key)) std::sort(first, last, by_key);
        }
        i = end;
    }
}

std::vector<std::uint32_t> ascending(const std::vector<double>& score) {
    std::vector<std::uint32_t> order(score.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return score[a] < score[b]; });
    return order;
}

}  // namespace ceiba::base
