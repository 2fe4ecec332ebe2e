// The counts of shards. A cell consists of 64-bit words that are only added and subtracted, so counts depend neither on
// the distribution of the rows over shards nor on the order in which answers are merged.
//   classes            rows of each class
//   weighted classes   rows; the exact weight of each class in digits (NumberDigits)
//   numbers            rows; squares of (y - centre) in quanta, rounded up; the exact sum of y in digits
//   weighted numbers   the same with weights: rows, squares, sum of w y; then the exact weight in digits
#pragma once

#include "base/fixed_point.hpp"
#include "split/survey/marks.hpp"

namespace ceiba::shards {

using base::carry;
using base::NumberDigits;

// The number of words for numbers with bits from 2^lowest to below 2^highest.
inline std::size_t digits_for(int lowest, int highest) {
    return highest <= lowest ? 1 : static_cast<std::size_t>((highest - lowest + 31) / 32);
}

// Every finite double is a multiple of 2^-1074.
constexpr int any_unit = -1074;
constexpr std::size_t any_digits = (1024 + 1074 + 31) / 32 + 1;

inline base::LongSum sum_of(const std::uint64_t* digits, std::size_t n, int unit) {
    std::array<std::int64_t, any_digits + 2> carried;  // no vector: this is the innermost loop in surveys of numbers
    double sign = 1.0;
    const auto carry_all = [&](bool flip) {
        std::int64_t carry = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const auto digit = static_cast<std::int64_t>(digits[i]);
            const std::int64_t v = (flip ? -digit : digit) + carry;
            carried[i] = v & 0xFFFFFFFF;
            carry = v >> 32;
        }
        carried[n] = carry & 0xFFFFFFFF;
        carried[n + 1] = carry >> 32;
        return carry;
    };
    if (carry_all(false) < 0) sign = -1.0, carry_all(true);
    base::LongSum sum;
    for (std::size_t i = n + 2; i-- > 0;)
        if (carried[i] != 0)
            sum.add(sign * std::ldexp(static_cast<double>(carried[i]), 32 * static_cast<int>(i) + unit));
    return sum;
}

struct CellShape {
    std::size_t n_classes = 0;  // 0: numbers
    int unit = 0;               // numbers are multiples of 2^unit
    std::size_t n_digits = 0;
    double centre = 0.0, reach = 0.0;  // reach: the largest distance from the centre
    double per_square = 0.0;
    bool rates = false;  // losses are those of event rates (poisson)
    bool weighted = false;
    int weight_unit = 0;
    std::size_t weight_digits = 0;

    bool classes() const { return n_classes > 0; }
    std::size_t width() const {
        if (classes()) return weighted ? 1 + n_classes * weight_digits : n_classes;
        return 2 + n_digits + weight_digits;
    }
    std::uint64_t rows(const std::uint64_t* cell) const {
        if (!classes() || weighted) return cell[0];
        std::uint64_t n = 0;
        for (std::size_t k = 0; k < n_classes; ++k) n += cell[k];
        return n;
    }
    base::LongSum class_weight(const std::uint64_t* cell, std::size_t k) const {
        if (weighted) return sum_of(cell + 1 + k * weight_digits, weight_digits, weight_unit);
        base::LongSum count;
        count.add(static_cast<double>(cell[k]));
        return count;
    }
    // The weight of all classes, or of all numbers.
    base::LongSum weight(const std::uint64_t* cell) const {
        base::LongSum count;
        if (!weighted) {
            count.add(static_cast<double>(rows(cell)));
            return count;
        }
        if (!classes()) return sum_of(cell + 2 + n_digits, weight_digits, weight_unit);
        std::vector<std::uint64_t> digits(weight_digits, 0);
        for (std::size_t k = 0; k < n_classes; ++k)
            for (std::size_t d = 0; d < weight_digits; ++d) digits[d] += cell[1 + k * weight_digits + d];
        return sum_of(digits.data(), weight_digits, weight_unit);
    }
    base::LongSum sum(const std::uint64_t* cell) const { return sum_of(cell + 2, n_digits, unit); }
    double mean(const std::uint64_t* cell) const { return sum(cell).value() / weight(cell).value(); }

    // Carries the digits of a cell.
    void carry(std::uint64_t* cell) const {
        if (classes() && weighted)
            for (std::size_t k = 0; k < n_classes; ++k) shards::carry(cell + 1 + k * weight_digits, weight_digits);
        if (classes()) return;
        shards::carry(cell + 2, n_digits);
        shards::carry(cell + 2 + n_digits, weight_digits);
    }
    // Whether two cells contain the same sums.
    bool alike(std::vector<std::uint64_t> a, std::vector<std::uint64_t> b) const {
        carry(a.data());
        carry(b.data());
        return a == b;
    }

    // Adds weights with bits from 2^lowest to below 2^highest. It must be called last.
    void weigh(int lowest, int highest) {
        weighted = true;
        weight_unit = lowest;
        weight_digits = digits_for(lowest, highest) + 2;
        if (classes()) return;
        unit += lowest;
        n_digits += digits_for(lowest, highest) + 1;
        per_square = std::ldexp(per_square, -highest);
    }
    // The shape for numbers from `least` to `most` with bits from 2^lowest to below 2^highest.
    static CellShape of_numbers(double least, double most, int lowest, int highest, std::uint64_t n_rows, bool rates) {
        CellShape shape;
        shape.unit = lowest;
        shape.n_digits = digits_for(lowest, highest) + 2;
        shape.rates = rates;
        shape.centre = rates ? 0.0 : 0.5 * least + 0.5 * most;
        shape.reach = std::max(most - shape.centre, shape.centre - least);
        const int bits = std::min(46, 62 - static_cast<int>(std::bit_width(n_rows)));
        shape.per_square = shape.reach > 0.0 ? std::ldexp(1.0, bits) / (shape.reach * shape.reach) : 0.0;
        return shape;
    }
    double loss(double w, double y, double answer) const {
        return rates ? criteria::Poisson::loss(w, y, answer) : criteria::SquaredError::loss(w, y, answer);
    }
};

// Returns the sum of some cells.
inline std::vector<std::uint64_t> sum_cells(std::span<const std::uint64_t> cells, std::size_t width) {
    std::vector<std::uint64_t> sum(width, 0);
    if (width == 2) {  // two classes: in registers
        std::uint64_t first = 0, second = 0;
        for (std::size_t at = 0; at < cells.size(); at += 2) first += cells[at], second += cells[at + 1];
        return {first, second};
    }
    for (std::size_t at = 0; at < cells.size(); at += width)
        for (std::size_t w = 0; w < width; ++w) sum[w] += cells[at + w];
    return sum;
}

// The contribution of a row to a cell.
struct NumberTerm {
    std::uint64_t square;
    NumberDigits digits;

    NumberTerm(const CellShape& shape, double y)
        : square(base::square_term(y, shape.centre, shape.per_square)),
          digits(y, shape.unit) {}
    void add_to(std::uint64_t* cell) const {
        ++cell[0];
        cell[1] += square;
        digits.add_to(cell + 2);
    }
};

struct WeightedNumberTerm {
    std::uint64_t square;
    std::size_t n_digits;
    NumberDigits high, low, weight;  // high, low: w y, which is a sum of two doubles

    WeightedNumberTerm(const CellShape& shape, double y, double w)
        : WeightedNumberTerm(shape, y, w, base::two_product(w, y)) {}
    void add_to(std::uint64_t* cell) const {
        ++cell[0];
        cell[1] += square;
        high.add_to(cell + 2);
        low.add_to(cell + 2);
        weight.add_to(cell + 2 + n_digits);
    }

private:
    WeightedNumberTerm(const CellShape& shape, double y, double w, base::DoubleDouble product)
        : square(base::square_term(y, w, shape.centre, shape.per_square)),
          n_digits(shape.n_digits),
          high(product.hi, shape.unit),
          low(product.lo, shape.unit),
          weight(w, shape.weight_unit) {}
};

struct WeightedClassTerm {
    std::size_t at;
    NumberDigits weight;

    WeightedClassTerm(const CellShape& shape, std::size_t label, double w)
        : at(1 + label * shape.weight_digits), weight(w, shape.weight_unit) {}
    void add_to(std::uint64_t* cell) const {
        ++cell[0];
        weight.add_to(cell + at);
    }
};

struct ClassTerm {
    std::size_t label;

    void add_to(std::uint64_t* cell) const { ++cell[label]; }
};

// The layout on which all shards of a table agree before the first round: the bins of every column, and their cells.
using split::key_of;
using split::number_of;
using split::zoom_shift;

struct ColumnLayout {
    std::size_t n_levels = 0;   // number of levels, which are counted separately; 0: numbers, counted in bins
    std::vector<double> edge;   // numbers: the bin of x is the number of edges below x
    std::vector<double> least;  // numbers, per bin: the smallest value of the whole table, or +inf
    std::vector<double> most;   // and the largest, or -inf
    bool coarse = false;        // numbers that are cut at edges only (max_bins): a value is the number of its bin
    std::size_t slot = 0;       // numbers: position of this column among the bytes of a row
    std::size_t first_cell = 0;

    bool levels() const { return n_levels > 0; }
    std::size_t n_bins() const { return levels() ? n_levels : edge.size() + 1; }
    std::size_t n_cells() const { return n_bins() + 1; }  // the last one counts missing values
    std::size_t bin_of(double x) const {
        return static_cast<std::size_t>(std::lower_bound(edge.begin(), edge.end(), x) - edge.begin());
    }
    // Coarse: the last bin below a cut between two bin numbers; if the bins between are empty, the middle one.
    std::size_t last_bin_below(double cut) const { return static_cast<std::size_t>(std::ceil(cut)) - 1; }
    // The cut that the tree stores.
    double real_cut(double cut) const { return coarse ? edge[last_bin_below(cut)] : cut; }
};

struct Layout {
    CellShape shape;
    std::vector<ColumnLayout> column;
    std::size_t n_slots = 0;
    std::size_t n_cells = 0;  // of all columns

    void add(ColumnLayout c) {
        if (!c.levels()) c.slot = n_slots++;
        c.first_cell = n_cells;
        n_cells += c.n_cells();
        column.push_back(std::move(c));
    }
    std::size_t n_words() const { return n_cells * shape.width(); }
};

}  // namespace ceiba::shards
