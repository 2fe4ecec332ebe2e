// Exact arithmetic on doubles: a number is a sum of doubles that do not overlap (Shewchuk 1997, "Adaptive precision
// floating-point arithmetic"). Sums and products are exact unless they overflow or underflow. The arithmetic is slow,
// so it is used only where double-double arithmetic cannot tell two gains apart.
#pragma once

#include "base/double_double.hpp"

namespace ceiba::base {

class Expansion {
public:
    Expansion() = default;
    Expansion(double x) {
        if (x != 0.0) parts_.push_back(x);
    }
    Expansion(std::initializer_list<double> terms) {
        for (double x : terms) add(x);
    }

    friend Expansion operator+(Expansion a, const Expansion& b) {
        for (double x : b.parts_) a.add(x);
        return a;
    }
    friend Expansion operator-(Expansion a, const Expansion& b) {
        for (double x : b.parts_) a.add(-x);
        return a;
    }
    friend Expansion operator*(const Expansion& a, const Expansion& b) {
        Expansion product;
        for (double x : a.parts_)
            for (double y : b.parts_) {
                const DoubleDouble p = two_product(x, y);
                product.add(p.lo);
                product.add(p.hi);
            }
        return product;
    }

    // Returns -1, 0 or 1. The largest part decides, because the sum of the others is smaller than its last bit.
    int sign() const { return parts_.empty() ? 0 : (parts_.back() > 0.0 ? 1 : -1); }
    bool finite() const { return parts_.empty() || std::isfinite(parts_.back()); }

private:
    // Grow-expansion with elimination of zeros (Shewchuk 1997). The parts are in ascending order of magnitude.
    void add(double x) {
        std::size_t n = 0;
        for (double part : parts_) {
            const DoubleDouble s = two_sum(x, part);
            if (s.lo != 0.0) parts_[n++] = s.lo;
            x = s.hi;
        }
        parts_.resize(n);
        if (x != 0.0) parts_.push_back(x);
    }

    std::vector<double> parts_;
};

// A gain as a fraction with a positive denominator.
struct Fraction {
    Expansion numerator, denominator;
};

// The sign of a - b. It is 0 also where the numbers are too large for exact arithmetic.
inline int compare(const Fraction& a, const Fraction& b) {
    const Expansion gap = a.numerator * b.denominator - b.numerator * a.denominator;
    return gap.finite() ? gap.sign() : 0;
}

}  // namespace ceiba::base
