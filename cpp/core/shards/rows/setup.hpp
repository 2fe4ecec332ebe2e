// The rows of a shard as bytes: every numeric column in the bins that all shards share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/interrupt.hpp"
#include "data/table.hpp"

namespace ceiba::shards {

// Per bin the smallest and the largest value that a shard has in it; +inf and -inf where it has none.
struct BinRanges {
    std::vector<double> least, most;
};

// `edges`: per column of the table; those of columns of levels stay empty, and so do their ranges. `bytes`: room for
// one byte per row and numeric column, row after row.
std::vector<BinRanges> bin_rows(const data::Table& table, const std::vector<std::vector<double>>& edges,
                                std::uint8_t* bytes, base::Interrupt& interrupt);

}  // namespace ceiba::shards
