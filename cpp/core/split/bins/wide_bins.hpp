// Bins (edge_search.hpp) and two-byte ranks (bin_sort.hpp) of sixteen values at a time.
#pragma once

#include "base/processor/wide_registers.hpp"
#include "split/bins/binning.hpp"

namespace ceiba::split {

// The tables of an EdgeSearch.
template <class T>
struct WideEdges {
    static constexpr std::size_t n_cells = 1024;
    static constexpr std::uint8_t unused = 255;

    const T* edge;
    const std::uint8_t* n_below;  // per cell, plus three bytes for reads of four bytes; the first may be `unused`
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
        at = _mm512_max_ps(at, _mm512_setzero_ps());  // NaN becomes 0
        at = _mm512_min_ps(at, _mm512_set1_ps(static_cast<float>(edges.n_cells - 1)));
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
        at = _mm512_max_pd(at, _mm512_setzero_pd());  // NaN becomes 0
        at = _mm512_min_pd(at, _mm512_set1_pd(static_cast<double>(edges.n_cells - 1)));
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
void find_wide(const WideEdges<T>&, const T*, std::uint32_t*) {}  // never called: no processor has fast gathers

#endif

// The rule that maps a value and its bin to a rank.
struct RankRule {
    const float *low, *per_width;  // start of each bin, and its 256 parts per width
    int dropped;                   // number of low bits of the rank to drop
    std::uint32_t n_ranks;         // also the rank of missing values
};

// The float32 values of the rows of a node, in row order, and their bins.
struct BinnedValues {
    const float* value;
    const std::uint8_t* byte;
    std::size_t stride, n;
};

#if defined(CEIBA_HAS_WIDE)
CEIBA_WIDE_BEGIN
CEIBA_WIDE_INLINE __m512i two_in_one(__m256i high, __m256i low) {
    return _mm512_or_si512(_mm512_slli_epi64(_mm512_cvtepu32_epi64(high), 32), _mm512_cvtepu32_epi64(low));
}

// Writes ranks and keys (value and row in one word) and returns the number of rows done. The last rows are left to the
// caller, because reads of single bytes are four bytes wide.
CEIBA_WIDE inline std::size_t wide_ranks(const BinnedValues& node, const RankRule& rule, std::uint32_t* rank,
                                         std::uint64_t* key) {
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i place = _mm512_mullo_epi32(lane, _mm512_set1_epi32(static_cast<std::int32_t>(node.stride)));
    const __m512i last_byte = _mm512_set1_epi32(255), sign = _mm512_set1_epi32(INT32_MIN);
    const __m512i missing = _mm512_set1_epi32(static_cast<std::int32_t>(rule.n_ranks));
    const __m128i dropped = _mm_cvtsi32_si128(rule.dropped);
    std::size_t i = 0;
    for (; i + 16 < node.n; i += 16) {
        const __m512 x = _mm512_add_ps(_mm512_loadu_ps(node.value + i), _mm512_setzero_ps());
        const __m512i bin = _mm512_and_si512(_mm512_i32gather_epi32(place, node.byte + i * node.stride, 1), last_byte);
        const __m512 low = _mm512_i32gather_ps(bin, rule.low, 4), width = _mm512_i32gather_ps(bin, rule.per_width, 4);
        __m512 part = _mm512_mul_ps(_mm512_sub_ps(x, low), width);
        part = _mm512_min_ps(_mm512_max_ps(part, _mm512_setzero_ps()), _mm512_set1_ps(255.0f));  // NaN becomes 0
        const __m512i both = _mm512_add_epi32(_mm512_slli_epi32(bin, 8), _mm512_cvttps_epi32(part));
        const __mmask16 none = _mm512_cmpeq_epi32_mask(bin, last_byte);
        _mm512_storeu_si512(rank + i, _mm512_mask_mov_epi32(_mm512_srl_epi32(both, dropped), none, missing));
        const __m512i bits = _mm512_castps_si512(x);
        const __m512i ordered = _mm512_xor_si512(bits, _mm512_or_si512(_mm512_srai_epi32(bits, 31), sign));
        const __m512i row = _mm512_add_epi32(lane, _mm512_set1_epi32(static_cast<std::int32_t>(i)));
        _mm512_storeu_si512(key + i, two_in_one(_mm512_castsi512_si256(ordered), _mm512_castsi512_si256(row)));
        _mm512_storeu_si512(key + i + 8,
                            two_in_one(_mm512_extracti64x4_epi64(ordered, 1), _mm512_extracti64x4_epi64(row, 1)));
    }
    return i;
}
CEIBA_WIDE_END
#else
inline std::size_t wide_ranks(const BinnedValues&, const RankRule&, std::uint32_t*, std::uint64_t*) { return 0; }
#endif

}  // namespace ceiba::split
