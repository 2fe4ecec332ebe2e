// The rows of a growing tree over a sparse table: of each column only the entries that are not zero, sorted by value
// once and partitioned stably with the nodes (docs/engine.md, "Sparse matrices"). A node owns its entries, column after
// column. Columns without entries, or with one value, are not live.
#pragma once

#include "split/store/partition.hpp"

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
void partition_entries(const NodeRows& node, const Places& places, const std::vector<BranchRows>& branches,
                       base::ThreadPool* pool);

// The way through the numbers of a sparse table that are not zero.

// Calls f(column, row of the node, value) for every number that is not zero, rows ascending within each column and
// columns ascending within each row.
template <class F>
void for_each_entry(const data::SparseMatrix& m, const data::TargetRows& target, F f) {
    if (m.by_rows) {
        for (std::size_t i = 0; i < target.size(); ++i) {
            const std::size_t row = target.row[i];
            for (std::size_t k = m.start(row), end = m.start(row + 1); k < end; ++k)
                if (const double x = m.value(k); x != 0.0) f(m.index(k), static_cast<std::uint32_t>(i), x);
        }
        return;
    }
    constexpr std::uint32_t absent = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> place(m.n_rows, absent);
    for (std::size_t i = 0; i < target.size(); ++i) place[target.row[i]] = static_cast<std::uint32_t>(i);
    for (std::size_t c = 0; c < m.n_columns; ++c)
        for (std::size_t k = m.start(c), end = m.start(c + 1); k < end; ++k)
            if (const std::uint32_t i = place[m.index(k)]; i != absent)
                if (const double x = m.value(k); x != 0.0) f(c, i, x);
}

}  // namespace ceiba::split
