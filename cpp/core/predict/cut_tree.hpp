// Memory layout for fast routing of trees that contain only plain cuts, which are the most common trees.
//
// - Eight rows are routed together (row_block.hpp), or sixteen (wide_walk.hpp), or each row takes three levels at once
//   (subtree_walk.hpp). A node has 16 bytes, or 8 for float32. A C-contiguous matrix is read in place or copied in
//   blocks; otherwise the columns that the tree uses are copied as float32.
// - The two branches of a node are adjacent, followed by those of the branch with more rows. A path crosses fewer cache
//   lines than in breadth-first order (31 ms -> 28 ms for 1M rows, 13,270 leaves).
// - float32 values are compared with the largest float32 that is not above the cut, with the same result. float64
//   values are rounded like the cuts. Rounding preserves order, so the result is the same unless both become equal.
//   Rows for which this happens are routed again with the nodes of 16 bytes.
#pragma once

#include "predict/subtree_walk.hpp"

namespace ceiba::predict {

class CutTree {
public:
    // Each node has a place. The place of the root is 0, and the branches of a node have consecutive places.
    void resize(std::size_t n_nodes);
    void set_leaf(std::size_t place, std::int32_t id, std::int32_t column);
    void set_cut(std::size_t place, std::int32_t id, std::int32_t column, double cut, std::uint32_t first_child,
                 bool missing_second);
    void finish(std::uint32_t least_depth);

    bool empty() const { return id_.empty(); }

    // Whether all columns that the tree uses are numeric in this table.
    bool supports(const data::Table& table) const;

    // Writes the final node of each of the rows [begin, end); out[0] is that of row `begin`.
    void apply(const data::Table& table, std::size_t begin, std::size_t end, std::int32_t* out) const;

    // The final node of a single row, whose values are `column_step` bytes apart.
    template <class T>
    std::int32_t end_of(const char* row, std::ptrdiff_t column_step) const;

private:
    struct Node {
        double cut;
        std::uint32_t column;
        std::uint32_t first_child;  // bit 31: missing values go to the second branch
    };
    template <bool Missing, bool Rounded, int Shift>
    struct SmallStep;
    template <class T, bool Missing>
    struct ExactStep;

    // The value of column c in row i is at data + i * row_step + c * sizeof(T), in bytes.
    struct Matrix {
        const char* data = nullptr;
        std::ptrdiff_t row_step = 0;
    };
    // A range of rows of a table, and its output.
    struct Task {
        const data::Table& table;
        std::size_t begin, end;
        std::int32_t* out;
    };

    template <class T>
    Matrix in_place(const data::Table& table) const;
    template <class T>
    void exactly(Matrix rows, std::size_t n, std::int32_t* out) const;
    void exactly(const Task& task) const;
    template <class T>
    void by_rows(const Task& task, Matrix rows) const;
    template <int Shift>
    void by_columns(const Task& task) const;
    bool add_streams(const data::Table& table, Prefetch& prefetch) const;
    bool copy_columns(const data::Table& table, std::size_t begin, std::size_t n, int shift, float* block) const;

    SmallTree small_tree(bool rounded) const;
    const SubtreeWalk& subtrees(bool rounded) const;
    bool by_subtrees(const Task& task) const;
    template <bool Rounded, class SetRows>
    void by_subtrees(const Task& task, const Prefetch& prefetch, SetRows set_rows) const;
    bool widely(const Task& task) const;
    template <class T>
    bool widely_by_rows(const Task& task, Matrix rows) const;
    bool widely_by_columns(const Task& task) const;
    bool walk_block(const Task& task, std::size_t begin, const SmallRows& rows, const Prefetch& prefetch) const;

    std::vector<Node> nodes_;
    // Empty if they do not fit. Cuts rounded down, and to the nearest (with an extra node for undecided rows).
    std::vector<SmallNode> small_, rounded_;
    std::unique_ptr<Subtrees> subtrees_;  // null if the tree is too large, or uses columns that are far apart
    int column_bits_ = 0;
    std::uint32_t least_depth_ = 0;
    bool dense_ = false;                  // does the tree use half of the columns between the first and the last?
    std::vector<std::int32_t> id_;        // of each node in the Tree; -1 for the extra node
    std::vector<std::uint32_t> columns_;  // that the tree uses, ascending
};

}  // namespace ceiba::predict
