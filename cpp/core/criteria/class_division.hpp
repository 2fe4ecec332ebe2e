// Class counts of a division: of all rows that take part (total) and of those on the left so far.
//
// A division is the statistic of the split search. The scanner calls include() for every row that takes part, then
// add() for each row that crosses to the left; a criterion reads the sums. Three kinds, one interface:
//   BinaryDivision    two classes, every row counts 1: three integers
//   UnitDivision      K classes, every row counts 1: sums of squares kept up to date in O(1) per row
//   WeightedDivision  weights of rows, or a factor per class (altered priors): compensated sums
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/double_double.hpp"
#include "data/target.hpp"

namespace ceiba::criteria {

using base::DoubleDouble;
using base::Sum;

class BinaryDivision {
public:
    static constexpr bool unit_counts = true;

    BinaryDivision(int /*n_classes*/, const double* /*class_scale*/) {}

    void bind(const data::TargetRows& rows, int output, std::size_t begin) {
        label_ = rows.labels[output].data() + begin;
    }
    void reset() { total_n_ = total_ones_ = left_n_ = left_ones_ = 0; }
    void include(std::size_t i) {
        ++total_n_;
        total_ones_ += label_[i];
    }
    void clear_left() { left_n_ = left_ones_ = 0; }
    void add(std::size_t i) {
        ++left_n_;
        left_ones_ += label_[i];
    }

    int n_classes() const { return 2; }
    double left(int k) const { return number(k ? left_ones_ : left_n_ - left_ones_); }
    double right(int k) const { return number(k ? right_ones() : right_n() - right_ones()); }
    double total(int k) const { return number(k ? total_ones_ : total_n_ - total_ones_); }
    DoubleDouble left_precise(int k) const { return left(k); }
    DoubleDouble right_precise(int k) const { return right(k); }
    DoubleDouble total_precise(int k) const { return total(k); }
    double left_weight() const { return number(left_n_); }
    double right_weight() const { return number(right_n()); }
    double total_weight() const { return number(total_n_); }
    double left_squares() const { return left(0) * left(0) + left(1) * left(1); }
    double right_squares() const { return right(0) * right(0) + right(1) * right(1); }
    double left_value() const { return left(1) / left_weight(); }
    double right_value() const { return right(1) / right_weight(); }

private:
    static double number(std::int64_t n) { return static_cast<double>(n); }
    std::int64_t right_n() const { return total_n_ - left_n_; }
    std::int64_t right_ones() const { return total_ones_ - left_ones_; }

    const std::uint16_t* label_ = nullptr;
    std::int64_t total_n_ = 0, total_ones_ = 0, left_n_ = 0, left_ones_ = 0;
};

class UnitDivision {
public:
    static constexpr bool unit_counts = true;

    UnitDivision(int n_classes, const double* /*class_scale*/) : total_(n_classes), left_(n_classes) {}

    void bind(const data::TargetRows& rows, int output, std::size_t begin) {
        label_ = rows.labels[output].data() + begin;
    }
    void reset() {
        total_.assign(total_.size(), 0.0);
        total_n_ = 0.0;
        clear_left();
    }
    void include(std::size_t i) {
        total_[label_[i]] += 1.0;
        total_n_ += 1.0;
    }
    void clear_left() {
        left_.assign(left_.size(), 0.0);
        left_n_ = left_squares_ = cross_ = 0.0;
        total_squares_ = 0.0;
        for (double t : total_) total_squares_ += t * t;
    }
    void add(std::size_t i) {
        const std::size_t k = label_[i];
        left_squares_ += 2.0 * left_[k] + 1.0;
        cross_ += total_[k];
        left_[k] += 1.0;
        left_n_ += 1.0;
    }

    int n_classes() const { return static_cast<int>(total_.size()); }
    double left(int k) const { return left_[k]; }
    double right(int k) const { return total_[k] - left_[k]; }
    double total(int k) const { return total_[k]; }
    DoubleDouble left_precise(int k) const { return left(k); }
    DoubleDouble right_precise(int k) const { return right(k); }
    DoubleDouble total_precise(int k) const { return total(k); }
    double left_weight() const { return left_n_; }
    double right_weight() const { return total_n_ - left_n_; }
    double total_weight() const { return total_n_; }
    // Whole numbers below 2^53 for up to 94 million rows, so these identities are exact.
    double left_squares() const { return left_squares_; }
    double right_squares() const { return total_squares_ - 2.0 * cross_ + left_squares_; }
    double left_value() const { return left(1) / left_weight(); }
    double right_value() const { return right(1) / right_weight(); }

private:
    const std::uint16_t* label_ = nullptr;
    std::vector<double> total_, left_;
    double total_n_ = 0.0, left_n_ = 0.0;
    double left_squares_ = 0.0, cross_ = 0.0, total_squares_ = 0.0;
};

class WeightedDivision {
public:
    static constexpr bool unit_counts = false;

    WeightedDivision(int n_classes, const double* class_scale)
        : total_(n_classes), left_(n_classes), scale_(n_classes, 1.0) {
        if (class_scale) scale_.assign(class_scale, class_scale + n_classes);
    }

    void bind(const data::TargetRows& rows, int output, std::size_t begin) {
        label_ = rows.labels[output].data() + begin;
        weight_ = rows.weight.empty() ? nullptr : rows.weight.data() + begin;
    }
    void reset() {
        total_.assign(total_.size(), Sum{});
        clear_left();
    }
    void include(std::size_t i) { total_[label_[i]].add(weight(i)); }
    void clear_left() { left_.assign(left_.size(), Sum{}); }
    void add(std::size_t i) { left_[label_[i]].add(weight(i)); }

    int n_classes() const { return static_cast<int>(total_.size()); }
    double left(int k) const { return scale_[k] * left_[k].value(); }
    double right(int k) const { return scale_[k] * difference(k).value(); }
    double total(int k) const { return scale_[k] * total_[k].value(); }
    DoubleDouble left_precise(int k) const { return DoubleDouble(scale_[k]) * left_[k].precise(); }
    DoubleDouble right_precise(int k) const { return DoubleDouble(scale_[k]) * difference(k); }
    DoubleDouble total_precise(int k) const { return DoubleDouble(scale_[k]) * total_[k].precise(); }
    double left_weight() const { return over_classes([this](int k) { return left(k); }); }
    double right_weight() const { return over_classes([this](int k) { return right(k); }); }
    double total_weight() const { return over_classes([this](int k) { return total(k); }); }
    double left_squares() const { return over_classes([this](int k) { return left(k) * left(k); }); }
    double right_squares() const { return over_classes([this](int k) { return right(k) * right(k); }); }
    double left_value() const { return left(1) / left_weight(); }
    double right_value() const { return right(1) / right_weight(); }

private:
    double weight(std::size_t i) const { return weight_ ? weight_[i] : 1.0; }
    DoubleDouble difference(int k) const { return total_[k].precise() - left_[k].precise(); }
    template <class F>
    double over_classes(F f) const {
        double sum = 0.0;
        for (int k = 0; k < n_classes(); ++k) sum += f(k);
        return sum;
    }

    const std::uint16_t* label_ = nullptr;
    const double* weight_ = nullptr;
    std::vector<Sum> total_, left_;
    std::vector<double> scale_;
};

}  // namespace ceiba::criteria
