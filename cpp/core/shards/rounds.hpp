// The rounds of growing: what is asked of all shards at once, and how their answers look.
//
// A round holds the whole way so far (`way`: level after level, the split of every open node) and one question about
// the open nodes that it leads to. So a shard that was lost and read again from its source catches up by itself, and a
// round may be asked twice.
//   count        cells of every column of some nodes; before them the rows of all branches of the last level
//   zoom         cells of the parts of some stretches of keys
//   fetch        the values of some stretches, as sorted runs: key, cell
//   neighbours   of pairs of stretches, the largest key of the first and the smallest of the second
//   gather       all rows of some nodes
//   describe     numbers: the losses of some nodes about their means, and the range of their targets
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shards/message.hpp"
#include "split/candidate.hpp"

namespace ceiba::shards {

enum class Ask : std::uint64_t { count, zoom, fetch, neighbours, gather, describe };

// The form of an answer: how two are merged depends on it.
//   sums     how many words are to be added; these; then pairs, of which the larger first and smaller second one count
//   runs     width of a cell; number of requests; for each the number of its runs, and the runs
//   pieces   for each shard its number, how many words, and these
//   several  how many answers; for each how many words, and these: trees that are grown in the same rounds
enum class Form : std::uint64_t { sums, runs, pieces, several };

// The split of an open node, as rows need it.
struct Route {
    split::Kind kind = split::Kind::none;  // none: the node is a leaf, or grown elsewhere; its rows are let go ...
    bool stays = false;                    // ... unless it waits to be split later
    std::size_t column = 0;
    double cut = 0.0;
    std::size_t missing_branch = 0;
    std::vector<split::LevelBranch> levels;
    std::vector<char> open;  // per branch: its rows stay

    void write(Words& out) const;
    static Route read(Reader& in);
};

// Keys [low, high] of a column in a node, all inside one bin.
struct StretchAsk {
    std::size_t node = 0, column = 0;
    std::uint64_t low = 0, high = 0;

    void write(Words& out) const;
    static StretchAsk read(Reader& in);
    bool same_place(const StretchAsk& other) const { return node == other.node && column == other.column; }
};

// One level of the way, for all nodes that were open there.
void write_level(const std::vector<Route>& routes, Words& way);

}  // namespace ceiba::shards
