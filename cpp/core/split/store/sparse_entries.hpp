// The rows of a growing tree over a sparse table: the nonzero entries of each column, sorted by value once and
// partitioned stably with the nodes (docs/engine.md, "Sparse matrices"). A node owns its entries, column by column.
// Columns without entries or with a single value are not live.
#pragma once

#include "split/store/partition.hpp"

namespace ceiba::split {

struct SparseEntries {
    static constexpr std::uint32_t zero = 0x80000000;  // the rank of zero: negative numbers have smaller ranks

    std::vector<std::size_t> start;  // per live column of the node, and the end
    std::vector<Entry> entries;
};

// One column of a node.
struct SparseColumn {
    const Entry* entries = nullptr;
    std::size_t n = 0;        // number of nonzero entries
    std::size_t n_below = 0;  // number of negative entries
};
SparseColumn sparse_column(const NodeRows& node, std::size_t column);

// Writes all rows of the node in the order of a column, including zeros.
void fill_column(const NodeRows& node, std::size_t column, std::vector<Entry>& out);

// Copies the target and sorts the entries. No value may be missing.
NodeRows sparse_root(const data::Table& table, const data::Target& target, base::ThreadPool& pool,
                     base::Interrupt& interrupt);

// Writes the entries of the branches that will be searched. All splits are binary.
void partition_entries(const NodeRows& node, const Places& places, const std::vector<BranchRows>& branches,
                       base::ThreadPool* pool);

// Traversal of the nonzero numbers of a sparse table.

// Calls f(column, row of the node, value) for every nonzero number, with ascending rows within each column and
// ascending columns within each row.
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
