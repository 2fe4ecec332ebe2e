// Routes rows down binary trees on processors with AVX-512 but slow gathers (base/processor).
//
// - The tree is divided into subtrees of three levels, which have up to seven cuts. A permutation selects the values of
//   the row that these cuts compare, one instruction compares them, and a table maps the seven results to a branch.
// - A node that splits by levels has their branches in the bits of its cut, as in Tables::in_cut (wide_walk.hpp).
// - All rows of a block take one step at a time, so the cache misses of many rows overlap. The rows at leaves are
//   removed: the time depends on the mean depth of the rows.
// - 1M x 20, 13,270 leaves, AMD EPYC (Zen 5), against eight rows at a time (row_block.hpp): 24 -> 13 ns per row for
//   float32 in C order, 30 -> 15 ns in F order; 28 -> 16 ns and 44 -> 19 ns for float64.
#pragma once

#include "predict/wide_walk.hpp"

namespace ceiba::predict {

// The values of a block of rows as float32, in whole registers of 16 values per row.
struct RowRegisters {
    static constexpr std::size_t per_register = 16, most_registers = 6, most_slots = most_registers * per_register;
    static constexpr std::size_t least_rows = 64, most_rows = 256;
    static constexpr std::size_t most_values = 4096;  // fit the L1 cache together with some subtrees

    // Those of row i start at i * n_registers * per_register.
    alignas(64) float values[std::max(most_values, least_rows * most_slots)];
    std::size_t n_registers, n = 0;
    bool missing = false;  // some value is missing

    explicit RowRegisters(std::size_t n_slots);

    std::size_t capacity() const {
        return std::clamp(most_values / (n_registers * per_register), least_rows, most_rows);
    }

    // Copies contiguous values of `n` rows, which are `step` bytes apart. float64 is rounded to the nearest float32.
    template <class T>
    void set_rows(const char* from, std::ptrdiff_t step, std::size_t n_slots);
    // Copies four slots from columns. Row i of the column k is columns[k * most_rows + i].
    void set_four_slots(std::size_t first_slot, const float* columns);
};

class SubtreeWalk {
public:
    static constexpr std::size_t most_nodes = std::size_t{1} << 23;  // with a sign, their numbers have 24 bits
    static constexpr std::int32_t undecided = std::numeric_limits<std::int32_t>::max();

    SubtreeWalk() = default;
    // The slot of a column is its distance from `first_column`. Slots from `n_numbers` on have levels.
    SubtreeWalk(const SmallTree& tree, std::size_t first_column, std::size_t n_numbers = RowRegisters::most_slots);

    // Writes the node in which each row ends. Returns true if some are `undecided`, which is possible if values and
    // cuts are rounded, so that they may be equal.
    template <bool Rounded>
    bool walk(const RowRegisters& rows, LinePrefetch next, std::int32_t* out) const;

    // The branches of cut i are the cuts 2i + 1 and 2i + 2, or, from 7 on, the next subtrees. All values take the first
    // branch of a missing cut.
    struct alignas(64) Subtree {
        float cut[8];                 // NaN if missing; the table of a node with levels
        std::uint8_t slot[7];         // of the value that a cut compares
        std::uint8_t missing_second;  // a bit per cut: missing values go to the second branch
        std::uint8_t next[8][3];      // place of a subtree, or ~node of a leaf; 24 bits
    };

private:
    std::vector<Subtree> subtrees_;
    std::size_t n_numbers_ = 0;
    bool has_levels_ = false, all_deeper_ = false;  // all_deeper_: no leaf is in the first three levels
};

// The subtrees of a tree, which are built on first use, because few rows do not need them. Index 1 is for rounded cuts.
struct Subtrees {
    static constexpr std::size_t least_rows = 512;  // for fewer rows, dividing the tree takes longer than it gains

    std::once_flag built[2];
    SubtreeWalk walk[2];
};

}  // namespace ceiba::predict
