#include "predict/row_block.hpp"

#include "base/processor/wide_registers.hpp"

namespace ceiba::predict {

namespace {

template <class T>
bool narrow_each(const T* from, std::size_t n, float* out) {
    std::int32_t missing = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const float x = static_cast<float>(from[i]);
        out[i] = x;
        missing |= x == x ? 0 : -1;
    }
    return missing != 0;
}

#if defined(CEIBA_HAS_WIDE)
CEIBA_WIDE_BEGIN
CEIBA_WIDE bool narrow_wide(const double* from, std::size_t n, float* out) {
    __mmask8 missing = 0;
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m512d x = _mm512_loadu_pd(from + i);
        missing |= _mm512_cmp_pd_mask(x, x, _CMP_UNORD_Q);
        _mm256_storeu_ps(out + i, _mm512_cvtpd_ps(x));
    }
    return narrow_each(from + i, n - i, out + i) || missing != 0;
}
CEIBA_WIDE bool narrow_wide(const float* from, std::size_t n, float* out) {
    __mmask16 missing = 0;
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        const __m512 x = _mm512_loadu_ps(from + i);
        missing |= _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
        _mm512_storeu_ps(out + i, x);
    }
    return narrow_each(from + i, n - i, out + i) || missing != 0;
}
CEIBA_WIDE_END
#endif

template <class T>
bool narrow(const T* from, std::size_t n, float* out) {
#if defined(CEIBA_HAS_WIDE)
    if (base::has_wide_registers()) return narrow_wide(from, n, out);
#endif
    return narrow_each(from, n, out);
}

}  // namespace

float not_above(double cut) {
    constexpr float most = std::numeric_limits<float>::max();
    if (std::isinf(cut)) return static_cast<float>(cut);
    if (cut > static_cast<double>(most)) return most;
    if (cut < -static_cast<double>(most)) return -std::numeric_limits<float>::infinity();
    const float rounded = static_cast<float>(cut);
    return static_cast<double>(rounded) > cut ? std::nextafter(rounded, -std::numeric_limits<float>::infinity())
                                              : rounded;
}

float nearest(double cut) {
    // The language does not define the conversion of a number out of range, but IEEE 754 does.
    static_assert(std::numeric_limits<float>::is_iec559);
    return static_cast<float>(cut);
}

bool narrow_values(const float* from, std::size_t n, float* out) { return narrow(from, n, out); }
bool narrow_values(const double* from, std::size_t n, float* out) { return narrow(from, n, out); }

}  // namespace ceiba::predict
