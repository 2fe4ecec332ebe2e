// Double-double arithmetic: an unevaluated sum hi + lo of two doubles, about 106 bits.
//
// Two splits can be exactly tied. A rule must then choose between them (lowest column, lowest cut), and not the
// rounding errors of a sum that was added up in another order. The scan therefore evaluates each cut in plain double
// precision and repeats only the few possible winners in double-double. Formulas: Dekker 1971, Knuth TAOCP 4.2.2,
// Shewchuk 1997.
#pragma once

#include "base/standard.hpp"

namespace ceiba::base {

struct DoubleDouble {
    double hi = 0.0;
    double lo = 0.0;

    constexpr DoubleDouble() = default;
    constexpr DoubleDouble(double high) : hi(high) {}
    constexpr DoubleDouble(double high, double low) : hi(high), lo(low) {}

    double value() const { return hi + lo; }
};

inline DoubleDouble two_sum(double a, double b) {
    const double s = a + b;
    const double t = s - a;
    return {s, (a - (s - t)) + (b - t)};
}

inline DoubleDouble quick_two_sum(double a, double b) {
    const double s = a + b;
    return {s, b - (s - a)};
}

inline DoubleDouble two_product(double a, double b) {
#if defined(__FMA__) || defined(__aarch64__)
    const double p = a * b;
    return {p, std::fma(a, b, -p)};
#else
    // Without a fused multiply-add instruction in the baseline, std::fma is a library call, and Dekker's splitting is
    // faster.
    constexpr double splitter = 134217729.0;  // 2^27 + 1
    const double p = a * b;
    const double ta = splitter * a, tb = splitter * b;
    const double ah = ta - (ta - a), al = a - ah;
    const double bh = tb - (tb - b), bl = b - bh;
    return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
#endif
}

inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
    DoubleDouble s = two_sum(a.hi, b.hi);
    const DoubleDouble t = two_sum(a.lo, b.lo);
    s = quick_two_sum(s.hi, s.lo + t.hi);
    return quick_two_sum(s.hi, s.lo + t.lo);
}

inline DoubleDouble operator-(DoubleDouble a) { return {-a.hi, -a.lo}; }
inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + (-b); }

inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
    const DoubleDouble p = two_product(a.hi, b.hi);
    return quick_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
    const double q1 = a.hi / b.hi;
    DoubleDouble r = a - b * q1;
    const double q2 = r.hi / b.hi;
    r = r - b * q2;
    const double q3 = r.hi / b.hi;
    return quick_two_sum(q1, q2) + DoubleDouble(q3);
}

inline bool operator<(DoubleDouble a, DoubleDouble b) { return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo); }

// A compensated running sum: n additions have a relative error of about n * 2^-106 instead of n * 2^-53.
struct Sum {
    double hi = 0.0;
    double lo = 0.0;

    void add(double x) {
        const DoubleDouble s = two_sum(hi, x);
        hi = s.hi;
        lo += s.lo;
    }
    void add(DoubleDouble x) {
        add(x.hi);
        lo += x.lo;
    }
    void subtract(DoubleDouble x) { add(-x); }
    double value() const { return hi + lo; }
    DoubleDouble precise() const { return quick_two_sum(hi, lo); }
};

// A sum of weights, most of which are 1: the ones are counted instead of added.
struct WeightSum {
    Sum others;
    std::uint64_t ones = 0;

    void add(double weight) {
        if (weight == 1.0)
            ++ones;
        else
            others.add(weight);
    }
    void add(const WeightSum& more) {
        others.add(DoubleDouble(more.others.hi, more.others.lo));
        ones += more.ones;
    }
    double value() const {
        Sum sum = others;
        sum.add(static_cast<double>(ones));
        return sum.value();
    }
};

// A compensated sum with three parts: exact for up to a million weights that differ by a factor of up to 2^60.
struct LongSum {
    double hi = 0.0;
    double mid = 0.0;
    double lo = 0.0;

    void add(double x) {
        const DoubleDouble s = two_sum(hi, x);
        const DoubleDouble t = two_sum(mid, s.lo);
        hi = s.hi;
        mid = t.hi;
        lo += t.lo;
    }
    void add(DoubleDouble x) {
        add(x.hi);
        add(x.lo);
    }
    void add(const LongSum& x) {
        add(x.hi);
        add(x.mid);
        add(x.lo);
    }
    void subtract(const LongSum& x) {
        add(-x.hi);
        add(-x.mid);
        add(-x.lo);
    }
    double value() const { return hi + (mid + lo); }
    DoubleDouble precise() const {
        const DoubleDouble s = two_sum(hi, mid);
        return quick_two_sum(s.hi, s.lo + lo);
    }
};

}  // namespace ceiba::base
