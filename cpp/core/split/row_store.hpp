// The rows of a growing tree, kept so that every node is one contiguous stretch of every array.
//
// Presort with stable partition: each numeric column is sorted once, as entries (rank, row); splitting a node moves
// its entries apart without changing their order, so no node is ever sorted again. `row` counts from the first row of the
// node, and the target moves with the rows: deep in the tree all that a scan touches lies close together.
// Within a node's stretch of a sorted column come first the rows with a value, then the others (missing; and, where
// rows of zero weight are kept, those).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/interrupt.hpp"
#include "base/thread_pool.hpp"
#include "data/table.hpp"
#include "data/target.hpp"
#include "split/scan.hpp"

namespace ceiba::split {

struct RowStore {
    const data::Table* table = nullptr;
    data::TargetRows target;
    std::vector<std::vector<Entry>> sorted;        // per column; empty for columns of levels
    std::vector<std::vector<std::int32_t>> codes;  // per column; empty for the others
    bool zero_weights = false;                     // rows of zero weight are kept (rpart), otherwise they are left out
};

// One node: rows [begin, end) of a store.
struct NodeRows {
    std::shared_ptr<RowStore> store;
    std::uint32_t begin = 0, end = 0;
    std::vector<std::uint32_t> present;  // per column: entries with a value; empty: all rows have all values

    std::size_t size() const { return end - begin; }
    std::size_t n_present(std::size_t column) const { return present.empty() ? size() : present[column]; }
    const Entry* entries(std::size_t column) const { return store->sorted[column].data() + begin; }
    const std::int32_t* codes(std::size_t column) const { return store->codes[column].data() + begin; }
    double number(std::size_t column, std::uint32_t local_row) const {
        return store->table->columns[column].number(store->target.row[begin + local_row]);
    }
};

// Copies the target and sorts the columns.
NodeRows presort(const data::Table& table, const data::Target& target, bool keep_zero_weights, base::ThreadPool& pool,
                 base::Interrupt& interrupt);

// Where each row of a node goes.
constexpr std::uint16_t unplaced = 0xFFFF;
struct Routing {
    std::vector<std::uint16_t> branch;  // per row of the node; n_branches = stays behind; unplaced = not decided yet
    int n_branches = 2;
};

// Parts the rows of `node` in place; returns one NodeRows per branch. Rows that stay belong to none.
std::vector<NodeRows> partition(const NodeRows& node, const Routing& routing, base::ThreadPool* pool);

// C4.5: an unplaced row goes down every branch with its weight times that branch's share of the placed weight.
// Rows are in several branches then, so each branch gets a store of its own.
std::vector<NodeRows> partition_fractional(const NodeRows& node, const Routing& routing);

}  // namespace ceiba::split
