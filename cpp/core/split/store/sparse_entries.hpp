// The rows of a growing tree over a sparse table: of each column only the entries that are not zero, sorted by value
// once and parted stably as nodes are parted, like the sorted columns of row_store.hpp. Zeros are one big tie: their
// statistic is that of the node without the other entries. Columns without entries, or with one value, are not live.
//
// A node owns its entries, column after column. Open nodes share no row, so all of them together take 8 bytes for each
// number of the table, and twice that while the root is parted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "split/store/partition.hpp"
#include "split/store/row_store.hpp"

namespace ceiba::split {

struct SparseEntries {
    static constexpr std::uint32_t zero = 0x80000000;  // the rank of zero: negative numbers have smaller ones

    std::vector<std::size_t> start;  // per live column of the node, and the end
    std::vector<Entry> entries;
};

// One column of a node.
struct SparseColumn {
    const Entry* entries = nullptr;
    std::size_t n = 0;        // entries that are not zero
    std::size_t n_below = 0;  // negative ones
};
SparseColumn sparse_column(const NodeRows& node, std::size_t column);

// All rows of the node in the order of a column, zeros in their place.
void fill_column(const NodeRows& node, std::size_t column, std::vector<Entry>& out);

// Copies the target and sorts the entries. There must be no missing values.
NodeRows sparse_root(const data::Table& table, const data::Target& target, base::ThreadPool& pool,
                     base::Interrupt& interrupt);

// Gives the branches that will be searched their entries; all splits are in two.
void part_entries(const NodeRows& node, const Places& places, const std::vector<BranchRows>& branches,
                  base::ThreadPool* pool);

}  // namespace ceiba::split
