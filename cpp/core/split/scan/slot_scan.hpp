// The scan of a column whose numbers are counted (store/sparse_slots.hpp): one step per distinct number, with zeros in
// their place.
#pragma once

#include "criteria/class_division.hpp"
#include "split/store/sparse_entries.hpp"
#include "split/store/sparse_slots.hpp"

namespace ceiba::split {

// The scan of a sparse column: negative numbers, all zeros at once, then positive numbers. The left side after the
// zeros is the node without the positive numbers, so the cost depends on the entries of the column, not on all rows.

// Divisions that can compute the left side from the rest of the node.
template <class D>
concept KeepsRight = requires(D& division, std::size_t n) {
    division.keep_right(n, [](std::size_t i) { return i; });
};

// Offers the cut with `position` of n rows on the left, in the current division. True: it is the best so far.
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

// Divisions whose left side follows from the counts of slots.
template <class D>
concept CountsSlots = std::same_as<D, criteria::BinaryDivision>;

// The best cut of a column, and the numbers on both sides of it.
template <class D, class C>
struct SlotCut {
    BestCut<D, C> best;
    double lower = 0.0, upper = 0.0;
};

template <CountsSlots D, class C>
SlotCut<D, C> scan_slots(const NodeRows& node, std::size_t c, double floor, const Limits& limits, D& division,
                         const C& criterion) {
    SlotCut<D, C> out;
    const SparseSlots& slots = *node.store->slots;
    const std::uint64_t* const count = node.histogram->data();
    const std::uint32_t first = slots.start[c], end = slots.start[c + 1];
    const auto rows_of = [](std::uint64_t counts) { return static_cast<std::int64_t>(counts >> 32); };
    const auto ones_of = [](std::uint64_t counts) { return static_cast<std::int64_t>(counts & 0xFFFFFFFF); };
    std::uint64_t zeros =
        (static_cast<std::uint64_t>(division.total_weight()) << 32) + static_cast<std::uint64_t>(division.total(1));
    const std::uint64_t all = zeros;
    for (std::uint32_t s = first; s < end; ++s) zeros -= count[s];
    if (zeros == all) return out;
    std::uint64_t left = 0;
    double last = 0.0;  // the largest number on the left
    const auto pass = [&](double value, std::uint64_t group) {
        if (group == 0) return;
        if (left != 0) {
            division.put_back({rows_of(left), ones_of(left)});
            if (offer_cut(static_cast<std::size_t>(rows_of(left)), node.size(), floor, limits, division, criterion,
                          out.best))
                out.lower = last, out.upper = value;
        }
        left += group;
        last = value;
    };
    std::uint32_t s = first;
    for (; s < end && slots.value[s] < 0.0; ++s) pass(slots.value[s], count[s]);
    pass(0.0, zeros);
    for (; s < end; ++s) pass(slots.value[s], count[s]);
    return out;
}

// Whether two cuts of a counted node put the same number of rows of each class on each side.
inline bool same_counts(const NodeRows& node, const Candidate& a, const Candidate& b) {
    const auto counts = [&](const Candidate& split) {
        return counts_without_zeros(node, static_cast<std::size_t>(split.column), split.cut);
    };
    return counts(a) == counts(b);
}

// Puts the rows left of a cut on the left side.
template <CountsSlots D>
void put_left(const NodeRows& node, const Candidate& split, D& division) {
    const SideCounts other = counts_without_zeros(node, static_cast<std::size_t>(split.column), split.cut);
    const std::int64_t rows = static_cast<std::int64_t>(other.counts >> 32),
                       ones = static_cast<std::int64_t>(other.counts & 0xFFFFFFFF);
    if (other.zeros_left)
        division.put_back({static_cast<std::int64_t>(division.total_weight()) - rows,
                           static_cast<std::int64_t>(division.total(1)) - ones});
    else
        division.put_back({rows, ones});
}

}  // namespace ceiba::split
