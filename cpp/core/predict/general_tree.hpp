// A tree with splits of any kind in a layout for fast routing: level sets, several branches, intervals, surrogates, and
// rows that stay in an inner node.
//
// - The branches of a node have consecutive places, so a step is first branch + number of the branch.
// - The columns that the tree uses are copied one block of rows at a time: numbers as float32 (as in cut_tree.hpp),
//   levels as places in the tables of the nodes. Place 0 is for missing values, the last one for unknown levels. An
//   entry of a table is the number of a branch in as few bits as the tree needs: one, if all splits are binary.
// - A surrogate is a node with the same branches as the node that it replaces. Each node has a successor for rows that
//   it cannot place: the next surrogate, the default branch, or a leaf for rows that stay.
// - Intervals are a binary search over several nodes.
// - If all splits are binary cuts and sets of at most 30 levels, the rows can walk by subtrees (subtree_walk.hpp).
#pragma once

#include "predict/subtree_walk.hpp"
#include "tree/routing_arrays.hpp"

namespace ceiba::predict {

class GeneralTree {
public:
    // Empty if the tables of the level splits would fill memory, or if the tree uses very many columns.
    explicit GeneralTree(const tree::RoutingArrays& arrays);
    GeneralTree() = default;

    bool empty() const { return nodes_.empty(); }

    // Whether the columns of this table have the kinds that the tree requires.
    bool supports(const data::Table& table) const;

    // Writes the final node of each of the rows [begin, end). Returns the first row that was not routed, which is
    // `end` unless most rows cannot be decided in float32. `unresolved` lists routed rows that cannot be decided, or
    // that have a level unknown to an ordered column.
    std::size_t apply(const data::Table& table, std::size_t begin, std::size_t end, std::int32_t* out,
                      std::vector<std::size_t>& unresolved) const;

private:
    struct UsedColumn {
        std::uint32_t column;
        bool levels;
        std::int32_t n_levels;  // number of levels that any node contains
    };
    // The destinations of the rows of a split: `n` branches from `first` on, or the successor if it cannot place them.
    struct Targets {
        std::uint32_t first, n, successor;
        std::int32_t unknown;  // the branch of unknown levels; -1: the successor
    };
    struct Block;
    template <Tables tables, bool Missing>
    struct Step;

    void find_used_columns(const tree::RoutingArrays& arrays);
    void set_entry_width(const tree::RoutingArrays& arrays);
    bool lay_out(const tree::RoutingArrays& arrays);
    std::size_t table_words(const UsedColumn& used) const;
    std::uint32_t slot_of(std::int32_t column) const;
    std::uint32_t add_places(std::size_t n);
    void set_node(std::uint32_t place, double cut, std::uint32_t slot, std::uint32_t child, std::uint32_t successor,
                  bool reversed);
    std::uint32_t set_leaf(std::uint32_t place, std::int32_t id);
    bool set_split(const tree::SplitTable& splits, std::size_t split, std::uint32_t place, const Targets& to);
    void set_intervals(std::span<const double> cuts, std::uint32_t place, std::uint32_t slot, const Targets& to);
    bool set_table(const tree::SplitTable& splits, std::size_t split, std::uint32_t place, std::uint32_t slot,
                   const Targets& to);
    void copy_rows(const data::Table& table, std::size_t begin, Block& block,
                   std::vector<std::size_t>& unresolved) const;
    void walk(const Block& block, LinePrefetch next, std::int32_t* out) const;
    bool can_use_subtrees(const tree::RoutingArrays& arrays) const;
    const SubtreeWalk& subtrees(bool rounded) const;
    void walk_subtrees(const Block& block, RowRegisters& rows, LinePrefetch next, std::int32_t* out) const;

    std::vector<SmallNode> nodes_, rounded_;  // cuts rounded down, and to the nearest, as in CutTree
    std::vector<std::uint64_t> levels_;       // of each node, see GeneralNodes
    std::vector<std::uint32_t> successor_;
    std::vector<std::int32_t> id_;       // of each node in the Tree
    std::vector<UsedColumn> used_columns_;  // columns that are copied, by slot: numeric columns first
    std::vector<std::uint32_t> tables_;  // starts with a word of zeros, which cuts and leaves read
    std::unique_ptr<Subtrees> subtrees_;  // null if some splits are not binary, or for too many columns or levels
    Tables which_ = Tables::none;
    std::uint32_t n_numbers_ = 0, least_depth_ = 0, lost_ = 0, entry_mask_ = 1;
    int slot_bits_ = 0, entry_shift_ = 0;  // an entry has 1 << entry_shift_ bits
    bool lacks_ = false;                   // whether some tables send rows to the successor
};

}  // namespace ceiba::predict
