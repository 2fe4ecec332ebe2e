// What shards compute for each row: sort keys, the digits of doubles, squares of a numeric target. The GPU kernels
// compile this file too (shards/device), so it uses no standard library, and both give the same bits.
#pragma once

#ifdef __CUDACC__
#define CEIBA_DEVICE __device__
#else
#define CEIBA_DEVICE
#endif

namespace ceiba::base {

using Bits64 = unsigned long long;

CEIBA_DEVICE inline Bits64 bits_of(double x) {
#ifdef __CUDACC__
    return static_cast<Bits64>(__double_as_longlong(x));
#else
    return __builtin_bit_cast(Bits64, x);
#endif
}

// A monotone mapping of doubles to unsigned integers. The caller must replace -0.0 by 0.0 and exclude NaN.
CEIBA_DEVICE inline Bits64 sort_key(double x) {
    const Bits64 bits = bits_of(x);
    return bits ^ ((bits >> 63) ? ~Bits64{0} : Bits64{1} << 63);
}

// Integer significand and exponent of a double: |x| = digits * 2^exponent.
struct Digits {
    Bits64 digits;
    int exponent;

    CEIBA_DEVICE explicit Digits(double x) {  // from the bits, because frexp and ldexp are library calls
        const Bits64 bits = bits_of(x);
        const int stored = static_cast<int>((bits >> 52) & 0x7FF);
        digits = (bits & ((Bits64{1} << 52) - 1)) | (static_cast<Bits64>(stored != 0) << 52);
        exponent = (stored > 1 ? stored : 1) - 1075;
    }
    // Rescales to units of 2^unit, of which x must be a multiple. Returns by how many bits to shift the digits left.
    CEIBA_DEVICE int to_unit(int unit) {
        const int shift = exponent - unit;
        if (shift >= 0) return shift;
        digits = shift > -64 ? digits >> -shift : 0;  // the discarded bits are zero
        return 0;
    }
};

// Exact sums of doubles that do not depend on the order of their terms. They are 32-bit digits in 64-bit words, which
// are added word by word with delayed carries. Up to 2^31 terms, or 2^31 sums without pending carries, fit between two
// carries.

// The digits of one number, a multiple of 2^unit: at most three words beginning at `at`.
struct NumberDigits {
    int at = 0;
    Bits64 word[3] = {0, 0, 0};

    CEIBA_DEVICE NumberDigits(double x, int unit) {
        Digits d(x);
        if (d.digits == 0) return;
        const int shift = d.to_unit(unit), rest = shift % 32;
        at = shift / 32;
        const Bits64 low = d.digits << rest, high = rest > 0 ? d.digits >> (64 - rest) : 0;
        word[0] = low & 0xFFFFFFFFu, word[1] = low >> 32, word[2] = high;
        if (x < 0.0)
            for (Bits64& w : word) w = ~w + 1;
    }
    // Calls add(position, word) for each word that is not 0.
    template <class Add>
    CEIBA_DEVICE void each(Add add) const {
        for (int j = 0; j < 3; ++j)
            if (word[j] != 0) add(at + j, word[j]);
    }
    template <class Word>
    CEIBA_DEVICE void add_to(Word* digits) const {
        each([digits](int place, Bits64 x) { digits[place] += x; });
    }
};

// Propagates the carries. Afterwards all digits but the last are below 2^32 and the last has the sign, so equal sums
// have equal words.
template <class Word, class Size>
CEIBA_DEVICE inline void carry(Word* digits, Size n) {
    long long rest = 0;
    for (Size i = 0; i + 1 < n; ++i) {
        const long long v = static_cast<long long>(digits[i]) + rest;
        digits[i] = static_cast<Word>(v) & 0xFFFFFFFFu;
        rest = v >> 32;
    }
    if (n > 0) digits[n - 1] += static_cast<Word>(rest);
}

// The squared distance of a number from the centre of its range, in quanta and rounded up, so that sums are integers.
CEIBA_DEVICE inline Bits64 square_term(double y, double centre, double per_square) {
    return static_cast<Bits64>((y - centre) * (y - centre) * per_square) + 2;
}
CEIBA_DEVICE inline Bits64 square_term(double y, double w, double centre, double per_square) {
    return static_cast<Bits64>(w * (y - centre) * (y - centre) * per_square) + 2;
}

}  // namespace ceiba::base
