#include "predict/wide_walk.hpp"

#include "base/processor/wide_registers.hpp"

namespace ceiba::predict {

#if defined(CEIBA_HAS_WIDE)

CEIBA_WIDE_BEGIN
namespace {

constexpr std::size_t in_register = 16;

// The rows on their way, and those that have arrived. The last register of a list may be written past its end.
struct Walkers {
    alignas(64) std::uint32_t at[wide_rows + in_register];     // node
    alignas(64) std::uint32_t start[wide_rows + in_register];  // of the row's values
    alignas(64) std::uint32_t row[wide_rows + in_register];
    alignas(64) std::uint32_t end[wide_rows + in_register];
    alignas(64) std::uint32_t arrived[wide_rows + in_register];
    std::size_t n = 0, n_arrived = 0;
};

template <bool Missing, bool Rounded>
struct Step {
    const SmallNode* nodes;
    const float* data;
    __m512i column_mask, column_bits, column_shift, lost;

    CEIBA_WIDE_INLINE __m512i operator()(__m512i at, __m512i start) const {
        const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        const __m512i one = _mm512_set1_epi32(1);
        const __m512i low = _mm512_i32gather_epi64(_mm512_castsi512_si256(at), nodes, sizeof(SmallNode));
        const __m512i high = _mm512_i32gather_epi64(_mm512_extracti64x4_epi64(at, 1), nodes, sizeof(SmallNode));
        const __m512 cut = _mm512_castsi512_ps(_mm512_permutex2var_epi32(low, even, high));
        const __m512i packed = _mm512_permutex2var_epi32(low, _mm512_add_epi32(even, one), high);
        const __m512i column = _mm512_sllv_epi32(_mm512_and_si512(packed, column_mask), column_shift);
        const __m512 x = _mm512_i32gather_ps(_mm512_add_epi32(start, column), data, sizeof(float));
        __mmask16 second = _mm512_cmp_ps_mask(x, cut, _CMP_GT_OQ);
        if constexpr (Missing)
            second |= static_cast<__mmask16>(_mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q) & _mm512_movepi32_mask(packed));
        const __m512i child = _mm512_srlv_epi32(_mm512_andnot_si512(_mm512_set1_epi32(INT32_MIN), packed), column_bits);
        const __m512i next = _mm512_mask_add_epi32(child, second, child, one);
        if constexpr (Rounded) return _mm512_mask_mov_epi32(next, _mm512_cmp_ps_mask(x, cut, _CMP_EQ_OQ), lost);
        return next;
    }
};

CEIBA_WIDE_INLINE void pack(std::uint32_t* to, __mmask16 mask, __m512i values) {
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(mask, values));
}

CEIBA_WIDE void set_out(Walkers& walkers, const SmallRows& rows) {
    walkers.n = rows.n;
    for (std::size_t i = 0; i < rows.n; ++i) {
        walkers.start[i] = static_cast<std::uint32_t>(static_cast<std::int32_t>(i) * rows.row_step);
        walkers.row[i] = static_cast<std::uint32_t>(i);
        walkers.at[i] = 0;
    }
    for (std::size_t i = rows.n; i < rows.n + in_register; ++i) walkers.at[i] = walkers.start[i] = 0;  // walk along
}

template <class Step>
CEIBA_WIDE void step_all(const Step& step, LinePrefetch& next_rows, Walkers& walkers) {
    for (std::size_t i = 0; i < walkers.n; i += in_register) {
        next_rows();
        std::uint32_t* const at = walkers.at + i;
        _mm512_store_si512(at, step(_mm512_load_si512(at), _mm512_load_si512(walkers.start + i)));
    }
}

// A step after which those that have arrived are taken out.
template <class Step>
CEIBA_WIDE void step_and_compact(const Step& step, LinePrefetch& next_rows, Walkers& walkers) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < walkers.n; i += in_register) {
        next_rows();
        const __m512i at = _mm512_load_si512(walkers.at + i), start = _mm512_load_si512(walkers.start + i),
                      row = _mm512_load_si512(walkers.row + i), next = step(at, start);
        const std::size_t left = walkers.n - i;
        const unsigned there = left >= in_register ? 0xFFFFu : (1u << left) - 1u;
        const unsigned moving = _mm512_cmpneq_epi32_mask(at, next) & there, arrived = there & ~moving;
        pack(walkers.at + kept, static_cast<__mmask16>(moving), next);
        pack(walkers.start + kept, static_cast<__mmask16>(moving), start);
        pack(walkers.row + kept, static_cast<__mmask16>(moving), row);
        pack(walkers.end + walkers.n_arrived, static_cast<__mmask16>(arrived), next);
        pack(walkers.arrived + walkers.n_arrived, static_cast<__mmask16>(arrived), row);
        kept += static_cast<std::size_t>(__builtin_popcount(moving));
        walkers.n_arrived += static_cast<std::size_t>(__builtin_popcount(arrived));
    }
    walkers.n = kept;
}

template <bool Missing, bool Rounded>
CEIBA_WIDE void walk(const SmallTree& tree, const SmallRows& rows, LinePrefetch& next, std::int32_t* out) {
    const Step<Missing, Rounded> step{tree.nodes,
                                      rows.data,
                                      _mm512_set1_epi32(static_cast<std::int32_t>((1u << tree.column_bits) - 1u)),
                                      _mm512_set1_epi32(tree.column_bits),
                                      _mm512_set1_epi32(rows.column_shift),
                                      _mm512_set1_epi32(static_cast<std::int32_t>(tree.lost))};
    Walkers walkers;
    set_out(walkers, rows);
    for (std::uint32_t depth = 0; depth < tree.least_depth; ++depth) step_all(step, next, walkers);
    while (walkers.n > 0) {
        step_all(step, next, walkers);
        step_and_compact(step, next, walkers);
    }
    for (std::size_t i = 0; i < rows.n; ++i) out[walkers.arrived[i]] = tree.id[walkers.end[i]];
}

}  // namespace

CEIBA_WIDE_END

void walk_wide(const SmallTree& tree, const SmallRows& rows, LinePrefetch next, std::int32_t* out) {
    if (rows.rounded)
        rows.missing ? walk<true, true>(tree, rows, next, out) : walk<false, true>(tree, rows, next, out);
    else
        rows.missing ? walk<true, false>(tree, rows, next, out) : walk<false, false>(tree, rows, next, out);
}

#else

void walk_wide(const SmallTree&, const SmallRows&, LinePrefetch, std::int32_t*) {}

#endif

}  // namespace ceiba::predict
