// What shards count: a cell is some 64-bit words that are only ever added and subtracted, so counts do not depend on
// how the rows are spread over shards, nor on the order in which answers are merged.
//   classes            rows of each class
//   weighted classes   rows; the exact weight of each class in digits (digits.hpp)
//   numbers            rows; squares of (y - centre) in quanta, rounded up; the exact sum of y in digits
//   weighted numbers   the same with weights: rows, squares, sum of w y; then the exact weight in digits
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "criteria/moment_criteria.hpp"
#include "shards/digits.hpp"

namespace ceiba::shards {

struct CellShape {
    std::size_t n_classes = 0;  // 0: numbers
    int unit = 0;               // numbers are multiples of 2^unit
    std::size_t n_digits = 0;
    double centre = 0.0, reach = 0.0;  // the largest distance from it
    double per_square = 0.0;
    bool rates = false;  // losses are those of rates (poisson)
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

    // Carries the digits of a cell (digits.hpp).
    void carry(std::uint64_t* cell) const {
        if (classes() && weighted)
            for (std::size_t k = 0; k < n_classes; ++k) shards::carry(cell + 1 + k * weight_digits, weight_digits);
        if (classes()) return;
        shards::carry(cell + 2, n_digits);
        shards::carry(cell + 2 + n_digits, weight_digits);
    }
    // Do two cells hold the same sums?
    bool alike(std::vector<std::uint64_t> a, std::vector<std::uint64_t> b) const {
        carry(a.data());
        carry(b.data());
        return a == b;
    }

    // Rows have weights from 2^lowest to below 2^highest; to be called last.
    void weigh(int lowest, int highest) {
        weighted = true;
        weight_unit = lowest;
        weight_digits = digits_for(lowest, highest) + 2;
        if (classes()) return;
        unit += lowest;
        n_digits += digits_for(lowest, highest) + 1;
        per_square = std::ldexp(per_square, -highest);
    }
    // For numbers from `least` to `most` whose bits lie from 2^lowest to below 2^highest.
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

// What a row adds to a cell.
struct NumberTerm {
    std::uint64_t square;
    NumberDigits digits;

    NumberTerm(const CellShape& shape, double y)
        : square(static_cast<std::uint64_t>((y - shape.centre) * (y - shape.centre) * shape.per_square) + 2),
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
    NumberDigits high, low, weight;  // of w y, which is a sum of two doubles

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
        : square(static_cast<std::uint64_t>(w * (y - shape.centre) * (y - shape.centre) * shape.per_square) + 2),
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

}  // namespace ceiba::shards
