// What shards count: a cell is some 64-bit words that are only ever added and subtracted, so counts do not depend on
// how the rows are spread over shards, nor on the order in which answers are merged.
//   classes   rows of each class
//   numbers   rows; squares of (y - centre) in quanta, rounded up; the exact sum of y in digits (digits.hpp)
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

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

    bool classes() const { return n_classes > 0; }
    std::size_t width() const { return classes() ? n_classes : 2 + n_digits; }
    std::uint64_t rows(const std::uint64_t* cell) const {
        if (!classes()) return cell[0];
        std::uint64_t n = 0;
        for (std::size_t k = 0; k < n_classes; ++k) n += cell[k];
        return n;
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
    double loss(double y, double answer) const {
        return rates ? criteria::Poisson::loss(1.0, y, answer) : criteria::SquaredError::loss(1.0, y, answer);
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

struct ClassTerm {
    std::size_t label;

    void add_to(std::uint64_t* cell) const { ++cell[label]; }
};

}  // namespace ceiba::shards
