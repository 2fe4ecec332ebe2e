// Doubles as integer multiples of one power of two, so that sums and differences are exact in any order. Most targets
// need fewer than 128 bits (two limbs); 34 limbs hold the sums of any finite doubles.
#pragma once

#include "base/expansion.hpp"
#include "base/row_arithmetic.hpp"

namespace ceiba::base {

// The range of bits of a set of numbers: each one is a multiple of 2^lowest and below 2^highest in magnitude.
struct BitRange {
    int lowest = 1 << 12, highest = -(1 << 12);

    void include(double x) {
        if (x == 0.0) return;
        const Digits d(x);
        lowest = std::min(lowest, d.exponent + static_cast<int>(std::countr_zero(d.digits)));
        highest = std::max(highest, d.exponent + static_cast<int>(std::bit_width(d.digits)));
    }
    bool empty() const { return highest < lowest; }
    int unit() const { return empty() ? 0 : lowest; }
    // The number of bits of a sum of n differences of such numbers, including the sign.
    int bits_of_sum(std::size_t n) const {
        return empty() ? 2 : highest - lowest + 2 + static_cast<int>(std::bit_width(n));
    }
};

template <int Limbs>
class FixedPoint;
template <int L>
bool operator<(const FixedPoint<L>& a, const FixedPoint<L>& b);

// Two's complement integers with 64 x Limbs bits.
template <int Limbs>
class FixedPoint {
public:
    FixedPoint() = default;
    // x must be a multiple of 2^unit.
    FixedPoint(double x, int unit) {
        Digits d(x);
        if (d.digits == 0) return;
        const int shift = d.to_unit(unit), rest = shift % 64;
        const auto at = static_cast<std::size_t>(shift / 64);
        limb_[at] = d.digits << rest;
        if (rest > 0 && at + 1 < Limbs) limb_[at + 1] = d.digits >> (64 - rest);
        if (x < 0.0) *this = FixedPoint() - *this;
    }

    friend FixedPoint operator+(const FixedPoint& a, const FixedPoint& b) { return sum<false>(a, b); }
    friend FixedPoint operator-(const FixedPoint& a, const FixedPoint& b) { return sum<true>(a, b); }
    friend FixedPoint distance(const FixedPoint& a, const FixedPoint& b) { return a < b ? b - a : a - b; }  // |a - b|
    // Requires 0 <= factor < 2^31.
    friend FixedPoint times(const FixedPoint& a, std::int64_t factor) {
        FixedPoint out;
        const auto f = static_cast<std::uint64_t>(factor);
        std::uint64_t carry = 0;
        for (std::size_t i = 0; i < Limbs; ++i) {
            const std::uint64_t low = (a.limb_[i] & 0xFFFFFFFF) * f + carry;
            const std::uint64_t high = (a.limb_[i] >> 32) * f + (low >> 32);
            out.limb_[i] = (high << 32) | (low & 0xFFFFFFFF);
            carry = high >> 32;
        }
        return out;
    }
    bool negative() const { return static_cast<std::int64_t>(limb_[Limbs - 1]) < 0; }
    std::uint64_t limb(int i) const { return limb_[i]; }

private:
    template <bool Minus>
    static FixedPoint sum(const FixedPoint& a, const FixedPoint& b) {
        FixedPoint out;
        std::uint64_t carry = Minus;
        for (std::size_t i = 0; i < Limbs; ++i) {
            const std::uint64_t y = Minus ? ~b.limb_[i] : b.limb_[i], s = a.limb_[i] + y, t = s + carry;
            carry = static_cast<std::uint64_t>(s < y) | static_cast<std::uint64_t>(t < s);
            out.limb_[i] = t;
        }
        return out;
    }

    std::array<std::uint64_t, Limbs> limb_{};
};

#ifdef __SIZEOF_INT128__
// The most frequent size uses the 128-bit integers of the compiler.
template <>
class FixedPoint<2> {
    __extension__ using Whole = __int128;

public:
    FixedPoint() = default;
    FixedPoint(double x, int unit) {
        Digits d(x);
        const int shift = d.digits ? d.to_unit(unit) : 0;
        const Whole whole = static_cast<Whole>(d.digits) << shift;
        whole_ = x < 0.0 ? -whole : whole;
    }

    friend FixedPoint operator+(FixedPoint a, FixedPoint b) { return FixedPoint(a.whole_ + b.whole_); }
    friend FixedPoint operator-(FixedPoint a, FixedPoint b) { return FixedPoint(a.whole_ - b.whole_); }
    friend FixedPoint distance(FixedPoint a, FixedPoint b) {
        const Whole gap = a.whole_ - b.whole_, flip = gap >> 127;  // no branch: the sign is unpredictable
        return FixedPoint((gap ^ flip) - flip);
    }
    friend FixedPoint times(FixedPoint a, std::int64_t factor) { return FixedPoint(a.whole_ * factor); }
    bool negative() const { return whole_ < 0; }
    std::uint64_t limb(int i) const { return static_cast<std::uint64_t>(whole_ >> (64 * i)); }

private:
    explicit FixedPoint(Whole whole) : whole_(whole) {}

    Whole whole_ = 0;
};
#endif

template <int L>
FixedPoint<L>& operator+=(FixedPoint<L>& a, const FixedPoint<L>& b) {
    return a = a + b;
}
template <int L>
FixedPoint<L>& operator-=(FixedPoint<L>& a, const FixedPoint<L>& b) {
    return a = a - b;
}
template <int L>
bool operator<(const FixedPoint<L>& a, const FixedPoint<L>& b) {
    return (a - b).negative();
}
// The number as a sum of doubles with 32 bits each, the largest first.
template <int L, class F>
void each_part(const FixedPoint<L>& x, int unit, F f) {
    const FixedPoint<L> size = distance(x, FixedPoint<L>());
    const double sign = x.negative() ? -1.0 : 1.0;
    for (int i = 2 * L - 1; i >= 0; --i) {
        const std::uint64_t half = i % 2 ? size.limb(i / 2) >> 32 : size.limb(i / 2) & 0xFFFFFFFF;
        if (half != 0) f(sign * std::ldexp(static_cast<double>(half), 32 * i + unit));
    }
}
template <int L>
Expansion exact(const FixedPoint<L>& x, int unit) {
    Expansion out;
    each_part(x, unit, [&](double part) { out = out + Expansion(part); });
    return out;
}
template <int L>
DoubleDouble precise(const FixedPoint<L>& x, int unit) {
    DoubleDouble out;
    each_part(x, unit, [&](double part) { out = out + DoubleDouble(part); });
    return out;
}

}  // namespace ceiba::base
