// Exclusive prefix sums of counts: the positions at which the groups of a counting sort begin.
#pragma once

#include "base/standard.hpp"

#include "base/processor/wide_registers.hpp"

namespace ceiba::base {

struct Starts {
    std::uint32_t sum = 0, largest = 0;  // of the counts processed so far
};

#if defined(CEIBA_HAS_WIDE)
CEIBA_WIDE_BEGIN
// Processes 16 counts at a time: each lane adds the sums 1, 2, 4 and 8 lanes below. Returns how many were processed.
CEIBA_WIDE inline std::size_t starts_by_sixteens(std::uint32_t* count, std::size_t n, Starts& so_far) {
    const __m512i none = _mm512_setzero_si512(), last_lane = _mm512_set1_epi32(15);
    __m512i before = none, largest = none;
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        const __m512i value = _mm512_loadu_si512(count + i);
        largest = _mm512_max_epu32(largest, value);
        __m512i up_to = _mm512_add_epi32(value, _mm512_alignr_epi32(value, none, 15));
        up_to = _mm512_add_epi32(up_to, _mm512_alignr_epi32(up_to, none, 14));
        up_to = _mm512_add_epi32(up_to, _mm512_alignr_epi32(up_to, none, 12));
        up_to = _mm512_add_epi32(up_to, _mm512_alignr_epi32(up_to, none, 8));
        _mm512_storeu_si512(count + i, _mm512_add_epi32(before, _mm512_sub_epi32(up_to, value)));
        before = _mm512_add_epi32(before, _mm512_permutexvar_epi32(last_lane, up_to));
    }
    so_far.sum = static_cast<std::uint32_t>(_mm512_cvtsi512_si32(before));
    so_far.largest = _mm512_reduce_max_epu32(largest);
    return i;
}
CEIBA_WIDE_END
#endif

// Replaces each count by the sum of the previous ones. Returns the largest count.
inline std::uint32_t starts_from_counts(std::uint32_t* count, std::size_t n) {
    Starts so_far;
    std::size_t done = 0;
#if defined(CEIBA_HAS_WIDE)
    if (has_wide_registers()) done = starts_by_sixteens(count, n, so_far);
#endif
    for (; done < n; ++done) {
        so_far.largest = std::max(so_far.largest, count[done]);
        so_far.sum += std::exchange(count[done], so_far.sum);
    }
    return so_far.largest;
}

}  // namespace ceiba::base
