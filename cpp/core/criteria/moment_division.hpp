// Weight and sum of a numeric target in a division (see class_division.hpp), as squared error and Poisson deviance need
// them. Sums are compensated, so the order of the rows does not change the result.
#pragma once

#include "base/expansion.hpp"
#include "data/target.hpp"

namespace ceiba::criteria {

using base::DoubleDouble;
using base::Expansion;
using base::LongSum;
using base::Sum;

template <bool Weighted>
class MomentDivision {
    struct Count {  // integers need no compensation
        double n = 0.0;
        void add(double x) { n += x; }
        double value() const { return n; }
        DoubleDouble precise() const { return n; }
    };
    template <class S>
    static Expansion exact(const S& s) {
        if constexpr (std::is_same_v<S, LongSum>)
            return {s.lo, s.mid, s.hi};
        else if constexpr (std::is_same_v<S, Sum>)
            return {s.lo, s.hi};
        else
            return s.n;
    }

public:
    struct Left {
        std::conditional_t<Weighted, LongSum, Count> weight;
        std::conditional_t<Weighted, LongSum, Sum> sum;

        // Whether the sums are the same, and therefore the gain.
        bool same(const Left& other) const requires(!Weighted) {
            const DoubleDouble a = sum.precise(), b = other.sum.precise();
            return weight.n == other.weight.n && a.hi == b.hi && a.lo == b.lo;
        }
    };

    void bind(const data::TargetRows& rows, int output, std::size_t begin) {
        number_ = rows.numbers[output].data() + begin;
        if constexpr (Weighted) weight_ = rows.weight.data() + begin;
    }
    void reset() {
        total_ = Left{};
        largest_ = 0.0;
        clear_left();
    }
    void include(std::size_t i) {
        put(total_, i);
        largest_ = std::max(largest_, std::fabs(number_[i]));
    }
    void clear_left() { left_ = Left{}; }
    void add(std::size_t i) { put(left_, i); }
    // Puts all rows except these on the left, for columns in which most rows have the same value.
    template <class Rows>
    void keep_right(std::size_t n, Rows row_at) {
        Left right{};
        for (std::size_t i = 0; i < n; ++i) put(right, row_at(i));
        left_ = total_;
        if constexpr (Weighted) {
            left_.weight.subtract(right.weight);
            left_.sum.subtract(right.sum);
        } else {
            left_.weight.add(-right.weight.n);
            left_.sum.subtract(right.sum.precise());
        }
    }
    // For searches that add groups of rows at once.
    static Left nothing() { return {}; }
    void put(Left& part, std::size_t i) const {
        if constexpr (Weighted) {
            part.weight.add(weight_[i]);
            part.sum.add(base::two_product(weight_[i], number_[i]));
        } else {
            part.weight.add(1.0);
            part.sum.add(number_[i]);
        }
    }
    static void merge(Left& part, const Left& other) {
        if constexpr (Weighted) {
            part.weight.add(other.weight);
            part.sum.add(other.sum);
        } else {
            part.weight.add(other.weight.n);
            part.sum.add(other.sum.precise());
        }
    }
    void set_total(const Left& total, double largest) {
        total_ = total;
        largest_ = largest;
        clear_left();
    }
    double size_of(std::size_t i) const { return std::fabs(number_[i]); }
    double number(std::size_t i) const requires(!Weighted) { return number_[i]; }
    const Left& left_part() const { return left_; }
    void put_back(const Left& left) { left_ = left; }

    double left_weight() const { return left_.weight.value(); }
    double right_weight() const {
        if constexpr (Weighted) return right_weight_precise().value();
        return total_.weight.value() - left_.weight.value();
    }
    double total_weight() const { return total_.weight.value(); }
    double left_sum() const { return left_.sum.value(); }
    double right_sum() const { return right_sum_precise().value(); }
    double total_sum() const { return total_.sum.value(); }
    DoubleDouble left_weight_precise() const { return left_.weight.precise(); }
    DoubleDouble right_weight_precise() const { return total_.weight.precise() - left_.weight.precise(); }
    DoubleDouble total_weight_precise() const { return total_.weight.precise(); }
    DoubleDouble left_sum_precise() const { return left_.sum.precise(); }
    DoubleDouble right_sum_precise() const { return total_.sum.precise() - left_.sum.precise(); }
    DoubleDouble total_sum_precise() const { return total_.sum.precise(); }
    Expansion left_weight_exact() const { return exact(left_.weight); }
    Expansion total_weight_exact() const { return exact(total_.weight); }
    Expansion left_sum_exact() const { return exact(left_.sum); }
    Expansion total_sum_exact() const { return exact(total_.sum); }
    double weight(std::size_t i) const {
        if constexpr (Weighted) return weight_[i];
        return 1.0;
    }
    // w (y - centre)
    double term(std::size_t i, double centre) const { return weight(i) * (number_[i] - centre); }
    // The largest |y| among the rows that take part, which is the scale of rounding errors.
    double largest() const { return largest_; }
    double left_value() const { return left_sum() / left_weight(); }
    double right_value() const { return right_sum() / right_weight(); }

private:
    const double* number_ = nullptr;
    const double* weight_ = nullptr;
    Left total_, left_;
    double largest_ = 0.0;
};

}  // namespace ceiba::criteria
