// What shards count: a cell is some 64-bit words that are only ever added and subtracted, so counts do not depend on
// how the rows are spread over shards, nor on the order in which answers are merged.
//   classes   rows of each class
#pragma once

#include <cstddef>
#include <cstdint>

namespace ceiba::shards {

struct CellShape {
    std::size_t n_classes = 0;

    std::size_t width() const { return n_classes; }
    void add(std::uint64_t* cell, std::int32_t label) const { ++cell[static_cast<std::size_t>(label)]; }
};

}  // namespace ceiba::shards
