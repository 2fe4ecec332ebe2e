#include "base/expansion.hpp"

namespace ceiba::base {

// Grow-expansion with elimination of zeros; parts ascend in magnitude.
void Expansion::add(double x) {
    std::size_t kept = 0;
    for (double part : parts_) {
        const DoubleDouble s = two_sum(x, part);
        if (s.lo != 0.0) parts_[kept++] = s.lo;
        x = s.hi;
    }
    parts_.resize(kept);
    if (x != 0.0) parts_.push_back(x);
}

Expansion operator+(Expansion a, const Expansion& b) {
    for (double x : b.parts_) a.add(x);
    return a;
}

Expansion operator-(Expansion a, const Expansion& b) {
    for (double x : b.parts_) a.add(-x);
    return a;
}

Expansion operator*(const Expansion& a, const Expansion& b) {
    Expansion product;
    for (double x : a.parts_)
        for (double y : b.parts_) {
            const DoubleDouble p = two_product(x, y);
            product.add(p.lo);
            product.add(p.hi);
        }
    return product;
}

int compare(const Fraction& a, const Fraction& b) {
    const Expansion gap = a.numerator * b.denominator - b.numerator * a.denominator;
    return gap.finite() ? gap.sign() : 0;
}

}  // namespace ceiba::base
