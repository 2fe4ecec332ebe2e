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
                  second_class = _mm512_set1_epi32(static_cast<std::int32_t>(scan.second_class));
    const __m512 n = _mm512_set1_ps(static_cast<float>(scan.n)), ones = _mm512_set1_ps(static_cast<float>(scan.ones)),
                 least = _mm512_set1_ps(static_cast<float>(threshold) * (1.0f - 0x1p-20f));
    std::int32_t begin = at.begin + 16, before = at.before + std::popcount(at.ones);
    for (; begin < scan.last; begin += 16) {
        const __m512i entry = _mm512_loadu_si512(scan.entries + begin);
        const __mmask16 is_one = _mm512_cmpeq_epi32_mask(_mm512_and_si512(entry, label_mask), second_class);
        const __m512i left_ones = _mm512_add_epi32(
            _mm512_popcnt_epi32(_mm512_and_si512(_mm512_broadcastmw_epi32(is_one), up_to)), _mm512_set1_epi32(before));
        const __m512 left = _mm512_cvtepi32_ps(_mm512_add_epi32(lane, _mm512_set1_epi32(scan.before + begin + 1)));
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

CEIBA_WIDE bool next_promising(const ManyClassScan& scan, double threshold, std::int32_t& begin,
                               std::uint32_t* left) {
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i up_to = _mm512_sub_epi32(_mm512_sllv_epi32(_mm512_set1_epi32(2), lane), _mm512_set1_epi32(1));
    const __m512i label_mask = _mm512_set1_epi32(static_cast<std::int32_t>(scan.label_mask));
    const __m512 n = _mm512_set1_ps(static_cast<float>(scan.n)),
                 least = _mm512_set1_ps(static_cast<float>(threshold) * (1.0f - 0x1p-20f));
    const __m128i rank_shift = _mm_cvtsi32_si128(scan.rank_shift);
    // The counts of the last class are those that are left over.
    const std::size_t n_counted = scan.n_classes - 1;
    const std::uint32_t rest = scan.classes[n_counted];
    const __m512 all_rest = _mm512_set1_ps(static_cast<float>(scan.total[rest]));
    for (; begin < scan.last; begin += 16) {
        const __m512i entry = _mm512_loadu_si512(scan.entries + begin), label = _mm512_and_si512(entry, label_mask);
        const __m512 n_left = _mm512_cvtepi32_ps(_mm512_add_epi32(lane, _mm512_set1_epi32(scan.before + begin + 1)));
        __m512 rest_left = n_left, left_squares = _mm512_setzero_ps(), right_squares = left_squares;
        const auto add_class = [&](__m512 of_left, __m512 of_all) CEIBA_WIDE {
            const __m512 of_right = _mm512_sub_ps(of_all, of_left);
            left_squares = _mm512_add_ps(left_squares, _mm512_mul_ps(of_left, of_left));
            right_squares = _mm512_add_ps(right_squares, _mm512_mul_ps(of_right, of_right));
        };
        std::uint32_t in_sixteen[ManyClassScan::most_classes];
        for (std::size_t c = 0; c < n_counted; ++c) {
            const std::uint32_t k = scan.classes[c];
            const __mmask16 is_k = _mm512_cmpeq_epi32_mask(label, _mm512_set1_epi32(static_cast<std::int32_t>(k)));
            in_sixteen[c] = is_k;
            const __m512i counts = _mm512_add_epi32(
                _mm512_popcnt_epi32(_mm512_and_si512(_mm512_broadcastmw_epi32(is_k), up_to)),
                _mm512_set1_epi32(static_cast<std::int32_t>(left[k])));
            const __m512 of_left = _mm512_cvtepi32_ps(counts);
            rest_left = _mm512_sub_ps(rest_left, of_left);
            add_class(of_left, _mm512_set1_ps(static_cast<float>(scan.total[k])));
        }
        add_class(rest_left, all_rest);
        const __m512 n_right = _mm512_sub_ps(n, n_left),
                     top = _mm512_add_ps(_mm512_mul_ps(left_squares, n_right), _mm512_mul_ps(right_squares, n_left)),
                     bar = _mm512_mul_ps(least, _mm512_mul_ps(n_left, n_right));
        std::uint32_t cuts = _mm512_cmp_ps_mask(top, bar, _CMP_GE_OQ);
        if (begin < scan.first) cuts &= ~0u << std::min(scan.first - begin, 31);
        if (scan.last - begin < 16) cuts &= (1u << (scan.last - begin)) - 1u;
        if (cuts) {
            const __m512i next = _mm512_loadu_si512(scan.entries + begin + 1);
            cuts &= _mm512_cmpneq_epi32_mask(_mm512_srl_epi32(entry, rank_shift), _mm512_srl_epi32(next, rank_shift));
            if (cuts) return true;
        }
        std::uint32_t n_others = 0;
        for (std::size_t c = 0; c < n_counted; ++c) {
            const auto more = static_cast<std::uint32_t>(std::popcount(in_sixteen[c]));
            left[scan.classes[c]] += more;
            n_others += more;
        }
        left[rest] += 16 - n_others;
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

// Two registers have bits for 1,024 rows. Pairs: the number of such pairs, a power of two.
template <int Pairs>
CEIBA_WIDE void partition_sixteens(std::uint32_t* entries, const PartitionSpec& spec, const LeftRows& left,
                                   int row_shift, std::uint32_t* spare) {
    __m512i low[Pairs], high[Pairs];
    for (int p = 0; p < Pairs; ++p) {
        low[p] = _mm512_load_si512(left.bits + 16 * p);
        high[p] = _mm512_load_si512(left.bits + 16 * p + 8);
    }
    const __m512i first_bit = _mm512_set1_epi32(1024), second_bit = _mm512_set1_epi32(2048);
    const __m512i shift = _mm512_set1_epi32(row_shift), one = _mm512_set1_epi32(1), in_word = _mm512_set1_epi32(31);
    std::uint32_t n_left = 0, n_right = 0;
    for (std::uint32_t i = 0; i < spec.n; i += 16) {
        const __m512i entry = _mm512_loadu_si512(entries + i), row = _mm512_srlv_epi32(entry, shift);
        // Of the number of the word the lowest five bits count.
        const __m512i number = _mm512_srli_epi32(row, 5);
        const auto in_pair = [&](int p) CEIBA_WIDE { return _mm512_permutex2var_epi32(low[p], number, high[p]); };
        __m512i word = in_pair(0);
        if constexpr (Pairs > 1) {
            const __mmask16 is_odd = _mm512_test_epi32_mask(row, first_bit);
            word = _mm512_mask_mov_epi32(word, is_odd, in_pair(1));
            if constexpr (Pairs > 2)
                word = _mm512_mask_mov_epi32(word, _mm512_test_epi32_mask(row, second_bit),
                                             _mm512_mask_mov_epi32(in_pair(2), is_odd, in_pair(3)));
        }
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
    if (left.n_rows > 2048)
        partition_sixteens<4>(entries, spec, left, row_shift, spare);
    else if (left.n_rows > 1024)
        partition_sixteens<2>(entries, spec, left, row_shift, spare);
    else
        partition_sixteens<1>(entries, spec, left, row_shift, spare);
}

CEIBA_WIDE_END

#else

bool next_promising(const TwoClassScan&, double, Promising&) { return false; }
bool next_promising(const ManyClassScan&, double, std::int32_t&, std::uint32_t*) { return false; }
void LeftRows::set(const std::uint8_t*, std::size_t) {}
void partition_entries(std::uint32_t*, const PartitionSpec&, const LeftRows&, int, std::uint32_t*) {}

#endif

}  // namespace ceiba::grow
