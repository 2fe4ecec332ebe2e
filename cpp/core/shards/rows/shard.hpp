// A shard: some rows of a table, which answer the rounds (protocol.hpp) of the trees that are grown on them. It does
// not depend on criteria, options or other shards; only its own file depends on the layout of the rows.
#pragma once

#include <map>

#include "base/interrupt.hpp"
#include "data/table.hpp"
#include "shards/cells.hpp"
#include "shards/protocol.hpp"

namespace ceiba::shards {

// The targets of all rows: classes or numbers. If weights are null, every row counts 1.
struct ShardTarget {
    const std::int32_t* labels = nullptr;
    const double* numbers = nullptr;
    const double* weights = nullptr;
};

// The caller owns all arrays, which may be mapped from files.
class Shard {
public:
    // Between two carries (cells.hpp), a row adds at most two digits to a word.
    static constexpr std::size_t most_rows = std::size_t{1} << 30;

    // `number`: position among the shards, which is that of its rows in the table.
    Shard(data::Table table, ShardTarget target, std::uint64_t number);
    ~Shard();

    // `bytes`: the bins of all rows, as written by `bin_rows`. `order`: the rows of the tree, ascending; they will be
    // rearranged.
    void add_tree(std::uint64_t tree, const std::uint8_t* bytes, std::span<std::uint32_t> order,
                  std::shared_ptr<const Layout> layout);

    // Answers the rounds of trees that were added. The result joins one answer per round.
    Words answer(std::span<const std::uint64_t> rounds);

private:
    class TreeRows;

    data::Table table_;
    ShardTarget target_;
    std::uint64_t number_;
    std::map<std::uint64_t, std::unique_ptr<TreeRows>> trees_;
    std::mutex busy_;
};

// The rows of a shard as bytes: every numeric column in the bins that all shards share.

// Per bin, the smallest and the largest value of a shard; +inf and -inf if it has none.
struct BinRanges {
    std::vector<double> least, most;
};

// `edges`: per column of the table; empty for columns of levels, whose ranges are also empty. `bytes`: memory for one
// byte per row and numeric column, row by row.
std::vector<BinRanges> bin_rows(const data::Table& table, const std::vector<std::vector<double>>& edges,
                                std::uint8_t* bytes, base::Interrupt& interrupt);

}  // namespace ceiba::shards
