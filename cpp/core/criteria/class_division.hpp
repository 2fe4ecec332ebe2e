// Class counts of a division: total counts of the rows that take part, and counts of the rows on the left.
//
// A division is the statistic of the split search. The scan calls include() for every row that takes part, then add()
// for each row that moves to the left; a criterion reads the sums. left_part() can be saved and restored to evaluate an
// earlier cut again. There are three kinds with one interface:
//   BinaryDivision    two classes, each row counts 1: three integers
//   UnitDivision      K classes, each row counts 1: sums of squares updated in O(1) per row
//   WeightedDivision  row weights, or a factor per class (altered priors): compensated sums
#pragma once

#include "base/expansion.hpp"
#include "data/target.hpp"

namespace ceiba::criteria {

using base::DoubleDouble;
using base::Expansion;
using base::LongSum;

// The common part of divisions in which each row counts 1: integer counts need no compensation.
template <class Derived>
class UnitCounts {
public:
    static constexpr bool unit_counts = true;

    void bind(const data::TargetRows& rows, int output, std::size_t begin) {
        label_ = rows.labels[output].data() + begin;
    }
    DoubleDouble left_precise(int k) const { return derived().left(k); }
    DoubleDouble right_precise(int k) const { return derived().right(k); }
    DoubleDouble total_precise(int k) const { return derived().total(k); }
    Expansion left_exact(int k) const { return derived().left(k); }
    Expansion right_exact(int k) const { return derived().right(k); }
    double left_value() const { return derived().left(1) / derived().left_weight(); }
    double right_value() const { return derived().right(1) / derived().right_weight(); }

protected:
    const std::uint16_t* label_ = nullptr;

private:
    const Derived& derived() const { return static_cast<const Derived&>(*this); }
};

class BinaryDivision : public UnitCounts<BinaryDivision> {
public:
    struct Left {
        std::int64_t n = 0, ones = 0;
    };

    BinaryDivision(int /*n_classes*/, const double* /*class_scale*/) {}

    void reset() {
        total_n_ = total_ones_ = 0;
        clear_left();
    }
    void include(std::size_t i) {
        ++total_n_;
        total_ones_ += label_[i];
    }
    void clear_left() { left_ = Left{}; }
    void add(std::size_t i) {
        ++left_.n;
        left_.ones += label_[i];
    }
    // Puts all rows except these on the left, for columns in which most rows have the same value.
    template <class Rows>
    void keep_right(std::size_t n, Rows row_at) {
        left_ = {total_n_ - static_cast<std::int64_t>(n), total_ones_};
        for (std::size_t i = 0; i < n; ++i) left_.ones -= label_[row_at(i)];
    }
    // For searches that know the counts of groups of rows: the part with these counts, and such a part as the total.
    Left part_of(const double* count) const {
        return {static_cast<std::int64_t>(count[0] + count[1]), static_cast<std::int64_t>(count[1])};
    }
    void set_total(const Left& total) {
        total_n_ = total.n;
        total_ones_ = total.ones;
        clear_left();
    }
    // n l1 - nl n1: the distance of the left side's share of class 1 from the node's, times n nl. It is at most n^2 /
    // 4, so for up to 2^32 rows the difference is correct even if the products overflow.
    double shift() const {
        const auto product = [](std::int64_t a, std::int64_t b) {
            return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
        };
        return number(static_cast<std::int64_t>(product(total_n_, left_.ones) - product(left_.n, total_ones_)));
    }
    const Left& left_part() const { return left_; }
    void put_back(const Left& left) { left_ = left; }

    int n_classes() const { return 2; }
    double left(int k) const { return number(k ? left_.ones : left_.n - left_.ones); }
    double right(int k) const { return number(k ? right_ones() : right_n() - right_ones()); }
    double total(int k) const { return number(k ? total_ones_ : total_n_ - total_ones_); }
    double left_weight() const { return number(left_.n); }
    double right_weight() const { return number(right_n()); }
    double total_weight() const { return number(total_n_); }
    double left_squares() const { return left(0) * left(0) + left(1) * left(1); }
    double right_squares() const { return right(0) * right(0) + right(1) * right(1); }

private:
    static double number(std::int64_t n) { return static_cast<double>(n); }
    std::int64_t right_n() const { return total_n_ - left_.n; }
    std::int64_t right_ones() const { return total_ones_ - left_.ones; }

    std::int64_t total_n_ = 0, total_ones_ = 0;
    Left left_;
};

class UnitDivision : public UnitCounts<UnitDivision> {
public:
    struct Left {
        std::vector<double> count;
        double n = 0.0, squares = 0.0, cross = 0.0;  // cross = sum of left x total
    };

    UnitDivision(int n_classes, const double* /*class_scale*/) : total_(n_classes) { left_.count.resize(n_classes); }

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
        left_.count.assign(left_.count.size(), 0.0);
        left_.n = left_.squares = left_.cross = 0.0;
        total_squares_ = 0.0;
        for (double t : total_) total_squares_ += t * t;
    }
    void add(std::size_t i) {
        const std::size_t k = label_[i];
        left_.squares += 2.0 * left_.count[k] + 1.0;
        left_.cross += total_[k];
        left_.count[k] += 1.0;
        left_.n += 1.0;
    }
    template <class Rows>
    void keep_right(std::size_t n, Rows row_at) {
        std::vector<double> count = total_;
        for (std::size_t i = 0; i < n; ++i) count[label_[row_at(i)]] -= 1.0;
        left_ = part_of(count.data());
    }
    // The state that a scan changes, separate from the object so that the sums stay in registers (covertype: the scan
    // takes two thirds of the time).
    struct Running {
        const std::uint16_t* label;
        const double* total;
        double* count;
        double n, squares, cross, total_n, total_squares;

        void add(std::size_t i) {
            const std::size_t k = label[i];
            squares += 2.0 * count[k] + 1.0;
            cross += total[k];
            count[k] += 1.0;
            n += 1.0;
        }
        double left_weight() const { return n; }
        double right_weight() const { return total_n - n; }
        double left_squares() const { return squares; }
        double right_squares() const { return total_squares - 2.0 * cross + squares; }
    };
    Running running() {
        return {label_,        total_.data(), left_.count.data(), left_.n,
                left_.squares, left_.cross,   total_n_,           total_squares_};
    }
    void store(const Running& r) { left_.n = r.n, left_.squares = r.squares, left_.cross = r.cross; }

    Left part_of(const double* count) const {
        Left part;
        part.count.assign(count, count + total_.size());
        for (std::size_t k = 0; k < total_.size(); ++k) {
            part.n += count[k];
            part.squares += count[k] * count[k];
            part.cross += count[k] * total_[k];
        }
        return part;
    }
    void set_total(const Left& total) {
        total_ = total.count;
        total_n_ = total.n;
        clear_left();
    }
    const Left& left_part() const { return left_; }
    void put_back(const Left& left) { left_ = left; }

    int n_classes() const { return static_cast<int>(total_.size()); }
    double left(int k) const { return left_.count[k]; }
    double right(int k) const { return total_[k] - left_.count[k]; }
    double total(int k) const { return total_[k]; }
    double left_weight() const { return left_.n; }
    double right_weight() const { return total_n_ - left_.n; }
    double total_weight() const { return total_n_; }
    // Sums of squares are integers below 2^53 for up to this many rows, so these identities are exact. Larger tables
    // use WeightedDivision.
    static constexpr std::size_t most_rows = 94'000'000;
    bool squares_are_exact() const { return total_n_ <= static_cast<double>(most_rows); }
    double total_squares() const { return total_squares_; }
    double left_squares() const { return left_.squares; }
    double right_squares() const { return total_squares_ - 2.0 * left_.cross + left_.squares; }

private:
    std::vector<double> total_;
    double total_n_ = 0.0, total_squares_ = 0.0;
    Left left_;
};

class WeightedDivision {
public:
    static constexpr bool unit_counts = false;
    using Left = std::vector<LongSum>;

    WeightedDivision(int n_classes, const double* class_scale)
        : total_(n_classes), left_(n_classes), scale_(n_classes, 1.0) {
        if (class_scale) scale_.assign(class_scale, class_scale + n_classes);
    }

    void bind(const data::TargetRows& rows, int output, std::size_t begin) {
        label_ = rows.labels[output].data() + begin;
        weight_ = rows.weight.empty() ? nullptr : rows.weight.data() + begin;
    }
    void reset() {
        total_.assign(total_.size(), LongSum{});
        clear_left();
    }
    void include(std::size_t i) { total_[label_[i]].add(weight(i)); }
    void clear_left() { left_.assign(left_.size(), LongSum{}); }
    void add(std::size_t i) { put(left_, i); }
    template <class Rows>
    void keep_right(std::size_t n, Rows row_at) {
        Left right = nothing();
        for (std::size_t i = 0; i < n; ++i) put(right, row_at(i));
        left_ = total_;
        for (std::size_t k = 0; k < left_.size(); ++k) left_[k].subtract(right[k]);
    }
    // For searches that add groups of rows at once.
    Left nothing() const { return Left(total_.size()); }
    void put(Left& part, std::size_t i) const { part[label_[i]].add(weight(i)); }
    static void merge(Left& part, const Left& other) {
        for (std::size_t k = 0; k < part.size(); ++k) part[k].add(other[k]);
    }
    void set_total(const Left& total, double /*largest*/) {
        total_ = total;
        clear_left();
    }
    double size_of(std::size_t /*i*/) const { return 0.0; }
    const Left& left_part() const { return left_; }
    void put_back(const Left& left) { left_ = left; }

    int n_classes() const { return static_cast<int>(total_.size()); }
    double left(int k) const { return scale_[k] * left_[k].value(); }
    double right(int k) const { return scale_[k] * difference(k).value(); }
    double total(int k) const { return scale_[k] * total_[k].value(); }
    DoubleDouble left_precise(int k) const { return DoubleDouble(scale_[k]) * left_[k].precise(); }
    DoubleDouble right_precise(int k) const { return DoubleDouble(scale_[k]) * difference(k); }
    DoubleDouble total_precise(int k) const { return DoubleDouble(scale_[k]) * total_[k].precise(); }
    Expansion left_exact(int k) const { return Expansion(scale_[k]) * terms(left_[k]); }
    Expansion right_exact(int k) const { return Expansion(scale_[k]) * (terms(total_[k]) - terms(left_[k])); }
    double left_weight() const {
        return over_classes([this](int k) { return left(k); });
    }
    // Not inlined: each function is as long as the criterion that calls it, and then the loop of the criterion would
    // call its other functions instead of inlining them (weighted twoing: 1.26 times the time).
    [[gnu::noinline]] double right_weight() const {
        return over_classes([this](int k) { return right(k); });
    }
    double total_weight() const {
        return over_classes([this](int k) { return total(k); });
    }
    double left_squares() const {
        return over_classes([this](int k) { return left(k) * left(k); });
    }
    [[gnu::noinline]] double right_squares() const {
        return over_classes([this](int k) { return right(k) * right(k); });
    }
    double left_value() const { return left(1) / left_weight(); }
    double right_value() const { return right(1) / right_weight(); }

private:
    double weight(std::size_t i) const { return weight_ ? weight_[i] : 1.0; }
    DoubleDouble difference(int k) const { return total_[k].precise() - left_[k].precise(); }
    static Expansion terms(const LongSum& s) { return {s.lo, s.mid, s.hi}; }
    template <class F>
    double over_classes(F f) const {
        double sum = 0.0;
        for (int k = 0; k < n_classes(); ++k) sum += f(k);
        return sum;
    }

    const std::uint16_t* label_ = nullptr;
    const double* weight_ = nullptr;
    std::vector<LongSum> total_, left_;
    std::vector<double> scale_;
};

// Whether a target with three or more classes has more rows than UnitDivision can count. Each row then weighs 1.
inline bool too_many_to_count(const data::TargetRows& target) {
    return target.classification() && (target.n_classes.size() > 1 || target.n_classes[0] > 2) &&
           target.size() > UnitDivision::most_rows;
}

}  // namespace ceiba::criteria
