// The rows of a node grouped by level, and the orders of levels to scan.
//
// Breiman et al. 1984, theorem 4.5: for two classes or a numeric target, with gini, entropy, squared error or Poisson
// deviance, the best of all 2^(L-1) - 1 level sets is among the L - 1 cuts of the levels ordered by their mean (share
// of a class). For absolute error the same order is a heuristic. Levels are therefore ordered, ranked and scanned like
// numbers.
#pragma once

#include "split/search_options.hpp"
#include "split/store/row_store.hpp"

namespace ceiba::split {

using LevelOrder = std::vector<std::uint32_t>;  // positions of the levels in a node

struct LevelRows {
    std::vector<std::int32_t> code;      // levels present in the node, ascending
    std::vector<std::uint32_t> start;    // rows of level l: rows[start[l], start[l + 1])
    std::vector<std::uint32_t> rows;     // rows of the node
    std::vector<std::uint32_t> missing;  // rows without a level

    std::size_t n_levels() const { return code.size(); }
    std::size_t n_rows() const { return rows.size(); }
};

// The class weights of each level of a column in a node, which are all that the search for a level set needs.

// A class weight if every row counts 1: an integer, exact in a double. With weights, LongSum replaces it.
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
    std::vector<std::size_t> rows;   // of each level
    std::vector<Weight> cells;       // by level
    std::vector<Weight> missing;     // participating rows without a level
    std::size_t n_missing = 0;
};

// Groups the rows by level. Rows of zero weight are left out.
void group_by_level(const NodeRows& node, std::size_t column, LevelRows& out);

// Counts the levels of these columns with all threads, for unit weights and one output. Columns with too many levels
// are left out.
std::shared_ptr<const LevelCounts> count_levels(const NodeRows& node, const std::vector<std::size_t>& columns,
                                                base::ThreadPool& pool);

// The same without the rows, for unit weights and one output. `counts` is all zeros before and after the call.
void count_level_cells(const NodeRows& node, std::size_t column, LevelCells<WholeCount>& out,
                       std::vector<std::uint32_t>& counts);

// All orders of the levels (one per output; classification: one per class, or one for two classes): level positions by
// ascending mean (descending if `falling`). Equal means stay in level order.
std::vector<LevelOrder> level_orders(const NodeRows& node, const LevelRows& levels,
                                     const std::vector<double>& class_scale, bool falling);

// The number of rows and the sum of the target of a level, for its bound.
struct LevelSum {
    double n = 0.0, sum = 0.0;
};

struct LevelScratch {
    std::vector<LevelSum> sums;         // per level; all zeros between two calls
    std::vector<std::uint32_t> counts;  // likewise
    // Per column of the current node: the bound and the exact search use the same counts.
    std::vector<LevelCells<WholeCount>> cells;
    std::vector<std::uint8_t> counted;  // cleared for each node

    LevelCells<WholeCount>& cells_of(const NodeRows& node, std::size_t column);
};

// An upper bound of the gain of all level sets of a column, from plain sums per level; infinite if there is none. It
// takes a tenth of the time of the exact search, which it avoids for most columns.
//
// Squared error (gini of two classes: twice that of the labels): if s is the sum of y minus the mean over the m rows on
// the left, the gain is s^2 n / (m (n - m)). It is convex in (m, s), so the best set is a cut of the levels ordered by
// mean. The sums have an error e <= n^2 2^-49 largest, and sqrt(gain) has e sqrt(n / (m (n - m))). The exact search may
// order levels differently if their means are equal up to rounding: by convexity a set that divides them is no better
// than the set with none or all of them.
double bound_level_sets(const NodeRows& node, std::size_t column, const SearchOptions& options,
                        LevelScratch& scratch);

// Writes the entries of the levels in this order, followed by those of the rows without a level.
void entries_in_order(const LevelRows& levels, const LevelOrder& order, std::vector<Entry>& out);

// Poisson level sets if some levels have no events.
//
// The best division with rates r_L < r_R has on its left the levels whose rate is below the logarithmic mean of r_L and
// r_R (the gain is convex in the left's weight and sum, so the best set is on the side of the tangent where it grows).
// However, a side without events is not allowed: if only event-free levels are below, the left needs one more level,
// not necessarily the one with the lowest rate. Besides the cuts of the order by rate (Breiman et al. 1984, theorem
// 4.5), the best set can therefore only be all event-free levels and one other.

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
    // The contribution of the side to the gain, up to a constant.
    double value() const { return events * std::log(events / weight); }
};

// The orders in which the best such set is a cut: one, or one per side of the missing values (`n_missing` of them
// participate, and may be event-free themselves); none if all levels have events. `by_rate`: levels by ascending rate.
std::vector<LevelOrder> orders_past_event_free(const std::vector<EventPart>& level, const EventPart& missing,
                                               const Limits& limits, const LevelOrder& by_rate);
std::vector<LevelOrder> orders_past_event_free(const NodeRows& node, const LevelRows& levels, std::size_t n_missing,
                                               const Limits& limits, const LevelOrder& by_rate);

}  // namespace ceiba::split
