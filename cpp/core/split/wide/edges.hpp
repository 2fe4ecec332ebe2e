// The search of edge_search.hpp for sixteen values at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/processor/wide_registers.hpp"
#include "split/bins/binning.hpp"

namespace ceiba::split {

// The tables of an EdgeSearch.
template <class T>
struct WideEdges {
    static constexpr std::size_t n_stretches = 1024;
    static constexpr std::uint8_t unused = 255;

    const T* edge;
    const std::uint8_t* n_below;  // per stretch, and three more bytes: four are read at once; the first may be `unused`
    T low, scale;
    unsigned top;
};

#if defined(CEIBA_HAS_WIDE)

CEIBA_WIDE_BEGIN

CEIBA_WIDE inline void find_wide(const WideEdges<float>& edges, const float* x, std::uint32_t* bin) {
    const __m512 value = _mm512_loadu_ps(x);
    __m512i b = _mm512_setzero_si512();
    if (edges.n_below[0] != edges.unused) {
        __m512 at = _mm512_mul_ps(_mm512_sub_ps(value, _mm512_set1_ps(edges.low)), _mm512_set1_ps(edges.scale));
        at = _mm512_max_ps(at, _mm512_setzero_ps());  // NaN is 0
        at = _mm512_min_ps(at, _mm512_set1_ps(static_cast<float>(edges.n_stretches - 1)));
        const __m512i four = _mm512_i32gather_epi32(_mm512_cvttps_epi32(at), edges.n_below, 1);
        b = _mm512_and_si512(four, _mm512_set1_epi32(255));
    }
    for (unsigned step = edges.top; step > 0; step /= 2) {
        const __m512 edge = _mm512_i32gather_ps(b, edges.edge + step - 1, sizeof(float));
        b = _mm512_mask_add_epi32(b, _mm512_cmp_ps_mask(edge, value, _CMP_LT_OQ), b,
                                  _mm512_set1_epi32(static_cast<std::int32_t>(step)));
    }
    const __mmask16 missing = _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);
    _mm512_storeu_si512(bin, _mm512_mask_mov_epi32(b, missing, _mm512_set1_epi32(missing_bin)));
}

CEIBA_WIDE_INLINE void find_eight(const WideEdges<double>& edges, const double* x, std::uint32_t* bin) {
    const __m512d value = _mm512_loadu_pd(x);
    __m512i b = _mm512_setzero_si512();
    if (edges.n_below[0] != edges.unused) {
        __m512d at = _mm512_mul_pd(_mm512_sub_pd(value, _mm512_set1_pd(edges.low)), _mm512_set1_pd(edges.scale));
        at = _mm512_max_pd(at, _mm512_setzero_pd());  // NaN is 0
        at = _mm512_min_pd(at, _mm512_set1_pd(static_cast<double>(edges.n_stretches - 1)));
        const __m256i four = _mm512_i64gather_epi32(_mm512_cvttpd_epi64(at), edges.n_below, 1);
        b = _mm512_and_si512(_mm512_cvtepu32_epi64(four), _mm512_set1_epi64(255));
    }
    for (unsigned step = edges.top; step > 0; step /= 2) {
        const __m512d edge = _mm512_i64gather_pd(b, edges.edge + step - 1, sizeof(double));
        b = _mm512_mask_add_epi64(b, _mm512_cmp_pd_mask(edge, value, _CMP_LT_OQ), b,
                                  _mm512_set1_epi64(static_cast<std::int64_t>(step)));
    }
    const __mmask8 missing = _mm512_cmp_pd_mask(value, value, _CMP_UNORD_Q);
    b = _mm512_mask_mov_epi64(b, missing, _mm512_set1_epi64(missing_bin));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(bin), _mm512_cvtepi64_epi32(b));
}

CEIBA_WIDE inline void find_wide(const WideEdges<double>& edges, const double* x, std::uint32_t* bin) {
    find_eight(edges, x, bin);
    find_eight(edges, x + 8, bin + 8);
}

CEIBA_WIDE_END

#else

template <class T>
void find_wide(const WideEdges<T>&, const T*, std::uint32_t*) {}  // nobody has fast gathers

#endif

}  // namespace ceiba::split
