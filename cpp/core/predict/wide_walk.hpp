// Routes sixteen rows per register on processors with fast gathers (base/processor).
//
// All rows of a block take one step at a time, so the cache misses of many rows overlap. Every second step, the rows at
// leaves (which lead to themselves) are removed: the time depends on the mean depth of the rows, not on the maximum of
// each eight. The results are the same (speed: docs/benchmarks.md).
#pragma once

#include "predict/row_block.hpp"

namespace ceiba::predict {

// A node of a tree over float32.
struct SmallNode {
    float cut;
    std::uint32_t packed;  // missing values go to the second branch (bit 31) | first child | column (lowest bits)
};

struct SmallTree {
    const SmallNode* nodes;
    int column_bits;
    std::uint32_t least_depth;  // least depth of a leaf
    const std::int32_t* id;     // of each node, in the Tree
    std::uint32_t lost;         // leaf of rows that cannot be decided in float32; used if values were rounded
};

// The location of the branches of levels: in the cut of a node (32 bits), in its 64 bits of levels, or elsewhere.
enum class Tables { none, in_cut, inside, outside };

// Additional data of nodes with any splits (general_tree.hpp). Bit 31 of a node exchanges the branches of its cut.
struct GeneralNodes : SmallTree {
    const std::uint32_t* successor;  // of each node, for rows that it cannot place
    const std::uint64_t* levels;     // of each node: its table; or the mask of places (high) and the table's start
    const std::uint32_t* tables;
    Tables which;                       // outside: some tables do not fit into 64 bits, so all are separate
    int entry_shift;                    // an entry of a table has 1 << entry_shift bits: the number of a branch
    std::uint32_t entry_mask, lacking;  // its bits; the entry of levels that are not placed
    std::uint32_t n_numbers;            // slots of numbers, which precede those of levels
};

template <class F>
void with_tables(Tables which, F f) {
    if (which == Tables::none) return f(std::integral_constant<Tables, Tables::none>{});
    if (which == Tables::in_cut) return f(std::integral_constant<Tables, Tables::in_cut>{});
    if (which == Tables::inside) return f(std::integral_constant<Tables, Tables::inside>{});
    f(std::integral_constant<Tables, Tables::outside>{});
}

// Rows of float32. The value of column c in row i is data[i * row_step + (c << column_shift)].
struct SmallRows {
    const float* data;
    std::int32_t row_step;
    int column_shift;
    std::size_t n;
    bool missing;  // some value may be missing
    bool rounded;  // values and cuts were rounded, so equal ones cannot be decided
};

constexpr std::size_t wide_rows = 256;  // maximum rows of a block

// Routes the rows on a processor with fast gathers, and prefetches the next rows meanwhile.
void walk_wide(const SmallTree& tree, const SmallRows& rows, LinePrefetch next, std::int32_t* out);
void walk_wide(const GeneralNodes& tree, const SmallRows& rows, LinePrefetch next, std::int32_t* out);

}  // namespace ceiba::predict
