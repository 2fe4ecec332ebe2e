// Criteria of class counts. For counts c_k with sum n the impurity mass n * I is
//   gini     n - sum c_k^2 / n                (I = 1 - sum p_k^2)
//   entropy  sum c_k log2(n / c_k)            (bits)
//   error    n - max c_k                      (misclassification rate)
// and the gain of a division is mass(total) - mass(left) - mass(right). Twoing (Breiman et al. 1984, 4.3) is a
// property of the division, n * pL pR / 4 * (sum |p_k(left) - p_k(right)|)^2; its node impurity is gini's.
//
// Each criterion answers four questions about a division:
//   below(d, t)  is the gain below t, beyond doubt? The scan asks this of every cut, so it must be cheap: no division
//   upper(d)  a number not below the gain
//   lower(d)  a number not above the gain: a cut whose lower() is above the best's upper() is better, no doubt
//   gain(d)   the gain to the last bit that matters; two gains closer than tolerance() are tied
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "base/double_double.hpp"

namespace ceiba::criteria {

using base::DoubleDouble;

struct Gini {
    double base = 0.0, slack = 0.0, tie = 0.0;

    template <class D>
    void begin(const D& d) {
        const double n = d.total_weight();
        double squares = 0.0;
        for (int k = 0; k < d.n_classes(); ++k) squares += d.total(k) * d.total(k);
        base = n > 0.0 ? squares / n : 0.0;
        slack = n * (d.n_classes() + 16) * 0x1p-52;
        tie = n * 0x1p-94;
    }
    template <class D>
    bool below(const D& d, double t) const {
        // Two classes: the gain is 2 (n l1 - nl n1)^2 / (n nl nr), and the bracket is kept by the division.
        if constexpr (requires { d.shift(); })
            return 2.0 * d.shift() * d.shift() < (t - slack) * d.total_weight() * d.left_weight() * d.right_weight();
        const double nl = d.left_weight(), nr = d.right_weight();
        return d.left_squares() * nr + d.right_squares() * nl < (t + base - slack) * nl * nr;
    }
    template <class D>
    double upper(const D& d) const {
        const double nl = d.left_weight(), nr = d.right_weight();
        return (d.left_squares() * nr + d.right_squares() * nl) / (nl * nr) - base + slack;
    }
    template <class D>
    double lower(const D& d) const {
        return upper(d) - 2.0 * slack;
    }
    template <class D>
    DoubleDouble gain(const D& d) const {
        DoubleDouble l2, r2, t2, l, r;
        for (int k = 0; k < d.n_classes(); ++k) {
            const DoubleDouble a = d.left_precise(k), b = d.right_precise(k), t = d.total_precise(k);
            l2 = l2 + a * a, r2 = r2 + b * b, t2 = t2 + t * t;
            l = l + a, r = r + b;
        }
        return l2 / l + r2 / r - t2 / (l + r);
    }
    double tolerance() const { return tie; }

    static double impurity(const std::vector<double>& counts, double n) {
        double sum = 0.0;
        for (double c : counts) sum += (c / n) * ((n - c) / n);
        return sum;
    }
};

struct Entropy {
    // x log2(x) for whole x: the counts of neighbouring cuts are neighbours in this table, so it stays in cache.
    std::shared_ptr<const std::vector<double>> table;
    double base = 0.0, slack = 0.0, tie = 0.0;

    Entropy() = default;
    explicit Entropy(std::size_t largest_count) {
        auto t = std::make_shared<std::vector<double>>(largest_count + 1, 0.0);
        for (std::size_t x = 2; x < t->size(); ++x) (*t)[x] = static_cast<double>(x) * std::log2(static_cast<double>(x));
        table = std::move(t);
    }

    template <class D>
    void begin(const D& d) {
        const double n = d.total_weight();
        base = 0.0;
        for (int k = 0; k < d.n_classes(); ++k) base += term(d.total(k), n - d.total(k));
        slack = n > 0.0 ? n * (std::fabs(std::log2(n)) + d.n_classes() + 2.0) * 0x1p-48 : 0.0;
        tie = base * 0x1p-48;
    }
    template <class D>
    bool below(const D& d, double t) const {
        return upper(d) < t;
    }
    template <class D>
    double upper(const D& d) const {
        double sum = -x_log_x<D>(d.left_weight()) - x_log_x<D>(d.right_weight());
        for (int k = 0; k < d.n_classes(); ++k) sum += x_log_x<D>(d.left(k)) + x_log_x<D>(d.right(k));
        return base + sum + slack;
    }
    template <class D>
    double lower(const D& d) const {
        return upper(d) - 2.0 * slack;
    }
    template <class D>
    DoubleDouble gain(const D& d) const {
        // c log2(n/c) as c log1p((n-c)/c): a class that is nearly everything keeps its digits.
        double left = 0.0, right = 0.0;
        for (int k = 0; k < d.n_classes(); ++k) {
            double others_left = 0.0, others_right = 0.0;
            for (int j = 0; j < d.n_classes(); ++j)
                if (j != k) others_left += d.left(j), others_right += d.right(j);
            left += term(d.left(k), others_left);
            right += term(d.right(k), others_right);
        }
        return DoubleDouble(base - (left + right));
    }
    double tolerance() const { return tie; }

    static double impurity(const std::vector<double>& counts, double n) {
        double sum = 0.0;
        for (double c : counts) sum += term(c, n - c);
        return sum / n;
    }

private:
    static double term(double c, double others) {
        return c > 0.0 && others > 0.0 ? c * std::log1p(others / c) * 1.4426950408889634 : 0.0;
    }
    template <class D>
    double x_log_x(double x) const {
        if constexpr (D::unit_counts) return (*table)[static_cast<std::size_t>(x)];
        return x > 0.0 ? x * std::log2(x) : 0.0;
    }
};

struct Error {
    double base = 0.0, slack = 0.0, tie = 0.0;

    template <class D>
    void begin(const D& d) {
        base = 0.0;
        for (int k = 0; k < d.n_classes(); ++k) base = std::max(base, d.total(k));
        slack = D::unit_counts ? 0.0 : d.total_weight() * 0x1p-48;
        tie = D::unit_counts ? 0.0 : d.total_weight() * 0x1p-94;
    }
    template <class D>
    bool below(const D& d, double t) const {
        return upper(d) < t;
    }
    template <class D>
    double upper(const D& d) const {
        double l = 0.0, r = 0.0;
        for (int k = 0; k < d.n_classes(); ++k) l = std::max(l, d.left(k)), r = std::max(r, d.right(k));
        return l + r - base + slack;
    }
    template <class D>
    double lower(const D& d) const {
        return upper(d) - 2.0 * slack;
    }
    template <class D>
    DoubleDouble gain(const D& d) const {
        DoubleDouble l, r, t;
        for (int k = 0; k < d.n_classes(); ++k) {
            if (l < d.left_precise(k)) l = d.left_precise(k);
            if (r < d.right_precise(k)) r = d.right_precise(k);
            if (t < d.total_precise(k)) t = d.total_precise(k);
        }
        return l + r - t;
    }
    double tolerance() const { return tie; }

    static double impurity(const std::vector<double>& counts, double n) {
        return 1.0 - *std::max_element(counts.begin(), counts.end()) / n;
    }
};

struct Twoing {
    double slack = 0.0, tie = 0.0;

    template <class D>
    void begin(const D& d) {
        slack = d.total_weight() * (d.n_classes() + 8) * 0x1p-48;
        tie = d.total_weight() * 0x1p-90;
    }
    template <class D>
    bool below(const D& d, double t) const {
        return upper(d) < t;
    }
    template <class D>
    double upper(const D& d) const {
        const double nl = d.left_weight(), nr = d.right_weight();
        double sum = 0.0;
        for (int k = 0; k < d.n_classes(); ++k) sum += std::fabs(d.left(k) / nl - d.right(k) / nr);
        return nl * nr / (nl + nr) * 0.25 * sum * sum + slack;
    }
    template <class D>
    double lower(const D& d) const {
        return upper(d) - 2.0 * slack;
    }
    template <class D>
    DoubleDouble gain(const D& d) const {
        DoubleDouble l, r, sum;
        for (int k = 0; k < d.n_classes(); ++k) l = l + d.left_precise(k), r = r + d.right_precise(k);
        for (int k = 0; k < d.n_classes(); ++k) {
            const DoubleDouble gap = d.left_precise(k) / l - d.right_precise(k) / r;
            sum = sum + (gap < DoubleDouble(0.0) ? -gap : gap);
        }
        return l * r / (l + r) * DoubleDouble(0.25) * sum * sum;
    }
    double tolerance() const { return tie; }

    static double impurity(const std::vector<double>& counts, double n) { return Gini::impurity(counts, n); }
};

}  // namespace ceiba::criteria
