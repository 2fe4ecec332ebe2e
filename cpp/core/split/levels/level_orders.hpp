// The rows of a node grouped by level, and the orders of levels that are worth scanning.
//
// Breiman et al. 1984, theorem 4.5: for two classes or a numeric target, with gini, entropy, squared error or Poisson
// deviance, the best of all 2^(L-1) - 1 level sets is among the L - 1 cuts of the levels ordered by their mean (share
// of a class). For absolute error the same order is a heuristic. So levels are put in order, given ranks, and scanned
// like numbers.
#pragma once

#include "split/search_options.hpp"
#include "split/store/row_store.hpp"

namespace ceiba::split {

using LevelOrder = std::vector<std::uint32_t>;  // of the levels in a node, by position

struct LevelRows {
    std::vector<std::int32_t> code;      // levels present in the node, ascending
    std::vector<std::uint32_t> start;    // rows of level l: rows[start[l], start[l + 1])
    std::vector<std::uint32_t> rows;     // rows of the node
    std::vector<std::uint32_t> missing;  // rows without a level

    std::size_t n_levels() const { return code.size(); }
    std::size_t n_rows() const { return rows.size(); }
};

// Class weights of each level of a column in a node: all that the search for a set of levels needs to know of its rows.

// A class weight while every row counts 1: a whole number, exact in a double. Otherwise LongSum takes its place.
struct WholeCount {
    double n = 0.0;

    void add(double x) { n += x; }
    void add(const WholeCount& x) { n += x.n; }
    void subtract(const WholeCount& x) { n -= x.n; }
    double value() const { return n; }
    base::DoubleDouble precise() const { return n; }
};

template <class Weight>
struct LevelCells {
    std::size_t n_classes = 0;
    std::vector<std::int32_t> code;  // levels present in the node, ascending
    std::vector<std::size_t> rows;   // of each
    std::vector<Weight> cells;       // level after level
    std::vector<Weight> missing;     // rows without a level that take part
    std::size_t n_missing = 0;
};

// Rows of zero weight take no part.
void group_by_level(const NodeRows& node, std::size_t column, LevelRows& out);

// The same without the rows, where each counts 1 and there is one output. `counts` holds zeros, before and after.
void count_level_cells(const NodeRows& node, std::size_t column, LevelCells<WholeCount>& out,
                       std::vector<std::uint32_t>& counts);

// For each way to order the levels (one per output; classification: one per class, or one if there are two): level
// positions by ascending mean (or `falling`), equal means in level order.
std::vector<LevelOrder> level_orders(const NodeRows& node, const LevelRows& levels,
                                     const std::vector<double>& class_scale, bool falling);

// Rows and sum of the target of a level, while its bound is computed.
struct LevelSum {
    double n = 0.0, sum = 0.0;
};

struct LevelScratch {
    std::vector<LevelSum> sums;         // zeros for all levels, between two calls
    std::vector<std::uint32_t> counts;  // likewise
    LevelCells<WholeCount> cells;
};

// A bound of the gain of all level sets of a column, from plain sums per level; infinite where none is known. It takes
// a tenth of the time of the exact search, which most columns are then spared.
//
// squared error (gini of two classes: twice that of the labels): the gain is s^2 n / (m (n - m)) for m rows on the left
// with the sum s of y minus the mean. It is convex in (m, s), so the best of all sets is a cut of the levels in the
// order of their means, and the sums err by e <= n^2 2^-49 largest, sqrt(gain) by e sqrt(n / (m (n - m))). Levels whose
// means are equal up to rounding may come in another order in the exact search: by convexity a set that divides them is
// no better than that with none or all of them.
double bound_level_sets(const NodeRows& node, std::size_t column, const SearchOptions& options,
                        LevelScratch& scratch);

// Entries that scan the levels in this order; after them those of the rows without a level.
void entries_in_order(const LevelRows& levels, const LevelOrder& order, std::vector<Entry>& out);

// Poisson level sets where some levels have no events.
//
// The best division with rates r_L < r_R has on its left the levels whose rate is below the logarithmic mean of r_L and
// r_R (the gain is convex in the left's weight and sum, so the best set lies on the side of the tangent where it
// grows). A side without events is not allowed, though: if only event-free levels lie below, the left must take one
// level more, and that need not be the one of the lowest rate. So besides the cuts of the order by rate (Breiman et al.
// 1984, theorem 4.5) the best set can only be all event-free levels and one other.

// Weight, events and rows of a level, or of the missing values.
struct EventPart {
    double weight = 0.0, events = 0.0;
    std::size_t n_rows = 0;

    EventPart operator+(const EventPart& other) const {
        return {weight + other.weight, events + other.events, n_rows + other.n_rows};
    }
    EventPart operator-(const EventPart& other) const {
        return {weight - other.weight, events - other.events, n_rows - other.n_rows};
    }
    bool allowed(const Limits& limits) const {
        return events > 0.0 && n_rows >= limits.min_rows && weight >= limits.min_weight;
    }
    // What the side adds to the gain, apart from a constant.
    double value() const { return events * std::log(events / weight); }
};

// Orders in which the best such set is a cut: one, or one for each side of the missing values (`n_missing` of them take
// part, and can be event-free themselves); none if everything has events. `by_rate`: the levels by ascending rate.
std::vector<LevelOrder> orders_past_event_free(const std::vector<EventPart>& level, const EventPart& missing,
                                               const Limits& limits, const LevelOrder& by_rate);
std::vector<LevelOrder> orders_past_event_free(const NodeRows& node, const LevelRows& levels, std::size_t n_missing,
                                               const Limits& limits, const LevelOrder& by_rate);

}  // namespace ceiba::split
