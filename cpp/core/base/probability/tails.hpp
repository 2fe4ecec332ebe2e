// Upper tails of the chi-square distribution (integer degrees of freedom) and of the F distribution, and their
// logarithms, because extreme tails are too small for a double.
#pragma once

#include "base/standard.hpp"

namespace ceiba::base {

// log P(X > x). The incomplete gamma function is a series below the mean and a continued fraction above it, evaluated
// by Lentz's method (Abramowitz and Stegun 6.5.29, and the even part of 6.5.31).
inline double log_chi_square_tail(double x, int df) {
    if (df <= 0 || !(x > 0.0)) return 0.0;
    if (std::isinf(x)) return -std::numeric_limits<double>::infinity();
    const double half = 0.5 * x, shape = 0.5 * df;
    const double front = shape * std::log(half) - half - std::lgamma(shape);
    if (half <= shape + 1.0) {
        double term = 1.0 / shape, sum = term;
        for (double s = shape + 1.0; term > 1e-17 * sum; ++s) sum += term *= half / s;
        const double below = std::exp(front) * sum;
        return below < 1.0 ? std::log1p(-below) : -std::numeric_limits<double>::infinity();
    }
    constexpr double tiny = 1e-300;
    double b = half + 1.0 - shape, c = 1.0 / tiny, d = 1.0 / b, value = d;
    for (int i = 1; i < 100000; ++i) {
        const double a = -i * (i - shape);
        b += 2.0;
        d = a * d + b;
        d = 1.0 / (std::abs(d) < tiny ? tiny : d);
        c = b + a / c;
        if (std::abs(c) < tiny) c = tiny;
        value *= c * d;
        if (std::abs(c * d - 1.0) < 1e-15) break;
    }
    return front + std::log(value);
}

// P(X > x) in closed form: a sum of exponentials for even df; the normal tail plus such a sum for odd df (Abramowitz
// and Stegun 26.4.4, 26.4.5).
inline double chi_square_tail(double x, int df) {
    if (df <= 0 || !(x > 0.0)) return 1.0;
    const double half = 0.5 * x;
    if (half > 700.0) return std::exp(log_chi_square_tail(x, df));  // the terms underflow
    const bool even = df % 2 == 0;
    double sum = even ? std::exp(-half) : std::erfc(std::sqrt(half));
    double term = even ? sum : std::sqrt(half) * std::exp(-half) * 1.1283791670955126;  // 2 / sqrt(pi)
    for (int i = 0; i < (df - 1) / 2; ++i) {
        if (even) term *= half / (i + 1.0);
        sum += term;
        if (!even) term *= half / (i + 1.5);
    }
    return sum < 1.0 ? sum : 1.0;
}

// The continued fraction of the incomplete beta function, by Lentz's method (Abramowitz and Stegun 26.5.8).
inline double beta_fraction(double x, double a, double b) {
    constexpr double tiny = 1e-300;
    double c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0);
    d = 1.0 / (std::abs(d) < tiny ? tiny : d);
    double value = d;
    const auto step = [&](double numerator) {
        d = 1.0 + numerator * d;
        d = 1.0 / (std::abs(d) < tiny ? tiny : d);
        c = 1.0 + numerator / c;
        if (std::abs(c) < tiny) c = tiny;
        value *= c * d;
        return std::abs(c * d - 1.0);
    };
    for (int m = 1; m < 10000; ++m) {
        const double k = m;
        step(k * (b - k) * x / ((a + 2.0 * k - 1.0) * (a + 2.0 * k)));
        if (step(-(a + k) * (a + b + k) * x / ((a + 2.0 * k) * (a + 2.0 * k + 1.0))) < 1e-15) break;
    }
    return value;
}

// log I_x(a, b). The caller passes y = 1 - x as well, so that neither is rounded.
inline double log_incomplete_beta(double x, double y, double a, double b) {
    if (x <= 0.0) return -std::numeric_limits<double>::infinity();
    if (y <= 0.0) return 0.0;
    const double front = std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(y);
    if (x < (a + 1.0) / (a + b + 2.0)) return front + std::log(beta_fraction(x, a, b) / a);
    return std::log1p(-std::exp(front) * beta_fraction(y, b, a) / b);
}

// log P(F > f).
inline double log_f_tail(double f, double df1, double df2) {
    if (!(df1 > 0.0 && df2 > 0.0) || !(f > 0.0)) return 0.0;
    if (std::isinf(f)) return -std::numeric_limits<double>::infinity();
    const double whole = df2 + df1 * f;
    return log_incomplete_beta(df2 / whole, df1 * f / whole, 0.5 * df2, 0.5 * df1);
}

// P(F > f).
inline double f_tail(double f, double df1, double df2) { return std::exp(log_f_tail(f, df1, df2)); }

}  // namespace ceiba::base
