// What one thread works with while it searches sorted columns (presort_finder.hpp), and the search among the cuts of
// one column.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "split/levels/level_rows.hpp"
#include "split/store/row_store.hpp"
#include "split/scan/column_finder.hpp"
#include "split/scan/cut_scan.hpp"

namespace ceiba::split {

template <class D, class C>
struct SearchSpace {
    SearchSpace(const D& d, const C& c) : division(d), criterion(c) {}

    D division;
    C criterion;
    bool fresh = false;       // the division holds the total of all rows of the node being searched
    double floor = no_floor;  // cuts with a gain below this need not be found
    LevelRows levels;
    std::vector<Entry> level_entries;  // rows in an order of their levels
    std::vector<Entry> column;         // of a sparse table, with its zeros
    struct Known {
        typename D::Left left{};
        base::DoubleDouble gain;
    };
    std::array<Known, 8> known{};  // left parts whose gains were weighed last in this node
    std::size_t n_known = 0;       // ever since the node was begun

    // Makes the division's total that of all rows of the node, or of those with a value in the column.
    void take_all(const NodeRows& node) {
        if (fresh) return;
        division.bind(node.store->target, 0, node.begin);
        division.reset();
        for (std::size_t i = 0; i < node.size(); ++i) division.include(i);
        begin(true);
    }
    template <class Rows>
    void take_some(const NodeRows& node, std::size_t n, Rows row_at) {
        division.bind(node.store->target, 0, node.begin);
        division.reset();
        for (std::size_t i = 0; i < n; ++i) division.include(row_at(i));
        begin(false);
    }

    // All cuts of n entries, with the rows aside (missing values under "learn"), whose entries follow, tried on both
    // sides and by themselves.
    BestCut<D, C> best_cut(const Entry* entries, std::size_t n, std::size_t n_aside, const Limits& limits,
                           std::size_t random_position, bool& presence) {
        BestCut<D, C> best;
        presence = false;
        const auto weigh = [&](bool missing_left) {
            if (random_position)
                weigh_cut(entries, n, random_position, n_aside, missing_left, limits, division, criterion, best);
            else if (scan(entries, n, missing_left ? n_aside : 0, missing_left ? 0 : n_aside, floor, limits, division,
                          criterion, best))
                best.missing_left = missing_left;
        };
        division.clear_left();
        weigh(false);
        if (n_aside == 0) return best;
        if (n >= limits.min_rows && n_aside >= limits.min_rows) {
            division.clear_left();
            for (std::size_t i = 0; i < n; ++i) division.add(entries[i].row);
            presence = best.offer(division, criterion, limits);
            if (presence) best.position = n;
        }
        division.clear_left();
        for (std::size_t i = 0; i < n_aside; ++i) division.add(entries[n + i].row);
        weigh(true);
        presence = presence && !best.missing_left;
        return best;
    }

private:
    void begin(bool all) {
        fresh = all;
        division.clear_left();
        criterion.begin(division);
    }
};

}  // namespace ceiba::split
