// The scan of a sparse column: negative numbers, then all zeros at once, then positive numbers. The left side after the
// zeros is the node without the positive numbers, so a column costs what its entries cost, not the rows of the node.
#pragma once

#include <cstddef>

#include "split/scan/cut_scan.hpp"
#include "split/store/sparse_entries.hpp"

namespace ceiba::split {

// Divisions that know the rest of the node.
template <class D>
concept KeepsRight = requires(D& division, std::size_t n) { division.keep_right(n, [](std::size_t i) { return i; }); };

// Offers the cut with `position` of n rows on the left, as the division stands. True: it is the best so far.
template <class D, class C>
bool offer_cut(std::size_t position, std::size_t n, double floor, const Limits& limits, D& division, const C& criterion,
               BestCut<D, C>& best) {
    if (position < limits.min_rows || n - position < limits.min_rows) return false;
    if (criterion.below(division, std::max(floor, best.threshold()))) return false;
    if (!best.offer(division, criterion, limits)) return false;
    best.position = position;
    return true;
}

template <class D, class C>
BestCut<D, C> scan_sparse(const SparseColumn& column, std::size_t n, double floor, const Limits& limits, D& division,
                          const C& criterion) {
    BestCut<D, C> best;
    const std::size_t n_zeros = n - column.n, n_above = column.n - column.n_below, below = column.n_below;
    const Entry* const above = column.entries + below;
    if (below > 0) {
        division.clear_left();
        scan(column.entries, below, 0, n - below, floor, limits, division, criterion, best);
        division.clear_left();
        for (std::size_t i = 0; i < below; ++i) division.add(column.entries[i].row);
        if (below < n) offer_cut(below, n, floor, limits, division, criterion, best);
    }
    if (n_above == 0) return best;
    division.keep_right(n_above, [above](std::size_t i) { return above[i].row; });
    if (n_zeros > 0) offer_cut(n - n_above, n, floor, limits, division, criterion, best);
    if (scan(above, n_above, n - n_above, 0, floor, limits, division, criterion, best)) best.position += n - n_above;
    return best;
}

}  // namespace ceiba::split
