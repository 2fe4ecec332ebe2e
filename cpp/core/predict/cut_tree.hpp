// A tree of plain cuts, laid out for speed: what most trees are, and what most predictions go through.
//
// - Nodes stand breadth first, the two branches of a node next to each other, so a step is  first child + (x > cut)  without a
//   jump. A leaf is its own first child, with the cut +infinity: rows that have arrived walk on the spot, and eight rows go
//   down together until the last has arrived. Their cache misses overlap, and no jump is predicted wrongly on the way.
// - A node has 16 bytes. For float32 tables there are nodes of 8: x <= cut means x <= the largest float32 that is not above
//   the cut, and column and first child share one word if they fit.
// - The values of a row must lie in one piece. A matrix in C order is read where it is; of anything else (F order, columns of a
//   frame, float32 beside float64) the columns that the tree asks for are copied, one block of rows at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/table.hpp"

namespace ceiba::predict {

class CutTree {
public:
    // Nodes are added breadth first: first_child is known when a node is added, that of a leaf is its own place.
    void add_leaf(std::int32_t id);
    void add_cut(std::int32_t id, std::int32_t column, double cut, std::uint32_t first_child, bool missing_second);
    void finish();

    bool empty() const { return id_.empty(); }
    std::size_t size() const { return id_.size(); }

    // Are all columns that the tree asks for numbers in this table?
    bool serves(const data::Table& table) const;

    // The node in which each of the rows [begin, end) ends; out[0] is that of the first.
    void apply(const data::Table& table, std::size_t begin, std::size_t end, std::int32_t* out) const;

private:
    struct Node {
        double cut;
        std::uint32_t column;
        std::uint32_t first_child;  // bit 31: missing goes to the second branch
    };
    struct SmallNode {
        float cut;
        std::uint32_t packed;  // missing goes to the second branch (bit 31) | first child | column (column_bits_)
    };
    // The value of column c in row i is at  data + i * row_step + c * sizeof(T), in bytes.
    struct Rows {
        const char* data = nullptr;
        std::ptrdiff_t row_step = 0;
    };

    template <class T>
    Rows in_place(const data::Table& table) const;
    template <class T>
    void apply_as(const data::Table& table, std::size_t begin, std::size_t end, std::int32_t* out) const;
    template <class T>
    void run(Rows rows, std::size_t n, std::int32_t* out) const;

    std::vector<Node> nodes_;
    std::vector<SmallNode> small_;  // empty: does not fit
    int column_bits_ = 0;
    std::vector<std::int32_t> id_;        // of each node in the Tree
    std::vector<std::uint32_t> columns_;  // that the tree asks for, ascending
};

}  // namespace ceiba::predict
