#include "predict/key_walk.hpp"

#include "base/processor/wide_registers.hpp"

namespace ceiba::predict {

namespace {

constexpr std::size_t group = KeyBlock::group;
constexpr std::uint32_t farthest_child = 0xFFFF;
constexpr int most_levels = 6;  // comparing all nodes of another level costs more than a step
constexpr std::uint32_t leaf_key = ~0u, missing_key = ~0u - 1u;  // above the keys of all numbers
constexpr std::uint32_t sign_bit = 1u << 31;

// Negative numbers have descending bits. The key of -0 is that of 0.
std::uint32_t key_of(float number) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(number + 0.0f);
    return bits & sign_bit ? ~bits : bits | sign_bit;
}

std::uint32_t first_child(const SmallTree& tree, std::uint32_t place) {
    return (tree.nodes[place].packed & ~missing_second) >> tree.column_bits;
}

std::size_t column_of(const SmallTree& tree, std::uint32_t place) {
    return tree.nodes[place].packed & ((1u << tree.column_bits) - 1u);
}

}  // namespace

KeyTree::KeyTree(const SmallTree& tree, std::size_t n_nodes, std::size_t first_column) {
    std::size_t n_far = set_upper(tree, first_column);
    nodes_.reserve(n_nodes);
    missing_first_.reserve(n_nodes);
    for (std::uint32_t place = 0; place < n_nodes; ++place) {
        const std::uint32_t to_child = first_child(tree, place) - place;
        n_far -= to_child > farthest_child;
        nodes_.push_back({to_child == 0 ? leaf_key : key_of(tree.nodes[place].cut),
                          static_cast<std::uint16_t>((column_of(tree, place) - first_column) * group),
                          static_cast<std::uint16_t>(to_child)});
        missing_first_.push_back(tree.nodes[place].packed & missing_second ? 0 : 1);
    }
    if (n_far != 0) *this = {};  // some are below the first levels
}

// Returns how many nodes of the first levels have a far child.
std::size_t KeyTree::set_upper(const SmallTree& tree, std::size_t first_column) {
    std::size_t n_far = 0;
    upper_.resize(1);
    start_.assign(1, 0);
    do {
        deeper_ = false;
        std::vector<std::uint32_t> next;
        for (const std::uint32_t place : start_) {
            const std::uint32_t child = first_child(tree, place), is_cut = child != place;
            upper_.push_back(is_cut ? UpperNode{key_of(tree.nodes[place].cut),
                                                static_cast<std::int32_t>(column_of(tree, place) - first_column),
                                                (tree.nodes[place].packed & missing_second) == 0}
                                    : UpperNode{});
            n_far += child - place > farthest_child;
            for (const std::uint32_t branch : {child, child + is_cut}) {
                next.push_back(branch);
                deeper_ |= first_child(tree, branch) != branch;
            }
        }
        start_ = std::move(next);
    } while (++n_levels_ < most_levels && deeper_);
    return n_far;
}

#if defined(CEIBA_HAS_WIDE)
CEIBA_WIDE_BEGIN
namespace {

CEIBA_WIDE_INLINE __mmask16 set_keys(std::uint32_t* to, __m512 numbers) {
    const __m512i bits = _mm512_castps_si512(_mm512_add_ps(numbers, _mm512_setzero_ps())),
                  sign = _mm512_set1_epi32(std::numeric_limits<std::int32_t>::min()),
                  flipped = _mm512_or_si512(_mm512_srai_epi32(bits, 31), sign);
    const __mmask16 missing = _mm512_cmp_ps_mask(numbers, numbers, _CMP_UNORD_Q);
    _mm512_store_si512(to, _mm512_mask_set1_epi32(_mm512_xor_si512(bits, flipped), missing,
                                                  static_cast<std::int32_t>(missing_key)));
    return missing;
}

CEIBA_WIDE_INLINE __m512 load_group(const float* from, __mmask16 some) { return _mm512_maskz_loadu_ps(some, from); }
CEIBA_WIDE_INLINE __m512 load_group(const double* from, __mmask16 some) {
    const auto half = [&](__mmask8 rows, const double* at) CEIBA_WIDE {
        return _mm256_castps_pd(_mm512_cvtpd_ps(_mm512_maskz_loadu_pd(rows, at)));
    };
    const __m512d low = _mm512_castpd256_pd512(half(static_cast<__mmask8>(some), from));
    return _mm512_castpd_ps(_mm512_insertf64x4(low, half(static_cast<__mmask8>(some >> 8), from + 8), 1));
}

// Sixteen rows of four numbers as four slots. Row i is at from + step[i].
CEIBA_WIDE_INLINE __mmask16 set_four_slots(std::uint32_t* to, const float* from, const std::ptrdiff_t* step) {
    const auto rows = [&](int i) CEIBA_WIDE {
        const auto row = [&](int k) CEIBA_WIDE { return _mm_loadu_ps(from + step[i + k]); };
        const __m512 first = _mm512_insertf32x4(_mm512_castps128_ps512(row(0)), row(4), 1);
        return _mm512_insertf32x4(_mm512_insertf32x4(first, row(8), 2), row(12), 3);
    };
    const __m512 a = rows(0), b = rows(1), c = rows(2), d = rows(3);
    const __m512d ab = _mm512_castps_pd(_mm512_unpacklo_ps(a, b)), cd = _mm512_castps_pd(_mm512_unpacklo_ps(c, d)),
                  ab_high = _mm512_castps_pd(_mm512_unpackhi_ps(a, b)),
                  cd_high = _mm512_castps_pd(_mm512_unpackhi_ps(c, d));
    return set_keys(to, _mm512_castpd_ps(_mm512_unpacklo_pd(ab, cd))) |
           set_keys(to + group, _mm512_castpd_ps(_mm512_unpackhi_pd(ab, cd))) |
           set_keys(to + 2 * group, _mm512_castpd_ps(_mm512_unpacklo_pd(ab_high, cd_high))) |
           set_keys(to + 3 * group, _mm512_castpd_ps(_mm512_unpackhi_pd(ab_high, cd_high)));
}

CEIBA_WIDE bool set_rows_wide(KeyBlock& block, const float* from, std::ptrdiff_t step) {
    __mmask16 missing = 0;
    for (std::size_t first = 0; first < block.n; first += group) {
        std::ptrdiff_t row[group];  // after the last row, it is repeated
        for (std::size_t i = 0; i < group; ++i)
            row[i] = static_cast<std::ptrdiff_t>(std::min(first + i, block.n - 1)) * step;
        for (std::size_t slot = 0; slot < block.width; slot += 4) {
            const std::size_t s = std::min(slot, block.width - 4);
            missing |= set_four_slots(block.cells + (first * block.width) + s * group, from + s, row);
        }
    }
    return missing != 0;
}

template <class T>
CEIBA_WIDE bool set_slot_wide(KeyBlock& block, std::size_t slot, const T* values) {
    __mmask16 missing = 0;
    for (std::size_t first = 0; first < block.n; first += group) {
        const std::size_t left = block.n - first;
        const __mmask16 some = left >= group ? 0xFFFF : static_cast<__mmask16>((1u << left) - 1u);
        missing |= set_keys(block.cells + first * block.width + slot * group,
                            load_group(values + first, some));
    }
    return missing != 0;
}

// A bit per row.
struct RowBits {
    std::uint64_t word[KeyBlock::most_rows / 64];
};

// The rows of a block that go to the second branch of each upper node, and those with a key equal to none of the cuts.
template <bool Missing, bool Rounded>
CEIBA_WIDE void compare_upper(const KeyBlock& block, std::span<const KeyTree::UpperNode> nodes, RowBits* second,
                              RowBits& different) {
    const __m512i missing = _mm512_set1_epi32(static_cast<std::int32_t>(missing_key));
    for (std::size_t w = 0; w * 64 < block.n; ++w) {
        const std::uint32_t* const cells = block.cells + w * 64 * block.width;
        __mmask16 unequal[4] = {0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF};
        for (std::size_t i = 1; i < nodes.size(); ++i) {
            if (nodes[i].slot < 0) {
                second[i].word[w] = 0;
                continue;
            }
            const std::uint32_t* const keys = cells + static_cast<std::size_t>(nodes[i].slot) * group;
            const __m512i cut = _mm512_set1_epi32(static_cast<std::int32_t>(nodes[i].key));
            __mmask16 above[4];
            for (std::size_t k = 0; k < 4; ++k) {
                const __m512i key = _mm512_load_si512(keys + k * group * block.width);
                above[k] = _mm512_cmpgt_epu32_mask(key, cut);
                if constexpr (Missing)
                    if (nodes[i].missing_first) above[k] = _mm512_mask_cmpneq_epu32_mask(above[k], key, missing);
                if constexpr (Rounded) unequal[k] = _mm512_mask_cmpneq_epu32_mask(unequal[k], key, cut);
            }
            second[i].word[w] =
                _mm512_kunpackd(_mm512_kunpackw(above[3], above[2]), _mm512_kunpackw(above[1], above[0]));
        }
        different.word[w] =
            _mm512_kunpackd(_mm512_kunpackw(unequal[3], unequal[2]), _mm512_kunpackw(unequal[1], unequal[0]));
    }
}

CEIBA_WIDE_INLINE __m256i load(const RowBits& bits) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bits.word));
}

// Follows the first levels: bit[d] are the branches that the rows take at depth d.
CEIBA_WIDE void follow(const RowBits* second, int n_levels, RowBits* bit) {
    for (int depth = 0; depth < n_levels; ++depth) {
        const std::size_t n = std::size_t{1} << depth;
        __m256i at[1 << (most_levels - 1)];
        for (std::size_t i = 0; i < n; ++i) at[i] = load(second[n + i]);
        // Choose by the last decision first, because it halves the nodes of equal parents.
        for (int d = depth; d-- > 0;) {
            const __m256i taken = load(bit[d]);
            for (std::size_t i = 0; i < std::size_t{1} << d; ++i)
                at[i] = _mm256_or_si256(_mm256_and_si256(taken, at[2 * i + 1]),
                                        _mm256_andnot_si256(taken, at[2 * i]));
        }
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(bit[depth].word), at[0]);
    }
}

// Looks up the places below the first levels.
CEIBA_WIDE void set_places(const RowBits* bit, int n_levels, std::size_t n, const std::uint32_t* start,
                           std::uint32_t* place) {
    for (std::size_t i = 0; i < n; i += group) {
        __m512i path = _mm512_setzero_si512();
        for (int d = 0; d < n_levels; ++d) {
            const __mmask16 second = static_cast<__mmask16>(bit[d].word[i / 64] >> i % 64);
            path = _mm512_add_epi32(path, path);
            path = _mm512_mask_add_epi32(path, second, path, _mm512_set1_epi32(1));
        }
        std::uint32_t at[group];
        _mm512_storeu_si512(at, path);
        for (std::size_t k = 0; k < group; ++k) place[i + k] = start[at[k]];
    }
}

}  // namespace
CEIBA_WIDE_END

void KeyBlock::set_rows(const float* from, std::ptrdiff_t step) { missing = set_rows_wide(*this, from, step); }

template <class T>
void KeyBlock::set_slot(std::size_t slot, const T* values) {
    missing |= set_slot_wide(*this, slot, values);
}

template <bool Missing, bool Rounded>
void KeyTree::walk_upper(KeyBlock& block, std::uint32_t* place) const {
    RowBits second[1 << most_levels], bit[most_levels], different;
    compare_upper<Missing, Rounded>(block, upper_, second, different);
    follow(second, n_levels_, bit);
    set_places(bit, n_levels_, block.n, start_.data(), place);
    for (std::size_t i = 0; i < block.n; i += lanes) {
        const std::size_t n = std::min(lanes, block.n - i);
        block.undecided[i / lanes] = Rounded && (~different.word[i / 64] >> i % 64 & ((1u << n) - 1u)) != 0;
    }
}

template <bool Missing, bool Rounded>
void KeyTree::walk_lower(KeyBlock& block, LinePrefetch& next, std::uint32_t* place) const {
    const Node* const nodes = nodes_.data();
    for (std::size_t first = 0; first < block.n; first += lanes) {
        const std::uint32_t* const cells =
            block.cells + first / group * group * block.width + first % group;
        std::size_t at[lanes];
        std::uint32_t equal = 0;
        for (std::size_t l = 0; l < lanes; ++l) {
            next();
            at[l] = place[first + l];
        }
        const auto step = [&](std::size_t l) {
            const Node node = nodes[at[l]];
            const std::uint32_t key = (cells + l)[node.cell];
            std::size_t second = node.key < key;
            if constexpr (Missing) second &= ~(missing_first_[at[l]] & static_cast<std::size_t>(key == missing_key));
            if constexpr (Rounded) equal = node.key == key ? 1u : equal;
            return at[l] + node.to_child + second;
        };
        std::size_t moved;
        do {  // two steps per check, because a leaf leads to itself
            for (std::size_t l = 0; l < lanes; ++l) at[l] = step(l);
            moved = 0;
            for (std::size_t l = 0; l < lanes; ++l) {
                const std::size_t to = step(l);
                moved |= to ^ at[l];
                at[l] = to;
            }
        } while (moved);
        for (std::size_t l = 0; l < lanes; ++l) place[first + l] = static_cast<std::uint32_t>(at[l]);
        if constexpr (Rounded) block.undecided[first / lanes] |= equal != 0;
    }
}

template <bool Rounded>
void KeyTree::walk(KeyBlock& block, LinePrefetch next, std::uint32_t* place) const {
    const auto route = [&]<bool Missing>(std::bool_constant<Missing>) {
        walk_upper<Missing, Rounded>(block, place);
        if (deeper_) return walk_lower<Missing, Rounded>(block, next, place);
        for (std::size_t i = 0; i < block.n; ++i) next();
    };
    block.missing ? route(std::true_type{}) : route(std::false_type{});
}
#else

void KeyBlock::set_rows(const float*, std::ptrdiff_t) {}
template <class T>
void KeyBlock::set_slot(std::size_t, const T*) {}
template <bool Rounded>
void KeyTree::walk(KeyBlock&, LinePrefetch, std::uint32_t*) const {}

#endif

template void KeyBlock::set_slot(std::size_t, const float*);
template void KeyBlock::set_slot(std::size_t, const double*);
template void KeyTree::walk<false>(KeyBlock&, LinePrefetch, std::uint32_t*) const;
template void KeyTree::walk<true>(KeyBlock&, LinePrefetch, std::uint32_t*) const;

}  // namespace ceiba::predict
