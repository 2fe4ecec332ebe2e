// Routes rows down trees of plain cuts on processors with AVX-512 but slow gathers (base/processor).
//
// - In the first levels, a block of rows is compared with the cuts of all nodes, sixteen rows per instruction, and the
//   results are combined bit by bit. No load depends on the row.
// - Below them, eight rows are routed together, as in row_block.hpp. Numbers are compared as keys, which are integers
//   in the same order, because such a step takes fewer instructions and less latency.
// - 1M rows, 13,270 leaves, AMD EPYC: 42 -> 34 ns per row for columns of float32, 59 -> 43 ns for those of float64.
#pragma once

#include "predict/wide_walk.hpp"

namespace ceiba::predict {

// The keys of a block of rows. That of slot s in row i is cells[(i / group * width + s) * group + i % group].
struct KeyBlock {
    static constexpr std::size_t group = 16;  // rows in a register
    static constexpr std::size_t most_rows = 256, most_keys = 6144;  // fit the L1 cache together with some nodes
    static constexpr std::size_t most_slots = most_keys / 64;

    alignas(64) std::uint32_t cells[most_keys];
    std::size_t width, n = 0;
    bool missing = false;  // some value is missing
    // Eights of rows with a value that equals a cut. If values are rounded, these rows cannot be decided.
    std::array<bool, most_rows / lanes> undecided;

    explicit KeyBlock(std::size_t n_slots) : width(n_slots) {}

    std::size_t capacity() const { return std::min(most_rows, most_keys / width / 64 * 64); }

    // Copies contiguous rows of at least four numbers, `step` numbers apart, into all slots.
    void set_rows(const float* from, std::ptrdiff_t step);
    // Copies the values of all rows into a slot. float64 is rounded to the nearest float32.
    template <class T>
    void set_slot(std::size_t slot, const T* values);
};

class KeyTree {
public:
    KeyTree() = default;
    // The slot of a column is its distance from `first_column`. Empty if the tree is too large.
    KeyTree(const SmallTree& tree, std::size_t n_nodes, std::size_t first_column);

    bool empty() const { return nodes_.empty(); }

    // Writes the final place of each row. Rounded: finds undecided rows.
    template <bool Rounded>
    void walk(KeyBlock& block, LinePrefetch next, std::uint32_t* place) const;

    // A node of the first levels. The branches of node i are 2i and 2i + 1, and the root is node 1.
    struct UpperNode {
        std::uint32_t key = 0;
        std::int32_t slot = -1;  // -1: below a leaf; all rows go to the first branch
        bool missing_first = false;
    };

private:
    // The key of a leaf is above all others, and its child is the leaf itself.
    struct Node {
        std::uint32_t key;
        std::uint16_t cell;
        std::uint16_t to_child;  // distance of the first child
    };

    std::size_t set_upper(const SmallTree& tree, std::size_t first_column);
    template <bool Missing, bool Rounded>
    void walk_upper(KeyBlock& block, std::uint32_t* place) const;
    template <bool Missing, bool Rounded>
    void walk_lower(KeyBlock& block, LinePrefetch& next, std::uint32_t* place) const;

    std::vector<Node> nodes_;
    std::vector<std::uint8_t> missing_first_;  // of each node
    std::vector<UpperNode> upper_;
    std::vector<std::uint32_t> start_;  // the places below the first levels
    int n_levels_ = 0;
    bool deeper_ = false;  // whether some of these places are not leaves
};

}  // namespace ceiba::predict
