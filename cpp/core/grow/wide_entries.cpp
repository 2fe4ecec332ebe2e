#include "grow/wide_entries.hpp"

#include "base/processor/wide_registers.hpp"

namespace ceiba::grow {

std::int32_t Promising::left_ones(int lane) const { return before + std::popcount(ones & ((2u << lane) - 1u)); }

#if defined(CEIBA_HAS_WIDE)

CEIBA_WIDE_BEGIN

CEIBA_WIDE bool next_promising(const TwoClassScan& scan, double threshold, Promising& at) {
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i up_to = _mm512_sub_epi32(_mm512_sllv_epi32(_mm512_set1_epi32(2), lane), _mm512_set1_epi32(1));
    const __m512i label_mask = _mm512_set1_epi32(static_cast<std::int32_t>(scan.label_mask)),
                  one = _mm512_set1_epi32(static_cast<std::int32_t>(scan.one));
    const __m512 n = _mm512_set1_ps(static_cast<float>(scan.n)), ones = _mm512_set1_ps(static_cast<float>(scan.ones)),
                 least = _mm512_set1_ps(static_cast<float>(threshold) * (1.0f - 0x1p-20f));
    std::int32_t begin = at.begin + 16, before = at.before + std::popcount(at.ones);
    for (; begin < scan.last; begin += 16) {
        const __m512i entry = _mm512_loadu_si512(scan.entries + begin);
        const __mmask16 is_one = _mm512_cmpeq_epi32_mask(_mm512_and_si512(entry, label_mask), one);
        const __m512i left_ones = _mm512_add_epi32(
            _mm512_popcnt_epi32(_mm512_and_si512(_mm512_broadcastmw_epi32(is_one), up_to)), _mm512_set1_epi32(before));
        const __m512 left = _mm512_cvtepi32_ps(_mm512_add_epi32(lane, _mm512_set1_epi32(begin + 1)));
        const __m512 shift = _mm512_sub_ps(_mm512_mul_ps(n, _mm512_cvtepi32_ps(left_ones)), _mm512_mul_ps(left, ones));
        const __m512 bar = _mm512_mul_ps(least, _mm512_mul_ps(left, _mm512_sub_ps(n, left)));
        std::uint32_t cuts = _mm512_cmp_ps_mask(_mm512_mul_ps(shift, shift), bar, _CMP_GE_OQ);
        if (begin < scan.first) cuts &= ~0u << std::min(scan.first - begin, 31);
        if (scan.last - begin < 16) cuts &= (1u << (scan.last - begin)) - 1u;
        if (cuts) {
            at = {begin, before, cuts, is_one};
            return true;
        }
        before += std::popcount(static_cast<std::uint32_t>(is_one));
    }
    return false;
}

CEIBA_WIDE void LeftRows::set(const std::uint8_t* goes_left, std::size_t n) {
    n_rows = n;
    for (std::size_t w = 0; w < (n_rows + 63) / 64; ++w) {
        const __m512i bytes = _mm512_loadu_si512(goes_left + 64 * w);
        bits[w] = _mm512_test_epi8_mask(bytes, bytes);
    }
}

namespace {

// Large: there are more rows than two registers have bits.
template <bool Large>
CEIBA_WIDE void partition_sixteens(std::uint32_t* entries, const PartitionSpec& spec, const LeftRows& left,
                                   int row_shift, std::uint32_t* spare) {
    const __m512i low = _mm512_load_si512(left.bits), high = _mm512_load_si512(left.bits + 8);
    const __m512i low_2 = Large ? _mm512_load_si512(left.bits + 16) : low;
    const __m512i high_2 = Large ? _mm512_load_si512(left.bits + 24) : high;
    const __m512i beyond = _mm512_set1_epi32(1024);
    const __m512i shift = _mm512_set1_epi32(row_shift), one = _mm512_set1_epi32(1), in_word = _mm512_set1_epi32(31);
    std::uint32_t n_left = 0, n_right = 0;
    for (std::uint32_t i = 0; i < spec.n; i += 16) {
        const __m512i entry = _mm512_loadu_si512(entries + i), row = _mm512_srlv_epi32(entry, shift);
        // Of the number of the word the lowest five bits count.
        const __m512i number = _mm512_srli_epi32(row, 5);
        __m512i word = _mm512_permutex2var_epi32(low, number, high);
        if constexpr (Large)
            word = _mm512_mask_mov_epi32(word, _mm512_test_epi32_mask(row, beyond),
                                         _mm512_permutex2var_epi32(low_2, number, high_2));
        const __m512i bit = _mm512_sllv_epi32(one, _mm512_and_si512(row, in_word));
        const std::uint32_t there = spec.n - i >= 16 ? 0xFFFFu : (1u << (spec.n - i)) - 1u;
        const std::uint32_t to_left = _mm512_test_epi32_mask(word, bit) & there, to_right = there & ~to_left;
        const std::uint32_t here = static_cast<std::uint32_t>(std::popcount(to_left));
        if (spec.keep_left)
            _mm512_mask_storeu_epi32(entries + n_left, static_cast<__mmask16>((1u << here) - 1u),
                                     _mm512_maskz_compress_epi32(static_cast<__mmask16>(to_left), entry));
        if (spec.keep_right)
            _mm512_storeu_si512(spare + n_right, _mm512_maskz_compress_epi32(static_cast<__mmask16>(to_right), entry));
        n_left += here;
        n_right += static_cast<std::uint32_t>(std::popcount(to_right));
    }
    if (spec.keep_right) std::memcpy(entries + spec.n_left, spare, n_right * sizeof(std::uint32_t));
}

}  // namespace

void partition_entries(std::uint32_t* entries, const PartitionSpec& spec, const LeftRows& left, int row_shift,
                       std::uint32_t* spare) {
    left.n_rows > 1024 ? partition_sixteens<true>(entries, spec, left, row_shift, spare)
                       : partition_sixteens<false>(entries, spec, left, row_shift, spare);
}

CEIBA_WIDE_END

#else

bool next_promising(const TwoClassScan&, double, Promising&) { return false; }
void LeftRows::set(const std::uint8_t*, std::size_t) {}
void partition_entries(std::uint32_t*, const PartitionSpec&, const LeftRows&, int, std::uint32_t*) {}

#endif

}  // namespace ceiba::grow
