// Sixteen rows go down a tree together in one register, where registers are filled fast (base/processor).
//
// All rows of a block take a step, then the next: the cache misses of many rows overlap. Every second step the rows
// that have arrived (a leaf leads to itself) are taken out, so the time goes by the mean depth of the rows, not by the
// deepest of eight. The answers are the same (speed: docs/benchmarks.md).
#pragma once

#include "predict/row_block.hpp"

namespace ceiba::predict {

// A node of a tree over float32.
struct SmallNode {
    float cut;
    std::uint32_t packed;  // missing goes to the second branch (bit 31) | first child | column (lowest bits)
};

struct SmallTree {
    const SmallNode* nodes;
    int column_bits;
    std::uint32_t least_depth;  // no leaf is nearer to the root
    const std::int32_t* id;     // of each node, in the Tree
    std::uint32_t lost;         // a leaf for rows that cannot be decided in float32; used if values were rounded
};

// Where the branches of levels stand.
enum class Tables { none, inside, outside };

// What nodes of any splits have besides (general_tree.hpp); bit 31 of a node exchanges the branches of its cut.
struct GeneralNodes : SmallTree {
    const std::uint32_t* successor;     // of each node, for rows that it cannot place
    const std::uint64_t* levels;        // of each node: its table; or the mask of places (high) and the table's place
    const std::uint32_t* tables;
    Tables which;                       // outside: some do not fit into 64 bits, so all are elsewhere
    int entry_shift;                    // an entry of a table has 1 << entry_shift bits: the number of a branch
    std::uint32_t entry_mask, lacking;  // its bits; the entry of levels that are not placed
};

template <class F>
void with_tables(Tables which, F f) {
    if (which == Tables::none) return f(std::integral_constant<Tables, Tables::none>{});
    if (which == Tables::inside) return f(std::integral_constant<Tables, Tables::inside>{});
    f(std::integral_constant<Tables, Tables::outside>{});
}

// Rows of float32: the value of column c in row i is data[i * row_step + (c << column_shift)].
struct SmallRows {
    const float* data;
    std::int32_t row_step;
    int column_shift;
    std::size_t n;
    bool missing;  // some value may be
    bool rounded;  // values and cuts were: what is equal cannot be decided
};

constexpr std::size_t wide_rows = 256;  // most rows of a block

// Sends the rows down, on a processor with fast gathers; while they go, what comes next is asked for.
void walk_wide(const SmallTree& tree, const SmallRows& rows, LinePrefetch next, std::int32_t* out);
void walk_wide(const GeneralNodes& tree, const SmallRows& rows, LinePrefetch next, std::int32_t* out);

}  // namespace ceiba::predict
