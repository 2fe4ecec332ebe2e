// Absolute deviations about the weighted median in a division (see class_division.hpp for the idea).
//
// Rows are ranked by y once per search; two Fenwick trees over the ranks hold weight and weighted sum of the left
// side, so that adding a row and finding the median of a side take O(log n): O(n log n) per column and node for any
// weights. (Moving a median pointer along a linked list is faster for equal weights and quadratic in the worst case
// for unequal ones.)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/double_double.hpp"
#include "data/target.hpp"

namespace ceiba::criteria {

using base::DoubleDouble;

class MedianDivision {
public:
    struct Left {};  // too large to keep: AbsoluteError's bounds are its gain, so no cut is ever weighed again

    void bind(const data::TargetRows& rows, int output, std::size_t begin) {
        number_ = rows.numbers[output].data() + begin;
        weight_ = rows.weight.empty() ? nullptr : rows.weight.data() + begin;
    }
    void reset() {
        included_.clear();
        ranked_ = false;
    }
    void include(std::size_t i) {
        included_.push_back(static_cast<std::uint32_t>(i));
        ranked_ = false;
    }
    void clear_left() {
        if (!ranked_) rank();
        left_.assign(left_.size(), Cell{});
        left_all_ = Cell{};
    }
    void add(std::size_t i) {
        const Cell c = cell(i);
        left_all_ += c;
        for (std::size_t r = rank_[i] + 1; r < left_.size(); r += r & (~r + 1)) left_[r] += c;
    }

    Left left_part() const { return {}; }
    void put_back(Left) {}

    double left_weight() const { return left_all_.weight.value(); }
    double right_weight() const { return (total_all_.weight - left_all_.weight).value(); }
    double total_weight() const { return total_all_.weight.value(); }
    double left_value() const { return median(true); }
    double right_value() const { return median(false); }

    // The gain: deviation of all rows less that of the two sides.
    double gain() const { return std::max(0.0, (total_deviation_ - deviation(true) - deviation(false)).value()); }
    double total_deviation() const { return total_deviation_.value(); }

private:
    // Compensated: the right side is a difference, and beside heavy rows on the left it would have lost its digits.
    struct Cell {
        DoubleDouble weight, sum;
        Cell& operator+=(const Cell& o) {
            weight = weight + o.weight;
            sum = sum + o.sum;
            return *this;
        }
        Cell operator-(const Cell& o) const { return {weight - o.weight, sum - o.sum}; }
    };
    struct Middle {
        double value;  // the lower weighted median, shifted
        Cell below;    // rows up to and including the median
    };

    double weight(std::size_t i) const { return weight_ ? weight_[i] : 1.0; }
    Cell cell(std::size_t i) const { return {weight(i), base::two_product(weight(i), number_[i] - shift_)}; }

    void rank() {
        order_ = included_;
        std::sort(order_.begin(), order_.end(), [this](std::uint32_t a, std::uint32_t b) {
            return number_[a] < number_[b] || (number_[a] == number_[b] && a < b);
        });
        rank_.resize(order_.empty() ? 0 : *std::max_element(order_.begin(), order_.end()) + 1);
        shift_ = order_.empty() ? 0.0 : number_[order_[order_.size() / 2]];
        left_.assign(order_.size() + 1, Cell{});
        total_.assign(order_.size() + 1, Cell{});
        total_all_ = left_all_ = Cell{};
        for (std::size_t r = 0; r < order_.size(); ++r) {
            rank_[order_[r]] = static_cast<std::uint32_t>(r);
            const Cell c = cell(order_[r]);
            total_all_ += c;
            for (std::size_t t = r + 1; t < total_.size(); t += t & (~t + 1)) total_[t] += c;
        }
        top_ = 1;
        while (top_ * 2 < total_.size()) top_ *= 2;
        ranked_ = true;
        total_deviation_ = deviation(false);
    }

    // The mean of the two middle values where the weight halves exactly, as the node's value has it.
    double median(bool left) const { return 0.5 * (middle(left).value + middle(left, true).value) + shift_; }

    // Walks down the Fenwick tree of one side to the first rank at which half of the weight is reached (or passed).
    Middle middle(bool left, bool passed = false) const {
        const DoubleDouble all = left ? left_all_.weight : total_all_.weight - left_all_.weight;
        const DoubleDouble half(0.5 * all.hi, 0.5 * all.lo);
        std::size_t at = 0;
        Cell below;
        for (std::size_t step = top_; step; step /= 2) {
            if (at + step >= total_.size()) continue;
            const Cell c = left ? left_[at + step] : total_[at + step] - left_[at + step];
            const DoubleDouble with = below.weight + c.weight;
            if (with < half || (passed && !(half < with))) {
                at += step;
                below += c;
            }
        }
        at = std::min(at, order_.size() - 1);
        return {number_[order_[at]] - shift_, below};
    }
    DoubleDouble deviation(bool left) const {
        const Cell all = left ? left_all_ : total_all_ - left_all_;
        const Middle m = middle(left);
        const Cell above = all - m.below;
        return (above.sum - above.weight * m.value) + (m.below.weight * m.value - m.below.sum);
    }

    const double* number_ = nullptr;
    const double* weight_ = nullptr;
    bool ranked_ = false;
    std::vector<std::uint32_t> included_, order_, rank_;
    std::vector<Cell> left_, total_;  // Fenwick trees, 1-based
    Cell left_all_, total_all_;
    std::size_t top_ = 1;
    double shift_ = 0.0;
    DoubleDouble total_deviation_;
};

struct AbsoluteError {
    double tie = 0.0;

    void begin(const MedianDivision& d) { tie = d.total_deviation() * 0x1p-43; }
    bool below(const MedianDivision& d, double t) const { return upper(d) < t; }
    double upper(const MedianDivision& d) const { return d.gain() + tie; }
    static constexpr bool bounds_are_exact = true;
    double lower(const MedianDivision& d) const { return d.gain() - tie; }
    DoubleDouble gain(const MedianDivision& d) const { return DoubleDouble(d.gain()); }
    double tolerance() const { return tie; }
};

}  // namespace ceiba::criteria
