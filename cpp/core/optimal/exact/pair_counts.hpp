// Binary columns as words of 64 rows, and the best stumps on both sides of every column from the counts of all pairs.
//
// With n(f, g) the rows of a class that are 1 in both columns, popcount(word(f) & word(g)) summed over words, the four
// cells of f and g follow from n(f, g), the counts of f and of g, and the number of rows:
//
//   f = 1, g = 1    n(f, g)              f = 1, g = 0    n(f) - n(f, g)
//   f = 0, g = 1    n(g) - n(f, g)       f = 0, g = 0    n - n(f) - n(g) + n(f, g)
//
// A leaf classifies its most frequent class correctly. One pass over the pairs therefore yields the best stump by any g
// on both sides of f and, by symmetry, the best one by f on both sides of g (Demirovic et al. 2022).
#pragma once

#include "base/processor/wide_registers.hpp"
#include "base/standard.hpp"

#if defined(__GNUC__)
#define CEIBA_ALWAYS_INLINE __attribute__((always_inline)) inline
#else
#define CEIBA_ALWAYS_INLINE inline
#endif

namespace ceiba::optimal {

// Transposes a matrix of 64 x 64 bits (Warren 2013, section 7-3).
inline void transpose(std::uint64_t (&a)[64]) {
    std::uint64_t mask = 0x00000000FFFFFFFFull;
    for (unsigned j = 32; j > 0; j /= 2, mask ^= mask << j)
        for (unsigned k = 0; k < 64; k = ((k | j) + 1) & ~j) {
            const std::uint64_t moved = ((a[k] >> j) ^ a[k | j]) & mask;
            a[k] ^= moved << j;
            a[k | j] ^= moved;
        }
}

constexpr std::size_t column_lanes = 16;  // number of columns that are counted at a time

#if defined(CEIBA_HAS_WIDE)
inline bool has_popcnt() {
    static const bool has = __builtin_cpu_supports("popcnt");
    return has;
}
#endif

// For each column from `first` on, adds the number of rows in a mask to `counts`: words[w][c] & mask[w * stride].
struct MaskedCounts {
    const std::uint64_t* words;
    std::size_t n_words, n_columns, first;
    const std::uint64_t* mask;
    std::size_t stride;
    std::int32_t* counts;

    void add() const {
#if defined(CEIBA_HAS_WIDE)
        if (base::has_wide_registers()) return add_wide();
        if (has_popcnt()) return add_popcnt();
#endif
        add_any();
    }

#if defined(CEIBA_HAS_WIDE)
    CEIBA_WIDE void add_wide() const { add_all(); }
    __attribute__((target("popcnt"))) void add_popcnt() const { add_all(); }
#endif
    void add_any() const { add_all(); }

    CEIBA_ALWAYS_INLINE void add_all() const {
        for (std::size_t w = 0; w < n_words; ++w) {
            const std::uint64_t* const word = words + w * n_columns;
            const std::uint64_t rows = mask[w * stride];
            for (std::size_t c = first; c < n_columns; ++c)
                counts[c] += static_cast<std::int32_t>(std::popcount(rows & word[c]));
        }
    }
};

// The rows of a node, class after class.
struct BitRows {
    std::vector<std::uint32_t> row, begin;  // begin: start of each class, and the end

    std::size_t size() const { return row.size(); }
    std::size_t n_classes() const { return begin.size() - 1; }
    std::int32_t count(std::size_t k) const { return static_cast<std::int32_t>(begin[k + 1] - begin[k]); }
    std::int32_t most() const {
        std::int32_t most = 0;
        for (std::size_t k = 0; k < n_classes(); ++k) most = std::max(most, count(k));
        return most;
    }
};

// The columns that divide the rows of a node.
struct NodeBits {
    std::vector<std::uint32_t> column;     // index in the table
    std::vector<std::uint64_t> words;      // word after word, each with its columns; a word has rows of one class
    std::vector<std::uint32_t> word_begin;  // start of each class, and the end
    std::vector<std::int32_t> ones;        // class after class: number of rows with a 1 in each column
    std::vector<std::int32_t> n_ones;      // the same for all classes together

    // The number of rows that two leaves classify correctly, one leaf for each value of a column.
    std::array<std::int32_t, 2> leaves(const BitRows& rows, std::size_t c) const {
        std::array<std::int32_t, 2> most{};
        for (std::size_t k = 0; k < rows.n_classes(); ++k) {
            most[0] = std::max(most[0], rows.count(k) - ones[k * stride() + c]);
            most[1] = std::max(most[1], ones[k * stride() + c]);
        }
        return most;
    }

    std::size_t n_columns() const { return column.size(); }
    std::size_t stride() const { return n_ones.size(); }  // number of columns including padding with zeros
    std::size_t n_words() const { return word_begin.back(); }

    // `bits`: n_blocks words per row of the table, 64 columns each.
    void fill(const BitRows& rows, const std::uint64_t* bits, std::size_t n_blocks, std::size_t n_columns) {
        const std::size_t n_classes = rows.n_classes(), width = 64 * n_blocks;
        word_begin.assign(1, 0);
        for (std::size_t k = 0; k < n_classes; ++k)
            word_begin.push_back(word_begin.back() + (static_cast<std::uint32_t>(rows.count(k)) + 63) / 64);
        wide_.resize(n_words() * width);
        for (std::size_t k = 0; k < n_classes; ++k)
            for (std::uint32_t w = word_begin[k], i = rows.begin[k]; w < word_begin[k + 1]; ++w, i += 64)
                for (std::size_t b = 0; b < n_blocks; ++b) {
                    std::uint64_t block[64] = {};
                    const std::uint32_t n = std::min(64u, rows.begin[k + 1] - i);
                    for (std::uint32_t j = 0; j < n; ++j) block[j] = bits[rows.row[i + j] * n_blocks + b];
                    transpose(block);
                    std::copy(block, block + 64, wide_.begin() + static_cast<std::ptrdiff_t>(w * width + 64 * b));
                }
        keep_dividing(rows, n_columns, width);
    }

private:
    void keep_dividing(const BitRows& rows, std::size_t n_columns, std::size_t width) {
        const std::size_t n_classes = rows.n_classes();
        all_.assign(n_classes * width, 0);
        const std::uint64_t every_row = ~std::uint64_t{0};
        for (std::size_t k = 0; k < n_classes; ++k)
            MaskedCounts{wide_.data() + word_begin[k] * width,
                         word_begin[k + 1] - word_begin[k],
                         width,
                         0,
                         &every_row,
                         0,
                         all_.data() + k * width}
                .add();
        column.clear(), n_ones.clear();
        for (std::uint32_t c = 0; c < n_columns; ++c) {
            std::int32_t sum = 0;
            for (std::size_t k = 0; k < n_classes; ++k) sum += all_[k * width + c];
            if (sum > 0 && sum < static_cast<std::int32_t>(rows.size())) column.push_back(c), n_ones.push_back(sum);
        }
        n_ones.resize((n_ones.size() + column_lanes - 1) / column_lanes * column_lanes);
        const auto pick = [&](const auto& from, std::size_t n_lines, auto& to) {
            to.assign(n_lines * stride(), 0);
            for (std::size_t line = 0; line < n_lines; ++line)
                for (std::size_t c = 0; c < column.size(); ++c)
                    to[line * stride() + c] = from[line * width + column[c]];
        };
        pick(wide_, n_words(), words);
        pick(all_, n_classes, ones);
    }

    std::vector<std::uint64_t> wide_;
    std::vector<std::int32_t> all_;
};

// For both values of each column: the number of rows that the best stump or leaf among the rows with that value
// classifies correctly. Leaves of stumps have at least min_rows rows.
class PairCounts {
public:
    std::array<std::vector<std::int32_t>, 2> right;

    void scan(const BitRows& rows, const NodeBits& bits, std::size_t min_rows) {
        for (auto& of_side : right) of_side.resize(bits.stride());
        for (std::size_t c = 0; c < bits.stride(); ++c) {
            const auto leaves = bits.leaves(rows, c);
            right[0][c] = leaves[0], right[1][c] = leaves[1];
        }
        const auto least = static_cast<std::int32_t>(std::min<std::size_t>(min_rows, rows.size() + 1));
#if defined(CEIBA_HAS_WIDE)
        if (base::has_wide_registers()) return scan_wide(rows, bits, least);
        if (has_popcnt()) return scan_popcnt(rows, bits, least);
#endif
        scan_any(rows, bits, least);
    }

private:
    static constexpr std::size_t lanes = column_lanes;
    using Lanes = std::int32_t[lanes];

#if defined(CEIBA_HAS_WIDE)
    CEIBA_WIDE void scan_wide(const BitRows& rows, const NodeBits& bits, std::int32_t min_rows) {
        scan_all(rows, bits, min_rows);
    }
    __attribute__((target("popcnt"))) void scan_popcnt(const BitRows& rows, const NodeBits& bits,
                                                       std::int32_t min_rows) {
        scan_all(rows, bits, min_rows);
    }
#endif
    void scan_any(const BitRows& rows, const NodeBits& bits, std::int32_t min_rows) { scan_all(rows, bits, min_rows); }

    // Processes 16 columns g at a time. The first 16 may include f and columns before it; their stumps are counted
    // twice, which does not change the maximum.
    CEIBA_ALWAYS_INLINE void scan_all(const BitRows& rows, const NodeBits& bits, std::int32_t min_rows) {
        const std::size_t n_classes = rows.n_classes(), stride = bits.stride();
        for (std::size_t f = 0; f < bits.n_columns(); ++f) {
            Lanes best0 = {}, best1 = {};
            for (std::size_t g = f / lanes * lanes; g < stride; g += lanes) {
                Lanes c11 = {}, c10 = {}, c01 = {}, c00 = {}, n11 = {};
                for (std::size_t k = 0; k < n_classes; ++k) {
                    Lanes both = {};
                    const std::uint64_t* word = bits.words.data() + bits.word_begin[k] * stride;
                    const std::uint64_t* const end = bits.words.data() + bits.word_begin[k + 1] * stride;
                    for (; word < end; word += stride)
                        for (std::size_t j = 0; j < lanes; ++j)
                            both[j] += static_cast<std::int32_t>(std::popcount(word[f] & word[g + j]));
                    const std::int32_t* const ones = bits.ones.data() + k * stride;
                    const std::int32_t in_f = ones[f], n = rows.count(k);
                    for (std::size_t j = 0; j < lanes; ++j) {
                        const std::int32_t only_g = ones[g + j] - both[j];
                        c11[j] = std::max(c11[j], both[j]);
                        c10[j] = std::max(c10[j], in_f - both[j]);
                        c01[j] = std::max(c01[j], only_g);
                        c00[j] = std::max(c00[j], n - in_f - only_g);
                        n11[j] += both[j];
                    }
                }
                std::int32_t *const right0 = right[0].data() + g, *const right1 = right[1].data() + g;
                if (min_rows > 1)
                    drop_small(bits, static_cast<std::int32_t>(rows.size()), f, g, min_rows, n11, c11, c10, c01, c00);
                for (std::size_t j = 0; j < lanes; ++j) {
                    best1[j] = std::max(best1[j], c11[j] + c10[j]);
                    best0[j] = std::max(best0[j], c01[j] + c00[j]);
                    right1[j] = std::max(right1[j], c11[j] + c01[j]);
                    right0[j] = std::max(right0[j], c10[j] + c00[j]);
                }
            }
            right[0][f] = std::max(right[0][f], *std::max_element(best0, best0 + lanes));
            right[1][f] = std::max(right[1][f], *std::max_element(best1, best1 + lanes));
        }
    }

    // A cell with too few rows rules out the two stumps that contain it.
    static void drop_small(const NodeBits& bits, std::int32_t n, std::size_t f, std::size_t g, std::int32_t min_rows,
                           const Lanes& n11, Lanes& c11, Lanes& c10, Lanes& c01, Lanes& c00) {
        for (std::size_t j = 0; j < lanes; ++j) {
            const std::int32_t only_f = bits.n_ones[f] - n11[j], only_g = bits.n_ones[g + j] - n11[j];
            if (n11[j] < min_rows) c11[j] = -n;
            if (only_f < min_rows) c10[j] = -n;
            if (only_g < min_rows) c01[j] = -n;
            if (n - bits.n_ones[f] - only_g < min_rows) c00[j] = -n;
        }
    }
};

}  // namespace ceiba::optimal
