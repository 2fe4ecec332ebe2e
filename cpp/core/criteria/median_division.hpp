// Absolute deviations about the median in a division of rows that all count 1 (see class_division.hpp for the idea;
// weighted_median_division.hpp for rows that do not). One or several outputs; the gain is the mean over them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/double_double.hpp"
#include "base/expansion.hpp"
#include "criteria/running_medians.hpp"
#include "data/target.hpp"

namespace ceiba::criteria {

using base::DoubleDouble;

// The bits that the numbers of a target need.
inline base::BitRange bit_range(const data::TargetRows& target) {
    base::BitRange range;
    for (const auto& numbers : target.numbers)
        for (double y : numbers) range.include(y);
    return range;
}

template <class Number>
class MedianDivision {
public:
    static constexpr double tie_share = 0x1p-98;  // of the deviation of all rows: double-doubles tell no less
    // A division by its figures, without its rows: enough to weigh it again.
    struct Left {
        std::size_t n_left = 0;
        double left_value = 0.0, right_value = 0.0;
        Number loss{};
    };

    MedianDivision(std::size_t n_outputs, int unit) : unit_(unit), outputs_(n_outputs), number_(n_outputs) {}

    void bind(const data::TargetRows& rows, int /*output*/, std::size_t begin) {
        for (std::size_t o = 0; o < outputs_.size(); ++o) number_[o] = rows.numbers[o].data() + begin;
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
        kept_ = false;
        n_left_ = 0;
        for (std::size_t o = 0; o < outputs_.size(); ++o) {
            if (ranked_)
                outputs_[o].clear();
            else
                outputs_[o].take(number_[o], included_, unit_);
        }
        ranked_ = true;
    }
    // Not inlined: long, and asked for in many places; scans follow() rows instead.
    [[gnu::noinline]] void add(std::size_t i) {
        ++n_left_;
        for (auto& medians : outputs_) medians.move(i);
    }

    // Moves rows to the left one after the other and writes down the division after each.
    template <class RowAt>
    void follow(RowAt row_at, std::size_t n, bool with_values) {
        loss_.resize(n);
        left_value_.resize(with_values ? n : 0);
        right_value_.resize(with_values ? n : 0);
        before_ = n_left_;
        n_left_ += n;
        for (std::size_t o = 0; o < outputs_.size(); ++o)
            outputs_[o].follow(row_at, n,
                               {loss_.data(), o > 0, with_values ? left_value_.data() : nullptr,
                                with_values ? right_value_.data() : nullptr});
    }
    // The division after n of the rows that were followed.
    const Number& loss_after(std::size_t n) const { return loss_[n - 1]; }
    Left left_after(std::size_t n) const {
        const bool values = !left_value_.empty();
        return {before_ + n, values ? left_value_[n - 1] : 0.0, values ? right_value_[n - 1] : 0.0, loss_[n - 1]};
    }

    Left left_part() const {
        return kept_ ? at_ : Left{n_left_, outputs_.front().left_median(), outputs_.front().right_median(), all_loss()};
    }
    // Until rows move again, the division is the one of these figures.
    void put_back(const Left& left) {
        at_ = left;
        kept_ = true;
    }

    double left_weight() const { return static_cast<double>(kept_ ? at_.n_left : n_left_); }
    double right_weight() const { return total_weight() - left_weight(); }
    double total_weight() const { return static_cast<double>(included_.size()); }
    // Of the first output: monotone limits are refused for several before the core is called.
    double left_value() const { return kept_ ? at_.left_value : outputs_.front().left_median(); }
    double right_value() const { return kept_ ? at_.right_value : outputs_.front().right_median(); }

    DoubleDouble gain() const {
        return base::precise(decrease(), unit_) / DoubleDouble(static_cast<double>(outputs_.size()));
    }
    base::Fraction exact_gain() const { return {base::exact(decrease(), unit_), static_cast<double>(outputs_.size())}; }
    DoubleDouble total_deviation() const { return base::precise(total_loss(), unit_); }

private:
    Number total_loss() const {
        Number sum{};
        for (const auto& medians : outputs_) sum += medians.total_loss();
        return sum;
    }
    Number all_loss() const {
        Number sum{};
        for (const auto& medians : outputs_) sum += medians.loss();
        return sum;
    }
    Number decrease() const { return total_loss() - (kept_ ? at_.loss : all_loss()); }

    int unit_;
    std::vector<RunningMedians<Number>> outputs_;
    std::vector<const double*> number_;
    std::vector<std::uint32_t> included_;
    bool ranked_ = false, kept_ = false;
    std::size_t n_left_ = 0, before_ = 0;
    Left at_;
    std::vector<Number> loss_;  // of the divisions followed
    std::vector<double> left_value_, right_value_;
};

}  // namespace ceiba::criteria
