// Criteria of class counts. For counts c_k with sum n the impurity mass n * I is
//   gini     n - sum c_k^2 / n                (I = 1 - sum p_k^2)
//   entropy  sum c_k log2(n / c_k)            (bits)
//   error    n - max c_k                      (misclassification rate)
// and the gain of a division is mass(total) - mass(left) - mass(right). Two criteria are functions of the division
// alone; nodes report the Gini impurity for them:
//   twoing     n * pL pR / 4 * (sum |p_k(left) - p_k(right)|)^2       (Breiman et al. 1984, 4.3)
//   hellinger  n * mean over pairs of classes of H^2, the squared Hellinger distance of how two classes are spread over
//              the branches: H^2 = 1 - sqrt(l_j l_k) - sqrt(r_j r_k), l_k = share of class k on the left, r_k = 1 - l_k
//              (Cieslak and Chawla 2008 for two classes, whose distance is sqrt(2) H; the mean over pairs is ours)
// criterion.hpp describes the interface of a criterion. The lists of criteria are at the end of this file.
#pragma once

#include "base/expansion.hpp"
#include "criteria/criterion.hpp"

namespace ceiba::criteria {

using base::DoubleDouble;
using base::Expansion;
using base::Fraction;

// Sums f(count of class k, weight of all other classes) over the classes. The other weights are added up instead of
// computing n - count: next to a class with a million times their weight, that difference would lose most of its
// digits.
template <class Count, class F>
double over_classes(int n_classes, Count count, F f) {
    // Small trees call this for every node, and most tables have few classes, so no memory is allocated for them.
    std::array<double, 32> room{};
    std::vector<double> more(
        static_cast<std::size_t>(n_classes) < room.size() ? 0 : static_cast<std::size_t>(n_classes) + 1);
    double* const after = more.empty() ? room.data() : more.data();
    for (int k = n_classes; k-- > 0;) after[k] = after[static_cast<std::size_t>(k) + 1] + count(k);
    double before = 0.0, sum = 0.0;
    for (int k = 0; k < n_classes; ++k) {
        const double c = count(k);
        sum += f(c, before + after[static_cast<std::size_t>(k) + 1]);
        before += c;
    }
    return sum;
}

template <class F>
double over_counts(const std::vector<double>& counts, F f) {
    return over_classes(
        static_cast<int>(counts.size()), [&](int k) { return counts[k]; }, f);
}

struct Gini : SlackCriterion<Gini> {
    static constexpr std::string_view name = "gini";
    static constexpr bool asks_for_squares_only = true;  // below() needs only sums of squares and weights
    double base = 0.0;

    template <class D>
    void begin(const D& d) {
        const double n = d.total_weight();
        double squares = 0.0;
        for (int k = 0; k < d.n_classes(); ++k) squares += d.total(k) * d.total(k);
        base = n > 0.0 ? squares / n : 0.0;
        slack = n * (d.n_classes() + 16) * 0x1p-52;
        tie = n * 0x1p-85;
    }
    template <class D>
    bool below(const D& d, double t) const {
        // Two classes: the gain is 2 (n l1 - nl n1)^2 / (n nl nr), and shift() is the difference in parentheses.
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
    DoubleDouble gain(const D& d) const {
        Sums<DoubleDouble> s = squares_of<DoubleDouble>(d);
        if (!keeps_squares(d))
            for (int k = 0; k < d.n_classes(); ++k) s.add(d.left_precise(k), d.right_precise(k), d.total_precise(k));
        return s.l2 / s.l + s.r2 / s.r - s.t2 / (s.l + s.r);
    }
    template <class D>
    Fraction exact(const D& d) const {
        Sums<Expansion> s = squares_of<Expansion>(d);
        if (!keeps_squares(d))
            for (int k = 0; k < d.n_classes(); ++k) {
                const Expansion a = d.left_exact(k), b = d.right_exact(k);
                s.add(a, b, a + b);
            }
        const Expansion n = s.l + s.r;
        return {s.l2 * s.r * n + s.r2 * s.l * n - s.t2 * s.l * s.r, s.l * s.r * n};
    }

    static double impurity(const std::vector<double>& counts, double n) {
        return over_counts(counts, [n](double c, double others) { return (c / n) * (others / n); });
    }

private:
    template <class Number>
    struct Sums {  // sums of squares on the left, on the right and in total; sums of weights
        Number l2, r2, t2, l, r;
        void add(const Number& a, const Number& b, const Number& t) {
            l2 = l2 + a * a, r2 = r2 + b * b, t2 = t2 + t * t;
            l = l + a, r = r + b;
        }
    };
    // Where each row counts 1, the division maintains the sums of squares as integers. They resolve ties in constant
    // time for any number of classes. If each row has its own class, all cuts are tied (1,250 rows took 3 s to depth 3
    // without them).
    template <class D>
    static bool keeps_squares(const D& d) {
        if constexpr (requires { d.squares_are_exact(); }) return d.squares_are_exact();
        return false;
    }
    template <class Number, class D>
    static Sums<Number> squares_of(const D& d) {
        if constexpr (requires { d.squares_are_exact(); })
            if (d.squares_are_exact())
                return {d.left_squares(), d.right_squares(), d.total_squares(), d.left_weight(), d.right_weight()};
        return {};
    }
};

struct Entropy : SlackCriterion<Entropy> {
    static constexpr std::string_view name = "entropy";
    // x log2(x) for integer x. Neighbouring cuts have neighbouring counts, so the entries in use stay in cache.
    std::shared_ptr<const std::vector<double>> table;
    double base = 0.0;

    explicit Entropy(const Setting& setting) {
        auto t = std::make_shared<std::vector<double>>(setting.n_rows + 1, 0.0);
        for (std::size_t x = 2; x < t->size(); ++x)
            (*t)[x] = static_cast<double>(x) * std::log2(static_cast<double>(x));
        table = std::move(t);
    }

    template <class D>
    void begin(const D& d) {
        const double n = d.total_weight();
        base = over_classes(
            d.n_classes(), [&](int k) { return d.total(k); }, term);
        slack = n > 0.0 ? n * (std::fabs(std::log2(n)) + d.n_classes() + 2.0) * 0x1p-48 : 0.0;
        tie = base * 0x1p-48;
    }
    template <class D>
    double upper(const D& d) const {
        double sum = -x_log_x<D>(d.left_weight()) - x_log_x<D>(d.right_weight());
        for (int k = 0; k < d.n_classes(); ++k) sum += x_log_x<D>(d.left(k)) + x_log_x<D>(d.right(k));
        return base + sum + slack;
    }
    template <class D>
    DoubleDouble gain(const D& d) const {
        const double left = over_classes(
            d.n_classes(), [&](int k) { return d.left(k); }, term);
        const double right = over_classes(
            d.n_classes(), [&](int k) { return d.right(k); }, term);
        return DoubleDouble(base - (left + right));
    }

    static double impurity(const std::vector<double>& counts, double n) { return over_counts(counts, term) / n; }

private:
    // c log2(n / c) = c log2(1 + others / c), which is accurate also for a class with nearly all of the weight.
    static double term(double c, double others) {
        return c > 0.0 && others > 0.0 ? c * std::log1p(others / c) * 1.4426950408889634 : 0.0;
    }
    template <class D>
    double x_log_x(double x) const {
        if constexpr (D::unit_counts) return (*table)[x];
        return x > 0.0 ? x * std::log2(x) : 0.0;
    }
};

struct Error : SlackCriterion<Error> {
    static constexpr std::string_view name = "error";
    double base = 0.0;

    template <class D>
    void begin(const D& d) {
        base = 0.0;
        for (int k = 0; k < d.n_classes(); ++k) base = std::max(base, d.total(k));
        slack = D::unit_counts ? 0.0 : d.total_weight() * 0x1p-48;
        tie = D::unit_counts ? 0.0 : d.total_weight() * 0x1p-94;
    }
    template <class D>
    double upper(const D& d) const {
        double l = 0.0, r = 0.0;
        for (int k = 0; k < d.n_classes(); ++k) l = std::max(l, d.left(k)), r = std::max(r, d.right(k));
        return l + r - base + slack;
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

    static double impurity(const std::vector<double>& counts, double n) {
        return 1.0 - *std::max_element(counts.begin(), counts.end()) / n;
    }
};

struct Twoing : SlackCriterion<Twoing> {
    static constexpr std::string_view name = "twoing";

    template <class D>
    void begin(const D& d) {
        slack = d.total_weight() * (d.n_classes() + 8) * 0x1p-48;
        tie = d.total_weight() * 0x1p-90;
    }
    template <class D>
    double upper(const D& d) const {
        const double nl = d.left_weight(), nr = d.right_weight();
        double sum = 0.0;
        for (int k = 0; k < d.n_classes(); ++k) sum += std::fabs(d.left(k) / nl - d.right(k) / nr);
        return nl * nr / (nl + nr) * 0.25 * sum * sum + slack;
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

    static double impurity(const std::vector<double>& counts, double n) { return Gini::impurity(counts, n); }
};

// H^2 averaged over the pairs of K classes is the variance (divisor K - 1) of sqrt(l_k) over the classes plus that of
// sqrt(r_k). This form has no cancellation and costs O(K) per cut. It does not depend on the class weights, so rare
// classes count as much as common ones; weights matter within a class, and through the weight n of the node.
struct Hellinger : SlackCriterion<Hellinger> {
    static constexpr std::string_view name = "hellinger";
    int n_present = 0;

    template <class D>
    void begin(const D& d) {
        n_present = 0;
        for (int k = 0; k < d.n_classes(); ++k) n_present += d.total(k) > 0.0;
        slack = d.total_weight() * (n_present + 8) * 0x1p-48;
        tie = d.total_weight() * 0x1p-47;
    }
    template <class D>
    double upper(const D& d) const {
        return value(d) + slack;
    }
    template <class D>
    double lower(const D& d) const {
        return value(d) - slack;
    }
    template <class D>
    DoubleDouble gain(const D& d) const {
        return DoubleDouble(value(d));
    }

    static double impurity(const std::vector<double>& counts, double n) { return Gini::impurity(counts, n); }

private:
    template <class D>
    double value(const D& d) const {
        if (n_present < 2) return 0.0;
        double left = 0.0, right = 0.0;  // means
        for (int k = 0; k < d.n_classes(); ++k)
            if (d.total(k) > 0.0) left += root(d.left(k) / d.total(k)), right += root(d.right(k) / d.total(k));
        left /= n_present;
        right /= n_present;
        double squares = 0.0;
        for (int k = 0; k < d.n_classes(); ++k)
            if (d.total(k) > 0.0) {
                const double l = root(d.left(k) / d.total(k)) - left, r = root(d.right(k) / d.total(k)) - right;
                squares += l * l + r * r;
            }
        return d.total_weight() * squares / (n_present - 1);
    }
    static double root(double share) { return std::sqrt(std::max(share, 0.0)); }
};

// The gain ratio of C4.5 compares columns with one another, so it has its own search (split/ratio). Nodes report
// entropy.
struct GainRatio {
    static constexpr std::string_view name = "gain_ratio";
    static double impurity(const std::vector<double>& counts, double n) { return Entropy::impurity(counts, n); }
};

// The criteria of the common search, then all class criteria. Those that read every class of a cut share the code
// around the loops over cuts, which is compiled for Shared<C>.
using SharedClassCriteria = List<Entropy, Error, Twoing, Hellinger>;
using ScannedClassCriteria = decltype(List<Gini>{} + SharedClassCriteria{});
using ClassCriteria = decltype(ScannedClassCriteria{} + List<GainRatio>{});

template <class C>
using Shared = std::conditional_t<is_listed<C>(SharedClassCriteria{}), Chosen<SharedClassCriteria, ChosenPer::loop>, C>;

}  // namespace ceiba::criteria
