#include "predict/subtree_walk.hpp"

#include "base/processor/wide_registers.hpp"

namespace ceiba::predict {

namespace {

using Subtree = SubtreeWalk::Subtree;

constexpr std::size_t per_register = RowRegisters::per_register;

std::uint32_t first_child(const SmallTree& tree, std::uint32_t node) {
    return (tree.nodes[node].packed & ~missing_second) >> tree.column_bits;
}

void set_next(Subtree& subtree, std::size_t branch, std::int32_t next) {
    for (std::size_t byte = 0; byte < 3; ++byte)
        subtree.next[branch][byte] = static_cast<std::uint8_t>(static_cast<std::uint32_t>(next) >> 8 * byte);
}

}  // namespace

RowRegisters::RowRegisters(std::size_t n_slots) : values{}, n_registers((n_slots + per_register - 1) / per_register) {
    if (n_registers > 2) n_registers += n_registers % 2;  // a permutation selects from one or two registers
}

SubtreeWalk::SubtreeWalk(const SmallTree& tree, std::size_t first_column, std::size_t n_numbers)
    : n_numbers_(n_numbers) {
    const auto is_leaf = [&](std::uint32_t node) { return first_child(tree, node) == node; };
    std::vector<std::uint32_t> root{0};  // of each subtree
    for (std::size_t i = 0; i < root.size(); ++i) {
        Subtree subtree{};
        std::uint32_t node[15] = {root[i]};
        for (std::size_t k = 0; k < 8; ++k) subtree.cut[k] = std::numeric_limits<float>::quiet_NaN();
        for (std::size_t k = 0; k < 7; ++k) {
            const std::uint32_t child = first_child(tree, node[k]), is_cut = child != node[k];
            node[2 * k + 1] = child;
            node[2 * k + 2] = child + is_cut;
            if (!is_cut) continue;
            const SmallNode& small = tree.nodes[node[k]];
            const std::size_t column = small.packed & ((1u << tree.column_bits) - 1u);
            subtree.cut[k] = small.cut;
            subtree.slot[k] = static_cast<std::uint8_t>(column - first_column);
            if (subtree.slot[k] >= n_numbers_) {  // the rotation by a level then moves its bit to the sign
                subtree.cut[k] = std::bit_cast<float>(std::rotr(std::bit_cast<std::uint32_t>(small.cut), 1));
                has_levels_ = true;
            }
            if (small.packed & missing_second) subtree.missing_second |= static_cast<std::uint8_t>(1u << k);
        }
        for (std::size_t k = 0; k < 8; ++k) {
            const std::uint32_t end = node[7 + k];
            set_next(subtree, k, is_leaf(end) ? ~tree.id[end] : static_cast<std::int32_t>(root.size()));
            if (!is_leaf(end)) root.push_back(end);
        }
        subtrees_.push_back(subtree);
    }
    all_deeper_ = tree.least_depth > 3;
}

#if defined(CEIBA_HAS_WIDE)
CEIBA_WIDE_BEGIN
namespace {

// The offset of the next subtree for each result of the seven comparisons.
constexpr std::array<std::uint8_t, 128> next_offsets = [] {
    std::array<std::uint8_t, 128> offset{};
    for (std::size_t above = 0; above < 128; ++above) {
        std::size_t cut = 0;
        while (cut < 7) cut = 2 * cut + 1 + (above >> cut & 1u);
        offset[above] = static_cast<std::uint8_t>((cut - 7) * sizeof(Subtree::next[0]));
    }
    return offset;
}();

CEIBA_WIDE_INLINE __m512 load_some(const float* from, __mmask16 some) { return _mm512_maskz_loadu_ps(some, from); }
CEIBA_WIDE_INLINE __m512 load_some(const double* from, __mmask16 some) {
    const auto half = [&](__mmask8 part, const double* at) CEIBA_WIDE {
        return _mm256_castps_pd(_mm512_cvtpd_ps(_mm512_maskz_loadu_pd(part, at)));
    };
    const __m512d low = _mm512_castpd256_pd512(half(static_cast<__mmask8>(some), from));
    return _mm512_castpd_ps(_mm512_insertf64x4(low, half(static_cast<__mmask8>(some >> 8), from + 8), 1));
}

template <int Registers, class T>
CEIBA_WIDE bool copy_rows(const char* from, std::ptrdiff_t step, std::size_t n, std::size_t n_slots, float* out) {
    __mmask16 some[Registers], missing = 0;
    for (std::size_t r = 0; r < Registers; ++r) {
        const std::size_t left = n_slots - std::min(n_slots, r * per_register);
        some[r] = left >= per_register ? 0xFFFF : static_cast<__mmask16>((1u << left) - 1u);
    }
    for (std::size_t i = 0; i < n; ++i, from += step, out += Registers * per_register) {
        for (std::size_t r = 0; r < Registers; ++r) {
            const __m512 x = load_some(reinterpret_cast<const T*>(from) + r * per_register, some[r]);
            missing |= _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
            _mm512_store_ps(out + r * per_register, x);
        }
    }
    return missing != 0;
}

// Transposes four columns of sixteen rows.
CEIBA_WIDE_INLINE void transpose_four(const float* columns, float* out, std::size_t row_step) {
    constexpr std::size_t step = RowRegisters::most_rows;
    const auto column = [&](std::size_t k) CEIBA_WIDE { return _mm512_loadu_ps(columns + k * step); };
    const __m512 a = column(0), b = column(1), c = column(2), d = column(3);
    const __m512d ab = _mm512_castps_pd(_mm512_unpacklo_ps(a, b)), cd = _mm512_castps_pd(_mm512_unpacklo_ps(c, d)),
                  ab_high = _mm512_castps_pd(_mm512_unpackhi_ps(a, b)),
                  cd_high = _mm512_castps_pd(_mm512_unpackhi_ps(c, d));
    const auto store = [&](std::size_t first, __m512d rows) CEIBA_WIDE {
        const __m512 x = _mm512_castpd_ps(rows);
        _mm_store_ps(out + first * row_step, _mm512_castps512_ps128(x));
        _mm_store_ps(out + (first + 4) * row_step, _mm512_extractf32x4_ps(x, 1));
        _mm_store_ps(out + (first + 8) * row_step, _mm512_extractf32x4_ps(x, 2));
        _mm_store_ps(out + (first + 12) * row_step, _mm512_extractf32x4_ps(x, 3));
    };
    store(0, _mm512_unpacklo_pd(ab, cd));
    store(1, _mm512_unpackhi_pd(ab, cd));
    store(2, _mm512_unpacklo_pd(ab_high, cd_high));
    store(3, _mm512_unpackhi_pd(ab_high, cd_high));
}

CEIBA_WIDE void transpose_all(const float* columns, std::size_t n, float* out, std::size_t row_step) {
    for (std::size_t i = 0; i < n; i += per_register) transpose_four(columns + i, out + i * row_step, row_step);
}

// Takes a row from the place of a subtree to the next place. Sets `equal` if the row has a value that equals a cut.
template <int Registers, bool Missing, bool Levels, bool Rounded>
struct Step {
    const char* subtrees;
    std::size_t n_numbers;

    CEIBA_WIDE_INLINE std::int32_t operator()(std::int32_t place, const float* row, __mmask8& equal) const {
        const char* const subtree = subtrees + static_cast<std::ptrdiff_t>(place) * sizeof(Subtree);
        const __m128i slots = _mm_load_si128(reinterpret_cast<const __m128i*>(subtree + offsetof(Subtree, slot)));
        const __m512i slot = _mm512_cvtepu8_epi32(slots);  // the last ones are not used
        __m512 selected;
        if constexpr (Registers == 1) {
            selected = _mm512_permutexvar_ps(slot, _mm512_load_ps(row));
        } else {
            selected = _mm512_permutex2var_ps(_mm512_load_ps(row), slot, _mm512_load_ps(row + per_register));
            for (int r = 2; r < Registers; r += 2) {
                const float* const from = row + static_cast<std::size_t>(r) * per_register;
                const __mmask16 here = _mm512_cmpge_epu32_mask(slot, _mm512_set1_epi32(r * 16));
                selected = _mm512_mask_mov_ps(
                    selected, here,
                    _mm512_permutex2var_ps(_mm512_load_ps(from), slot, _mm512_load_ps(from + per_register)));
            }
        }
        const __m256 x = _mm512_castps512_ps256(selected);
        const __m256 cut = _mm256_load_ps(reinterpret_cast<const float*>(subtree));
        unsigned above;
        __mmask8 numbers = 0xFF;
        if constexpr (Levels) {
            const __m128i first = _mm_set1_epi8(static_cast<char>(n_numbers));
            const __mmask8 levels = static_cast<__mmask8>(_mm_mask_cmpge_epu8_mask(0x7F, slots, first));
            // The lowest five bits of a level's value say where the table has its bit.
            const __m256i is_above = _mm256_castps_si256(_mm256_cmp_ps(x, cut, _CMP_GT_OQ)),
                          second = _mm256_mask_rorv_epi32(is_above, levels, _mm256_castps_si256(cut),
                                                          _mm256_castps_si256(x));
            above = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(second)));
            numbers = static_cast<__mmask8>(~levels);
        } else {
            above = _cvtmask8_u32(_mm256_cmp_ps_mask(x, cut, _CMP_GT_OQ));
        }
        if constexpr (Missing) {
            const __mmask8 second = static_cast<__mmask8>(subtree[offsetof(Subtree, missing_second)]);
            above |= _cvtmask8_u32(_mm256_mask_cmp_ps_mask(second, x, x, _CMP_UNORD_Q));
        }
        if constexpr (Rounded) equal |= _mm256_mask_cmp_ps_mask(numbers, x, cut, _CMP_EQ_OQ);
        std::int32_t next;  // the last three bytes
        std::memcpy(&next, subtree + offsetof(Subtree, next) - 1 + next_offsets[above], sizeof next);
        return next >> 8;
    }
};

// Removes the rows at leaves. Writes may pass the end of a list by a register.
CEIBA_WIDE std::size_t remove_rows_at_leaves(std::int32_t* place, std::uint32_t* row, std::size_t n) {
    std::size_t n_left = 0;
    for (std::size_t i = 0; i < n; i += per_register) {
        const __m512i places = _mm512_load_si512(place + i), rows = _mm512_load_si512(row + i);
        const unsigned there = n - i >= per_register ? 0xFFFFu : (1u << (n - i)) - 1u,
                       moving = there & ~static_cast<unsigned>(_mm512_movepi32_mask(places));
        _mm512_storeu_si512(place + n_left, _mm512_maskz_compress_epi32(static_cast<__mmask16>(moving), places));
        _mm512_storeu_si512(row + n_left, _mm512_maskz_compress_epi32(static_cast<__mmask16>(moving), rows));
        n_left += static_cast<std::size_t>(__builtin_popcount(moving));
    }
    return n_left;
}

// Twice: no row reaches a leaf in the first step.
template <int Registers, bool Missing, bool Levels, bool Rounded, bool Twice>
CEIBA_WIDE bool walk_rows(const Subtree* subtrees, std::size_t n_numbers, const RowRegisters& rows, LinePrefetch& next,
                          std::int32_t* out) {
    constexpr std::size_t row_step = Registers * per_register;
    const Step<Registers, Missing, Levels, Rounded> step{reinterpret_cast<const char*>(subtrees), n_numbers};
    alignas(64) std::int32_t place[RowRegisters::most_rows + per_register];
    alignas(64) std::uint32_t row[RowRegisters::most_rows + per_register];
    __mmask8 some_equal = 0;
    for (std::size_t i = 0; i < rows.n; ++i) {
        next();
        const float* const values = rows.values + i * row_step;
        __mmask8 equal = 0;
        std::int32_t to = step(0, values, equal);
        if constexpr (Twice) to = step(to, values, equal);
        if constexpr (Rounded) to = equal ? ~SubtreeWalk::undecided : to;
        some_equal |= equal;
        place[i] = out[i] = to;
    }
    for (std::size_t i = 0; i < rows.n; ++i) row[i] = static_cast<std::uint32_t>(i);
    std::size_t n = remove_rows_at_leaves(place, row, rows.n);
    while (n > 0) {
        for (std::size_t i = 0; i < n; ++i) {
            __mmask8 equal = 0;
            std::int32_t to = step(place[i], rows.values + row[i] * row_step, equal);
            if constexpr (Rounded) to = equal ? ~SubtreeWalk::undecided : to;
            some_equal |= equal;
            place[i] = out[row[i]] = to;
        }
        n = remove_rows_at_leaves(place, row, n);
    }
    for (std::size_t i = 0; i < rows.n; ++i) out[i] = ~out[i];
    return some_equal != 0;
}

template <class F>
auto with_registers(std::size_t n, F f) {
    if (n == 1) return f(std::integral_constant<int, 1>{});
    if (n == 2) return f(std::integral_constant<int, 2>{});
    if (n == 4) return f(std::integral_constant<int, 4>{});
    return f(std::integral_constant<int, 6>{});
}

}  // namespace
CEIBA_WIDE_END

template <class T>
void RowRegisters::set_rows(const char* from, std::ptrdiff_t step, std::size_t n_slots) {
    with_registers(n_registers, [&]<int Registers>(std::integral_constant<int, Registers>) {
        missing = copy_rows<Registers, T>(from, step, n, n_slots, values);
    });
}

void RowRegisters::set_four_slots(std::size_t first_slot, const float* columns) {
    transpose_all(columns, n, values + first_slot, n_registers * per_register);
}

template <bool Rounded>
bool SubtreeWalk::walk(const RowRegisters& rows, LinePrefetch next, std::int32_t* out) const {
    return with_registers(rows.n_registers, [&]<int Registers>(std::integral_constant<int, Registers>) {
        const auto by = [&]<bool Missing, bool Levels>(std::bool_constant<Missing>, std::bool_constant<Levels>) {
            const auto walk = all_deeper_ ? walk_rows<Registers, Missing, Levels, Rounded, true>
                                          : walk_rows<Registers, Missing, Levels, Rounded, false>;
            return walk(subtrees_.data(), n_numbers_, rows, next, out);
        };
        constexpr std::true_type yes;
        constexpr std::false_type no;
        if (has_levels_) return rows.missing ? by(yes, yes) : by(no, yes);
        return rows.missing ? by(yes, no) : by(no, no);
    });
}
#else

template <class T>
void RowRegisters::set_rows(const char*, std::ptrdiff_t, std::size_t) {}
void RowRegisters::set_four_slots(std::size_t, const float*) {}
template <bool Rounded>
bool SubtreeWalk::walk(const RowRegisters&, LinePrefetch, std::int32_t*) const {
    return false;
}

#endif

template void RowRegisters::set_rows<float>(const char*, std::ptrdiff_t, std::size_t);
template void RowRegisters::set_rows<double>(const char*, std::ptrdiff_t, std::size_t);
template bool SubtreeWalk::walk<false>(const RowRegisters&, LinePrefetch, std::int32_t*) const;
template bool SubtreeWalk::walk<true>(const RowRegisters&, LinePrefetch, std::int32_t*) const;

}  // namespace ceiba::predict
