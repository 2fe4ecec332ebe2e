#include "predict/wide_walk.hpp"

#include "base/processor/wide_registers.hpp"

namespace ceiba::predict {

#if defined(CEIBA_HAS_WIDE)

CEIBA_WIDE_BEGIN
namespace {

constexpr std::size_t in_register = 16;

// The rows being routed, and those at leaves. Writes of the last register may pass the end of a list.
struct Walkers {
    alignas(64) std::uint32_t at[wide_rows + in_register];     // node
    alignas(64) std::uint32_t start[wide_rows + in_register];  // offset of the row's values
    alignas(64) std::uint32_t row[wide_rows + in_register];
    alignas(64) std::uint32_t end[wide_rows + in_register];
    alignas(64) std::uint32_t arrived[wide_rows + in_register];
    std::size_t n = 0, n_arrived = 0;
};

// The start of every step: reads the nodes of sixteen rows, and the values that these nodes compare.
struct Look {
    const SmallNode* nodes;
    const float* data;
    __m512i column_mask, column_bits, column_shift, lost;

    struct Seen {
        __m512 cut, x;
        __m512i packed, column, child;
    };

    CEIBA_WIDE Look(const SmallTree& tree, const SmallRows& rows)
        : nodes(tree.nodes),
          data(rows.data),
          column_mask(_mm512_set1_epi32(static_cast<std::int32_t>((1u << tree.column_bits) - 1u))),
          column_bits(_mm512_set1_epi32(tree.column_bits)),
          column_shift(_mm512_set1_epi32(rows.column_shift)),
          lost(_mm512_set1_epi32(static_cast<std::int32_t>(tree.lost))) {}

    CEIBA_WIDE_INLINE Seen operator()(__m512i at, __m512i start) const {
        const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        const __m512i low = _mm512_i32gather_epi64(_mm512_castsi512_si256(at), nodes, sizeof(SmallNode));
        const __m512i high = _mm512_i32gather_epi64(_mm512_extracti64x4_epi64(at, 1), nodes, sizeof(SmallNode));
        const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
        Seen seen;
        seen.cut = _mm512_castsi512_ps(_mm512_permutex2var_epi32(low, even, high));
        seen.packed = _mm512_permutex2var_epi32(low, odd, high);
        seen.column = _mm512_and_si512(seen.packed, column_mask);
        const __m512i value = _mm512_add_epi32(start, _mm512_sllv_epi32(seen.column, column_shift));
        seen.x = _mm512_i32gather_ps(value, data, sizeof(float));
        seen.child = _mm512_srlv_epi32(_mm512_andnot_si512(_mm512_set1_epi32(INT32_MIN), seen.packed), column_bits);
        return seen;
    }
};

template <bool Missing, bool Rounded>
struct CutStep {
    Look look;

    CEIBA_WIDE CutStep(const SmallTree& tree, const SmallRows& rows) : look(tree, rows) {}

    CEIBA_WIDE_INLINE __m512i operator()(__m512i at, __m512i start) const {
        const auto [cut, x, packed, column, child] = look(at, start);
        __mmask16 second = _mm512_cmp_ps_mask(x, cut, _CMP_GT_OQ);
        if constexpr (Missing)
            second |= static_cast<__mmask16>(_mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q) & _mm512_movepi32_mask(packed));
        const __m512i next = _mm512_mask_add_epi32(child, second, child, _mm512_set1_epi32(1));
        if constexpr (Rounded) return _mm512_mask_mov_epi32(next, _mm512_cmp_ps_mask(x, cut, _CMP_EQ_OQ), look.lost);
        return next;
    }
};

template <Tables tables, bool Missing>
struct GeneralStep {
    Look look;
    const GeneralNodes& tree;
    __m512i entry_mask, lacking, n_numbers;
    __mmask16 rounded;

    CEIBA_WIDE GeneralStep(const GeneralNodes& general, const SmallRows& rows)
        : look(general, rows),
          tree(general),
          entry_mask(_mm512_set1_epi32(static_cast<std::int32_t>(general.entry_mask))),
          lacking(_mm512_set1_epi32(static_cast<std::int32_t>(general.lacking))),
          n_numbers(_mm512_set1_epi32(static_cast<std::int32_t>(general.n_numbers))),
          rounded(rows.rounded ? 0xFFFF : 0) {}

    CEIBA_WIDE_INLINE __m512i operator()(__m512i at, __m512i start) const {
        const auto [cut, x, packed, column, child] = look(at, start);
        __mmask16 numbers = 0xFFFF;
        if constexpr (tables == Tables::in_cut) numbers = _mm512_cmplt_epu32_mask(column, n_numbers);
        const __mmask16 above = _mm512_mask_cmp_ps_mask(numbers, x, cut, _CMP_GT_OQ),
                        reversed = _mm512_movepi32_mask(packed);
        const __mmask16 second = static_cast<__mmask16>(above ^ reversed);
        __m512i next = _mm512_mask_add_epi32(child, second, child, _mm512_set1_epi32(1));
        __mmask16 lacks = 0;
        if constexpr (Missing) lacks = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
        if constexpr (tables != Tables::none) {
            __m512i entry;
            if constexpr (tables == Tables::in_cut)
                entry = entry_in_cut(_mm512_knot(numbers), _mm512_castps_si512(cut), _mm512_castps_si512(x));
            else
                entry = entry_of(_mm512_cmp_ps_mask(cut, _mm512_set1_ps(HUGE_VALF), _CMP_EQ_OQ), at,
                                 _mm512_castps_si512(x));
            next = _mm512_add_epi32(next, entry);
            if constexpr (Missing) lacks = static_cast<__mmask16>(lacks | _mm512_cmpeq_epi32_mask(entry, lacking));
        }
        if constexpr (Missing)
            if (lacks) next = _mm512_mask_i32gather_epi32(next, lacks, at, tree.successor, sizeof(std::uint32_t));
        const __mmask16 undecided =
            _mm512_mask_cmp_ps_mask(static_cast<__mmask16>(rounded & numbers), x, cut, _CMP_EQ_OQ);
        return _mm512_mask_mov_epi32(next, undecided, look.lost);
    }

    // The table entries of sixteen rows; 0 at nodes without levels.
    CEIBA_WIDE_INLINE __m512i entry_in_cut(__mmask16 levels, __m512i cut, __m512i x) const {
        const __m512i bit =
            _mm512_and_si512(_mm512_slli_epi32(x, static_cast<unsigned>(tree.entry_shift)), _mm512_set1_epi32(31));
        return _mm512_maskz_and_epi32(levels, _mm512_srlv_epi32(cut, bit), entry_mask);
    }

    // The table entries of sixteen rows; 0 at nodes with finite cuts, which have no levels.
    CEIBA_WIDE_INLINE __m512i entry_of(__mmask16 levels, __m512i at, __m512i x) const {
        const unsigned shift = static_cast<unsigned>(tree.entry_shift);
        const __m512i low_half = _mm512_slli_epi32(at, 1), in_word = _mm512_set1_epi32(31);
        const auto words = [&](__m512i index, const void* from) CEIBA_WIDE {
            return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), levels, index, from, sizeof(std::uint32_t));
        };
        __m512i bit, word;
        if constexpr (tables == Tables::inside) {
            bit = _mm512_and_si512(_mm512_slli_epi32(x, shift), _mm512_set1_epi32(63));
            word = words(_mm512_add_epi32(low_half, _mm512_srli_epi32(bit, 5)), tree.levels);
        } else {
            const __m512i mask = words(_mm512_add_epi32(low_half, _mm512_set1_epi32(1)), tree.levels);
            bit = _mm512_slli_epi32(_mm512_and_si512(x, mask), shift);
            word = words(_mm512_add_epi32(words(low_half, tree.levels), _mm512_srli_epi32(bit, 5)), tree.tables);
        }
        return _mm512_and_si512(_mm512_srlv_epi32(word, _mm512_and_si512(bit, in_word)), entry_mask);
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
    for (std::size_t i = rows.n; i < rows.n + in_register; ++i) walkers.at[i] = walkers.start[i] = 0;  // padding
}

template <class Step>
CEIBA_WIDE void step_all(const Step& step, LinePrefetch& next_rows, Walkers& walkers) {
    for (std::size_t i = 0; i < walkers.n; i += in_register) {
        next_rows();
        std::uint32_t* const at = walkers.at + i;
        _mm512_store_si512(at, step(_mm512_load_si512(at), _mm512_load_si512(walkers.start + i)));
    }
}

// A step after which the rows at leaves are removed.
template <class Step>
CEIBA_WIDE void step_and_compact(const Step& step, LinePrefetch& next_rows, Walkers& walkers) {
    std::size_t n_moving = 0;
    for (std::size_t i = 0; i < walkers.n; i += in_register) {
        next_rows();
        const __m512i at = _mm512_load_si512(walkers.at + i), start = _mm512_load_si512(walkers.start + i),
                      row = _mm512_load_si512(walkers.row + i), next = step(at, start);
        const std::size_t left = walkers.n - i;
        const unsigned there = left >= in_register ? 0xFFFFu : (1u << left) - 1u;
        const unsigned moving = _mm512_cmpneq_epi32_mask(at, next) & there, arrived = there & ~moving;
        pack(walkers.at + n_moving, static_cast<__mmask16>(moving), next);
        pack(walkers.start + n_moving, static_cast<__mmask16>(moving), start);
        pack(walkers.row + n_moving, static_cast<__mmask16>(moving), row);
        pack(walkers.end + walkers.n_arrived, static_cast<__mmask16>(arrived), next);
        pack(walkers.arrived + walkers.n_arrived, static_cast<__mmask16>(arrived), row);
        n_moving += static_cast<std::size_t>(__builtin_popcount(moving));
        walkers.n_arrived += static_cast<std::size_t>(__builtin_popcount(arrived));
    }
    walkers.n = n_moving;
}

template <class Step, class Tree>
CEIBA_WIDE void walk(const Tree& tree, const SmallRows& rows, LinePrefetch next, std::int32_t* out) {
    const Step step(tree, rows);
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
        rows.missing ? walk<CutStep<true, true>>(tree, rows, next, out)
                     : walk<CutStep<false, true>>(tree, rows, next, out);
    else
        rows.missing ? walk<CutStep<true, false>>(tree, rows, next, out)
                     : walk<CutStep<false, false>>(tree, rows, next, out);
}

void walk_wide(const GeneralNodes& tree, const SmallRows& rows, LinePrefetch next, std::int32_t* out) {
    const auto by = [&]<Tables tables>(std::integral_constant<Tables, tables>) {
        rows.missing ? walk<GeneralStep<tables, true>>(tree, rows, next, out)
                     : walk<GeneralStep<tables, false>>(tree, rows, next, out);
    };
    with_tables(tree.which, by);
}

#else

void walk_wide(const SmallTree&, const SmallRows&, LinePrefetch, std::int32_t*) {}
void walk_wide(const GeneralNodes&, const SmallRows&, LinePrefetch, std::int32_t*) {}

#endif

}  // namespace ceiba::predict
