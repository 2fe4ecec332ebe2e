// A tree with splits of any kind, laid out for speed: level sets, several branches, intervals, surrogates, and rows
// that stay in an inner node.
//
// - The branches of a node have places next to each other, so a step is  first branch + number of the branch.
// - The columns that the tree asks for are copied one block of rows at a time: numbers as float32 (as in cut_tree.hpp),
//   levels as places in the tables of the nodes. Place 0 stands for a missing value, the last one for unknown levels.
//   An entry of a table is the number of a branch in as few bits as the tree needs: one, if all splits are binary.
// - A surrogate is a node with the same branches as the node that it stands in for. Each node has a successor for rows
//   that it cannot place: the next surrogate, the default branch, or a leaf for rows that stay.
// - Intervals are a binary search over several nodes.
#pragma once

#include "predict/wide_walk.hpp"
#include "tree/questions.hpp"

namespace ceiba::predict {

class GeneralTree {
public:
    // Empty if the tables of the level splits would fill memory, or the tree asks for very many columns.
    explicit GeneralTree(const tree::Questions& questions);
    GeneralTree() = default;

    bool empty() const { return nodes_.empty(); }

    // Are numbers and levels of this table where the tree asks for them?
    bool supports(const data::Table& table) const;

    // Writes the node in which each of the rows [begin, end) ends, and returns the first row that was not routed:
    // `end`, unless most rows cannot be decided in float32. Routed rows that cannot, or have a level that an ordered
    // column does not know, are listed in `unresolved`.
    std::size_t apply(const data::Table& table, std::size_t begin, std::size_t end, std::int32_t* out,
                      std::vector<std::size_t>& unresolved) const;

private:
    struct Asked {
        std::uint32_t column;
        bool levels;
        std::int32_t n_levels;  // levels that any node knows
    };
    // Where the rows of a split go: to `n` branches from `first` on, or to the successor if it cannot place them.
    struct Targets {
        std::uint32_t first, n, successor;
        std::int32_t unknown;  // the branch of unknown levels; -1: the successor
    };
    struct Block;
    template <Tables tables, bool Missing>
    struct Step;

    void ask_for_columns(const tree::Questions& questions);
    void set_entry_width(const tree::Questions& questions);
    bool lay_out(const tree::Questions& questions);
    std::size_t table_words(const Asked& asked) const;
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

    std::vector<SmallNode> nodes_, rounded_;  // cuts not above, and to the nearest, as in CutTree
    std::vector<std::uint64_t> levels_;       // of each node, see GeneralNodes
    std::vector<std::uint32_t> successor_;
    std::vector<std::int32_t> id_;       // of each node in the Tree
    std::vector<Asked> asked_;           // columns that are copied, by slot: those of numbers first
    std::vector<std::uint32_t> tables_;  // first a word of zeros, at which cuts and leaves look
    Tables which_ = Tables::none;
    std::uint32_t n_numbers_ = 0, least_depth_ = 0, lost_ = 0, entry_mask_ = 1;
    int slot_bits_ = 0, entry_shift_ = 0;  // an entry has 1 << entry_shift_ bits
    bool lacks_ = false;                   // do some tables send rows to the successor?
};

}  // namespace ceiba::predict
