// The criteria of numeric targets.
#pragma once

#include "base/expansion.hpp"
#include "criteria/criterion.hpp"

namespace ceiba::criteria {

// Criteria that are functions of weight W and sum S of a numeric target (see criterion.hpp for the interface).
//
//   squared_error  the sum of squares about the mean falls by (S_L - W_L m)^2 W / (W_L W_R), m = S / W:
//                  one square, without cancellation
//   poisson        the deviance / 2 falls by sum over sides of S_b log(m_b / m) = sum W_b h(m_b), where
//                  h(x) = x log(x/m) - (x - m) >= 0, again without cancellation. A side with S_b = 0 predicts a
//                  rate of 0, whose deviance is infinite for any later event. Such a cut is rejected unless the
//                  caller shrinks rates (rpart).
using base::DoubleDouble;

// The level of a quantile as the costs of a unit of distance above and below it: level = above / (above + below). The
// pinball loss is `scale` times smaller. With integer costs sums are exact, and it is known whether two values share
// the quantile. The absolute error is the loss of the median, with costs of 1.
struct QuantileLevel {
    std::int64_t above = 1, below = 1;
    double scale = 1.0;

    QuantileLevel() = default;
    // The two costs of a pinball loss; empty: absolute error.
    explicit QuantileLevel(const std::vector<int>& costs) {
        if (costs.empty()) return;
        above = costs.at(0), below = costs.at(1);
        scale = static_cast<double>(whole());
    }
    std::int64_t whole() const { return above + below; }
    double loss(double w, double y, double answer) const {
        return w * (y > answer ? static_cast<double>(above) * (y - answer) : static_cast<double>(below) * (answer - y));
    }
};

struct SquaredError {
    static constexpr std::string_view name = "squared_error";
    static constexpr bool at_quantile = false;  // nodes predict the mean
    // The contribution of a row of weight w to the impurity of a node with this prediction.
    static double loss(double w, double y, double answer) {
        const double gap = y - answer;
        return w * gap * gap;
    }

    double mean = 0.0, error = 0.0, tie = 0.0;

    template <class D>
    void begin(const D& d) {
        mean = d.total_sum() / d.total_weight();
        error = d.total_weight() * d.largest() * 0x1p-50;
        tie = d.total_weight() * d.largest() * d.largest() * 0x1p-85;
    }
    template <class D>
    bool below(const D& d, double t) const {
        const double shift = reach(d, 1.0);
        return shift * shift * d.total_weight() * (1.0 + 0x1p-46) < t * d.left_weight() * d.right_weight();
    }
    template <class D>
    double upper(const D& d) const {
        return bound(d, 1.0);
    }
    template <class D>
    double lower(const D& d) const {
        return bound(d, -1.0);
    }
    template <class D>
    DoubleDouble gain(const D& d) const {
        const DoubleDouble wl = d.left_weight_precise(), wr = d.right_weight_precise(), w = d.total_weight_precise();
        const DoubleDouble shift = d.left_sum_precise() - wl * (d.total_sum_precise() / w);
        return shift * shift * w / (wl * wr);
    }
    template <class D>
    base::Fraction exact(const D& d) const {
        const base::Expansion wl = d.left_weight_exact(), w = d.total_weight_exact();
        const base::Expansion shift = d.left_sum_exact() * w - wl * d.total_sum_exact();
        return {shift * shift, wl * (w - wl) * w};
    }
    double tolerance() const { return tie; }

    // Upper bounds of the gain of any cut after first to last entries of some columns, in plain doubles. This is three
    // times as fast as the scan, and most columns need no scan. Several columns are processed at once, so that an
    // addition need not wait for the previous one (2,000 x 5,000 in total: 1.43 s -> 1.20 s). The error of the sums is
    // e <= n^2 2^-52 largest, and that of sqrt(gain) is e sqrt(W / (W_L W_R)).
    static constexpr std::size_t rough_at_once = 4;
    template <class D, class Entry>
    void rough_best(const D& d, const std::array<const Entry*, rough_at_once>& columns, std::size_t n,
                    std::size_t first, std::size_t last, std::array<double, rough_at_once>& bound) const {
        const double whole = static_cast<double>(n);
        std::array<double, rough_at_once> shift{}, most{}, over;
        over.fill(1.0);
        for (std::size_t i = 0; i < last; ++i) {
            const double left = static_cast<double>(i + 1), product = left * (whole - left);
            for (std::size_t c = 0; c < rough_at_once; ++c) {
                const Entry* const at = columns[c] + i;
                shift[c] += d.number(at->row) - mean;
                const double square = shift[c] * shift[c];
                if ((square * over[c] > most[c] * product) & (i + 1 >= first) & (at[0].rank != at[1].rank))
                    most[c] = square, over[c] = product;
            }
        }
        const double edge = static_cast<double>(std::min(first, n - last));
        const double error = whole * whole * 0x1p-51 * d.largest() * std::sqrt(whole / (edge * (whole - edge)));
        for (std::size_t c = 0; c < rough_at_once; ++c) {
            const double root = std::sqrt(most[c] * whole / over[c]) + error;
            bound[c] = root * root * (1.0 + 0x1p-40);
        }
    }

private:
    // |S_L - W_L m|, plus or minus the largest possible rounding error.
    template <class D>
    double reach(const D& d, double sign) const {
        return std::fabs(d.left_sum() - d.left_weight() * mean) + sign * error;
    }
    template <class D>
    double bound(const D& d, double sign) const {
        const double shift = std::fmax(0.0, reach(d, sign));
        return shift * shift * d.total_weight() / (d.left_weight() * d.right_weight()) * (1.0 + sign * 0x1p-46);
    }
};

struct Poisson {
    static constexpr std::string_view name = "poisson";
    static constexpr bool at_quantile = false;
    static double loss(double w, double y, double answer) { return y > 0.0 ? w * y * std::log(y / answer) : 0.0; }

    bool allow_zero = false;
    double mean = 0.0, tie = 0.0;

    explicit Poisson(const Setting& setting) : allow_zero(setting.allow_zero_rate) {}

    template <class D>
    void begin(const D& d) {
        mean = d.total_sum() / d.total_weight();
        tie = d.total_sum() * 0x1p-48;
    }
    template <class D>
    bool below(const D& d, double t) const {
        return upper(d) < t;
    }
    template <class D>
    double upper(const D& d) const {
        return value(d) * (1.0 + 0x1p-40) + d.total_sum() * 0x1p-46;
    }
    template <class D>
    double lower(const D& d) const {
        return value(d) * (1.0 - 0x1p-40) - d.total_sum() * 0x1p-46;
    }
    template <class D>
    DoubleDouble gain(const D& d) const {
        return DoubleDouble(value(d));
    }
    double tolerance() const { return tie; }

private:
    template <class D>
    double value(const D& d) const {
        const double sl = d.left_sum(), sr = d.right_sum();
        if (!allow_zero && (sl <= 0.0 || sr <= 0.0)) return -std::numeric_limits<double>::infinity();
        if (mean <= 0.0) return 0.0;
        return side(sl, d.left_weight()) + side(sr, d.right_weight());
    }
    // W h(S/W), h(x) = m ((1 + u) log(1 + u) - u) with u = x/m - 1.
    double side(double sum, double weight) const {
        if (sum <= 0.0) return weight * mean;
        const double u = (sum / weight - mean) / mean;
        return weight * mean * ((1.0 + u) * std::log1p(u) - u);
    }
};

// The criterion of quantile_division.hpp and weighted_quantile_division.hpp: the loss of all rows minus that of the two
// sides, for the median or another quantile (SearchOptions::quantile).
struct AbsoluteError {
    static constexpr std::string_view name = "absolute_error";
    static constexpr bool at_quantile = true;

    double tie = 0.0;

    template <class D>
    void begin(const D& d) {
        tie = d.total_loss().value() * D::tie_share;
    }
    template <class D>
    bool below(const D& d, double t) const {
        return upper(d) < t;
    }
    template <class D>
    double upper(const D& d) const {
        return d.gain().value() * (1.0 + 0x1p-50);
    }
    template <class D>
    double lower(const D& d) const {
        return d.gain().value() * (1.0 - 0x1p-50);
    }
    static constexpr bool bounds_are_exact = true;
    template <class D>
    DoubleDouble gain(const D& d) const {
        return d.gain();
    }
    template <class D>
    auto exact(const D& d) const -> decltype(d.exact_gain()) {
        return d.exact_gain();
    }
    double tolerance() const { return tie; }
};

// The criterion of log_rank.hpp: half the chi-square of the two sides, roughly the decrease of half the deviance. Nodes
// predict event rates, like Poisson trees.
struct LogRank {
    static constexpr std::string_view name = "logrank";
    static constexpr bool at_quantile = false;
    static double loss(double w, double y, double answer) { return Poisson::loss(w, y, answer); }

    double tie = 0.0;

    template <class D>
    void begin(const D& d) {
        tie = d.total_sum() * 0x1p-44;
    }
    template <class D>
    bool below(const D& d, double t) const {
        const double u = d.score();
        return u * u * (1.0 + 0x1p-40) < 2.0 * t * d.variance();
    }
    template <class D>
    double upper(const D& d) const {
        return value(d) * (1.0 + 0x1p-42);
    }
    template <class D>
    double lower(const D& d) const {
        return value(d) * (1.0 - 0x1p-42);
    }
    template <class D>
    DoubleDouble gain(const D& d) const {
        return DoubleDouble(value(d));
    }
    double tolerance() const { return tie; }

    // A division that no event distinguishes is rejected.
    static double half_chi_square(double score, double variance) {
        return variance > 0.0 ? 0.5 * score * score / variance : -std::numeric_limits<double>::infinity();
    }

private:
    template <class D>
    double value(const D& d) const {
        return half_chi_square(d.score(), d.variance());
    }
};

using MomentCriteria = List<SquaredError, Poisson>;  // criteria of weight and sum (moment_division.hpp)
using NumberCriteria = decltype(MomentCriteria{} + List<AbsoluteError, LogRank>{});

}  // namespace ceiba::criteria
