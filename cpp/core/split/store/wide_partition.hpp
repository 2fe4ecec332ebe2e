// The partition of rows in two (partition.cpp), sixteen rows at a time.
#pragma once

#include "base/processor/wide_registers.hpp"
#include "base/standard.hpp"

namespace ceiba::split {

// Rows that go left (branch 0) or right (branch 1), and where the next ones of both go.
struct RowsInTwo {
    const std::uint16_t* branch;
    std::size_t n;
    std::uint32_t left, right;
    std::uint32_t* place;      // of each row
    const std::uint32_t* row;  // moved to the places
    std::uint32_t* row_to;
    const std::uint16_t* label;  // moved as well; null: none
    std::uint16_t* label_to;
};

#if defined(CEIBA_HAS_WIDE)
CEIBA_WIDE_BEGIN
CEIBA_WIDE_INLINE __m512i load_short(const std::uint16_t* at) {
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
}
CEIBA_WIDE_INLINE void store_short(std::uint16_t* at, __mmask16 which, __m512i value) {
    _mm512_mask_storeu_epi16(at, which, _mm512_castsi256_si512(_mm512_cvtepi32_epi16(value)));
}

// Returns the number of rows done.
CEIBA_WIDE inline std::size_t partition_wide(RowsInTwo& rows) {
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    std::uint32_t left = rows.left, right = rows.right;
    std::size_t i = 0;
    for (; i + 16 <= rows.n; i += 16) {
        const __m512i branch = load_short(rows.branch + i);
        const __mmask16 goes_right = _mm512_test_epi32_mask(branch, branch),
                        goes_left = static_cast<__mmask16>(~goes_right);
        const std::uint32_t n_right = static_cast<std::uint32_t>(std::popcount(std::uint32_t{goes_right})),
                            n_left = 16 - n_right;
        const __mmask16 first_left = static_cast<__mmask16>((1u << n_left) - 1u),
                        first_right = static_cast<__mmask16>((1u << n_right) - 1u);
        const __m512i to_left = _mm512_add_epi32(lane, _mm512_set1_epi32(static_cast<std::int32_t>(left))),
                      to_right = _mm512_add_epi32(lane, _mm512_set1_epi32(static_cast<std::int32_t>(right)));
        _mm512_storeu_si512(
            rows.place + i,
            _mm512_mask_expand_epi32(_mm512_maskz_expand_epi32(goes_left, to_left), goes_right, to_right));
        const __m512i row = _mm512_loadu_si512(rows.row + i);
        _mm512_mask_storeu_epi32(rows.row_to + left, first_left, _mm512_maskz_compress_epi32(goes_left, row));
        _mm512_mask_storeu_epi32(rows.row_to + right, first_right, _mm512_maskz_compress_epi32(goes_right, row));
        if (rows.label) {
            const __m512i label = load_short(rows.label + i);
            store_short(rows.label_to + left, first_left, _mm512_maskz_compress_epi32(goes_left, label));
            store_short(rows.label_to + right, first_right, _mm512_maskz_compress_epi32(goes_right, label));
        }
        left += n_left;
        right += n_right;
    }
    rows.left = left, rows.right = right;
    return i;
}
CEIBA_WIDE_END
#else
inline std::size_t partition_wide(RowsInTwo&) { return 0; }
#endif

}  // namespace ceiba::split
