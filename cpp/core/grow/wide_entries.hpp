// AVX-512 versions of the loops of small_tree.cpp, sixteen entries at a time. The scans find cuts that may beat the
// best so far: for up to 4,096 rows, all their numbers are exact in single precision except the last products, which
// have a small slack; the caller compares exactly.
#pragma once

#include "base/standard.hpp"

namespace ceiba::grow {

// A column of a node with two classes: cut i lies after entry i, and [first, last) are allowed. `before` further rows
// are left of all cuts (missing values).
struct TwoClassScan {
    const std::uint32_t* entries;
    std::uint32_t label_mask, second_class;  // an entry is of this class if entry & label_mask == second_class
    std::int32_t n, ones, before, first, last;
};

// Sixteen cuts, from `begin` on: which are promising, which entries are of the second class, and how many were before.
// The first `before` are the ones of the rows that are left of all cuts.
struct Promising {
    std::int32_t begin = -16, before = 0;
    std::uint32_t cuts = 0, ones = 0;

    std::int32_t left_ones(int lane) const;
};

// Goes on to the next sixteen cuts of which one may reach (n left_ones - left ones)^2 / (left right) >= threshold;
// false: there are none.
bool next_promising(const TwoClassScan& scan, double threshold, Promising& at);

// The same of a node with several classes.
struct ManyClassScan {
    static constexpr std::size_t most_classes = 8;  // of the node; with more, one entry at a time is as fast

    const std::uint32_t* entries;
    int rank_shift;
    std::uint32_t label_mask;
    const std::uint32_t *classes, *total;  // the classes of the node, and the number of rows of every class
    std::size_t n_classes;
    std::int32_t n, before, first, last;
};

// Goes on, from the cut `begin`, to the next sixteen cuts of which one may reach left squares / left + right squares /
// right >= threshold; false: there are none. `left`: the number of rows of every class left of the entry `begin`.
bool next_promising(const ManyClassScan& scan, double threshold, std::int32_t& begin, std::uint32_t* left);

constexpr std::size_t past_entries = 16;  // may be read behind the last

// Which rows go left, of at most 4,096.
struct LeftRows {
    std::size_t n_rows = 0;
    alignas(64) std::uint64_t bits[64];

    void set(const std::uint8_t* goes_left, std::size_t n);  // may read up to 63 bytes behind the last
};

// Parts n entries, in their order: those that go left, then the others. A side that is not kept may hold anything. The
// row of an entry is in the lowest bits of entry >> row_shift; spare has room for n + past_entries.
struct PartitionSpec {
    std::uint32_t n, n_left;
    bool keep_left, keep_right;
};
void partition_entries(std::uint32_t* entries, const PartitionSpec& spec, const LeftRows& left, int row_shift,
                       std::uint32_t* spare);

}  // namespace ceiba::grow
