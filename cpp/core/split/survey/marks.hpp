// The survey of a column by its counts: the gain that a cut certainly reaches, and the cuts that may still win. The
// search in memory (bins/bounded_finder.hpp) and the search over shards (shards/survey) both use it.
//
// A `BinnedColumn` is a column of a node as ascending ranges of values (bins or parts of bins) with their counts:
// size(), rows(i), fields(i) (bins/cells.hpp), settled(i): no cut inside can win; n_present() rows with a value,
// n_missing() participating missing rows; left(), total(): fields. walk() visits its ranges with the missing values on
// one side: inside(i, rows before, rows after, present rows before), then boundary(i, rows before, rows after).
#pragma once

#include "base/sort.hpp"
#include "split/candidate.hpp"
#include "split/survey/bounds.hpp"

namespace ceiba::split {

// Cuts that may win: inside a range, and at its end. There is one set per side of the missing values.
struct Marks {
    static constexpr std::uint8_t inside = 1, after = 2;

    std::array<std::vector<std::uint8_t>, 2> sides;
    bool presence = false;     // the split "has a value or not" may win
    double rows_inside = 0.0;  // rows of the ranges inside which a cut may win
    bool any = false;

    std::uint8_t of(std::size_t i) const {
        return static_cast<std::uint8_t>((sides[0].empty() ? 0 : sides[0][i]) | (sides[1].empty() ? 0 : sides[1][i]));
    }
};

// Walks over the nonempty ranges of a column. On entry `left` contains the fields of everything left of them. At
// inside(i) it contains the fields of everything before range i, at boundary(i) also those of range i. There is no
// boundary after the last value, where a cut would divide nothing. Cost: one addition per range and field.
template <class Column, class Inside, class Boundary>
void walk_ranges(const Column& column, bool missing_left, std::vector<double>& left, Inside inside, Boundary boundary) {
    const double n_all = column.n_rows();
    double before = missing_left ? column.n_missing() : 0.0, seen = 0.0;
    for (std::size_t i = 0; i < column.size(); ++i) {
        const double rows = column.rows(i);
        if (rows == 0.0) continue;
        inside(i, before, n_all - before - rows, seen);
        const double* const fields = column.fields(i);
        for (std::size_t f = 0; f < left.size(); ++f) left[f] += fields[f];
        before += rows;
        seen += rows;
        if (seen == column.n_present()) return;
        boundary(i, before, n_all - before);
    }
}

// The number of sides to try for missing values: right, and also left if there are any.
template <class BinnedColumn>
int n_sides(const BinnedColumn& column) {
    return column.n_missing() > 0.0 ? 2 : 1;
}

// The best certain gain of the boundaries between ranges. allowed(rows before, rows after) returns whether the current
// division is certainly allowed.
template <class BinnedColumn, class Bounds, class Allowed>
double certain_gain(BinnedColumn& column, const Bounds& bounds, const Limits& limits, Allowed allowed) {
    const double least = static_cast<double>(limits.min_rows);
    double best = no_floor;
    for (int side = 0; side < n_sides(column); ++side)
        column.walk(
            side == 1, [](std::size_t, double, double, double) {},
            [&](std::size_t, double before, double after) {
                if (before < least || after < least) return;
                if constexpr (requires { bounds.surely_below(column.left(), best); })
                    if (bounds.surely_below(column.left(), best)) return;
                const double low = bounds.gain(column.left()).low;
                if (low > best && allowed(before, after)) best = low;
            });
    return best;
}

// Marks the cuts that may reach the floor. Calls open(i, bound) for each range inside which a cut may.
template <class BinnedColumn, class Bounds, class Open>
Marks mark(BinnedColumn& column, const Bounds& bounds, const Limits& limits, double floor, Open open) {
    Marks out;
    const double least = static_cast<double>(limits.min_rows);
    const bool free = limits.monotone == 0 && limits.min_weight <= 0.0;
    bool ruled_out = false;  // the current range, and the boundary after it
    for (int side = 0; side < n_sides(column); ++side) {
        std::vector<std::uint8_t>& marks = out.sides[side];
        marks.assign(column.size(), 0);
        column.walk(
            side == 1,
            [&](std::size_t i, double before, double after, double seen) {
                if constexpr (requires { bounds.surely_below(column.left(), column.left(), floor); })
                    if ((ruled_out = bounds.surely_below(column.left(), column.fields(i), floor))) return;
                const double rows = column.rows(i);
                if (column.settled(i) || rows < 2.0 || before + rows - 1.0 < least || after + rows - 1.0 < least)
                    return;
                BinPlace place;
                place.rows = rows;
                place.first = before == 0.0;
                place.last = after == 0.0;
                place.least_rows = least;
                place.ends_count =
                    free && seen > 0.0 && seen + rows < column.n_present() && before >= least && after >= least;
                const double bound = bounds.inside(column.left(), column.fields(i), place, floor);
                if (bound < floor) return;
                open(i, bound);
                marks[i] = Marks::inside;
                out.any = true;
                if (side == 0 || !(out.sides[0][i] & Marks::inside)) out.rows_inside += rows;
            },
            [&](std::size_t i, double before, double after) {
                if (ruled_out || before < least || after < least || bounds.gain(column.left()).high < floor) return;
                marks[i] |= Marks::after;
                out.any = true;
            });
    }
    out.presence = column.n_missing() >= least && column.n_present() >= least && column.n_missing() > 0.0 &&
                   !(bounds.gain(column.present_fields()).high < floor);
    out.any = out.any || out.presence;
    return out;
}

// Sums of a side, which may be rounded.
struct WeightAndSum {
    double weight, sum;  // sum: of class 1, or of the target minus `centre`
};

// The maximum errors of both, and the centre of the sums.
struct SumErrors {
    double weight = 0.0, sum = 0.0, centre = 0.0;
};

inline bool certainly_allowed(const WeightAndSum& left, const WeightAndSum& total, const SumErrors& doubt,
                              const Limits& limits) {
    const double wl = left.weight, wr = total.weight - wl, off = doubt.weight + total.weight * 0x1p-40;
    if (!(wl > off && wr > off) || wl - off < limits.min_weight || wr - off < limits.min_weight) return false;
    if (limits.monotone == 0) return true;
    const double a = left.sum / wl, b = (total.sum - left.sum) / wr, size = std::fabs(a) + std::fabs(b);
    const double error = (doubt.sum + (size + 1.0) * off) / (std::min(wl, wr) - off) + size * 0x1p-40;
    const double low = limits.low - doubt.centre, high = limits.high - doubt.centre;
    return (b - a) * limits.monotone > 2.0 * error && std::min(a, b) > low + error && std::max(a, b) < high - error;
}

// Keys are integers in the order of the numbers. A zoom divides a range of keys into equal parts.

// Both zeros have the same key.
inline std::uint64_t key_of(double x) { return base::sort_key(x + 0.0); }
inline double number_of(std::uint64_t key) {
    return std::bit_cast<double>(key ^ ((key >> 63) ? std::uint64_t{1} << 63 : ~std::uint64_t{0}));
}

// A range is counted again in at most 2^zoom_bits parts. The part of a key is (key - low) >> zoom_shift.
constexpr int zoom_bits = 8;
constexpr std::size_t zoom_parts = std::size_t{1} << zoom_bits;
inline int zoom_shift(std::uint64_t low, std::uint64_t high, int bits = zoom_bits) {
    return std::max(0, static_cast<int>(std::bit_width(high - low)) - bits);
}

}  // namespace ceiba::split
