// A tree of cuts and level sets, laid out for speed: two branches everywhere, no surrogates, no row stays in an inner
// node.
//
// A level set is a string of bits, one per level, with bits for missing and unknown ones. Columns are copied one block
// of rows at a time, as pairs (number, place among the bits), so that a step is the same for both kinds of questions: a
// number has place 0, which is no bit of any set, and a level the number 0 and a cut at infinity.
#pragma once

#include "tree/questions.hpp"

namespace ceiba::predict {

class LevelTree {
public:
    // Empty if the tree asks for more, or for level sets so many and large that their bits would fill memory.
    explicit LevelTree(const tree::Questions& questions);
    LevelTree() = default;

    bool empty() const { return nodes_.empty(); }

    // Are numbers and levels of this table where the tree asks for them?
    bool supports(const data::Table& table) const;

    // The node in which each of the rows [begin, end) ends; rows with a level that an ordered column does not know are
    // left to the caller, in `unresolved`.
    void apply(const data::Table& table, std::size_t begin, std::size_t end, std::int32_t* out,
               std::vector<std::size_t>& unresolved) const;

private:
    struct Node {
        double cut;
        std::uint32_t first_child;  // bit 31: missing goes to the second branch
        std::uint32_t slot;         // where the value stands in a row, in bytes
        std::uint32_t bits;         // first word of the level set; 0: none
    };
    struct Value {
        double number;
        std::uint64_t place;
    };
    struct Asked {
        std::uint32_t column;
        bool levels;
        std::int32_t n_levels;  // levels that any node knows
    };

    bool lay_out(const tree::Questions& questions);
    bool ask_for_columns(const tree::Questions& questions);
    void set_bits(const tree::Questions& questions, std::size_t node, const Asked& asked, std::size_t first_word);

    std::vector<Node> nodes_;
    std::vector<std::int32_t> id_;     // of each node in the Tree
    std::vector<Asked> asked_;         // columns of the rows that are copied
    std::vector<std::uint64_t> bits_;  // first as many zeros as the longest set has words: leaves look there
};

}  // namespace ceiba::predict
