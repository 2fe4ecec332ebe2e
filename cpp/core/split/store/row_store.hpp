// The rows of a growing tree, kept so that every node is one contiguous slice of every array.
//
// Each numeric column is sorted once, as entries (rank, row), and partitioned stably; `row` counts from the first row
// of the node, and the target moves with the rows. Within a node's slice of a sorted column come first the rows with a
// value, then the others (missing, or of zero weight). Large tables are kept as bins instead (binning.hpp), sparse ones
// as entries or slots (sparse_entries.hpp, sparse_slots.hpp).
#pragma once

#include "split/bins/binning.hpp"
#include "split/scan/cut_scan.hpp"

namespace ceiba::split {

struct SparseEntries;  // sparse_entries.hpp
struct SparseSlots;    // sparse_slots.hpp

struct RowStore {
    const data::Table* table = nullptr;
    std::vector<std::vector<Entry>> sorted;  // per column; empty for columns of levels
    // Two sides each: parting a node moves its rows from one side to the other.
    std::array<data::TargetRows, 2> target;
    std::array<std::vector<base::Buffer<std::int32_t>>, 2> codes;  // per column; empty for the others
    std::array<base::Buffer<std::uint8_t>, 2> bins;                // stride bytes per row
    bool zero_weights = false;                 // rows of zero weight are kept (rpart), otherwise they are left out
    std::shared_ptr<const Binning> binning;    // bins that the numbers had or have; null: they never had any
    std::shared_ptr<const SparseSlots> slots;  // sparse table of few distinct numbers; null: it is not

    bool binned() const { return !bins[0].empty(); }
    std::size_t n_columns() const { return sorted.size(); }
    bool has_levels(std::size_t column) const { return !codes[0][column].empty(); }
    // Gives all columns a place, without entries.
    void resize_columns(std::size_t n_columns);
    // Room on the second side, once the first one is filled.
    void make_second_side();
};

// Counts per column and bin (histogram.hpp) of a node of a binned store, or per slot (sparse_slots.hpp).
using Histogram = std::vector<std::uint64_t>;

// One node: rows [begin, end) of a store.
struct NodeRows {
    std::shared_ptr<RowStore> store;
    std::uint32_t begin = 0, end = 0;
    std::vector<std::uint32_t> present;  // per column: entries with a value; empty: all rows have all values
    // Columns in which the rows of the node differ, ascending; null: all columns. The others are neither searched nor
    // moved.
    std::shared_ptr<const std::vector<std::uint32_t>> live;
    std::shared_ptr<const SparseEntries> sparse;  // sparse table: the entries of the live columns; null: dense
    int side = 0;                                 // of the store, where these rows are
    std::shared_ptr<Histogram> histogram;  // binned store: counts of this node once they are known; slots: always

    std::size_t size() const { return end - begin; }
    bool binned() const { return store->binned(); }
    bool slotted() const { return store->slots && !sparse; }
    std::size_t n_present(std::size_t column, base::ThreadPool* pool = nullptr) const;
    const data::TargetRows& target() const { return store->target[side]; }
    // Bins of the numeric columns of the node's rows, one row after the other.
    const std::uint8_t* bins() const { return store->bins[side].data() + begin * store->binning->stride; }
    const Entry* entries(std::size_t column) const { return store->sorted[column].data() + begin; }
    const std::int32_t* codes(std::size_t column) const { return store->codes[side][column].data() + begin; }
    double number(std::size_t column, std::uint32_t local_row) const {
        return store->table->columns[column].number(target().row[begin + local_row]);
    }
};

// The columns of a node that are searched and moved, ascending.
class LiveColumns {
public:
    explicit LiveColumns(const NodeRows& node)
        : live_(node.live.get()), n_(live_ ? live_->size() : node.store->sorted.size()) {}
    // Those among them that are allowed; empty: all.
    LiveColumns(const NodeRows& node, const std::vector<char>& allowed) : LiveColumns(node) {
        if (allowed.empty()) return;
        for (std::size_t i = 0; i < n_; ++i)
            if (allowed[(*this)[i]]) allowed_.push_back(static_cast<std::uint32_t>((*this)[i]));
        live_ = &allowed_;
        n_ = allowed_.size();
    }
    LiveColumns(const LiveColumns&) = delete;

    std::size_t size() const { return n_; }
    std::size_t operator[](std::size_t i) const { return live_ ? (*live_)[i] : i; }

private:
    const std::vector<std::uint32_t>* live_;
    std::size_t n_;
    std::vector<std::uint32_t> allowed_;
};

// The target of the rows that are there, without those of zero weight unless they are kept.
data::TargetRows copy_target(const data::Target& target, bool keep_zero_weights, base::ThreadPool* pool);

// All rows of a target in a store of their own, whose columns have a place and no entries yet.
NodeRows new_store(const data::Table& table, data::TargetRows target);

// Copies the target and sorts the columns.
NodeRows presort(const data::Table& table, const data::Target& target, bool keep_zero_weights, base::ThreadPool& pool,
                 base::Interrupt& interrupt);

// Copies the target and gives every number its bin.
NodeRows bin(const data::Table& table, const data::Target& target, const BinOptions& options, base::ThreadPool& pool,
             base::Interrupt& interrupt);

// A node of a binned store, sorted into a store of its own.
NodeRows sort_node(const NodeRows& node, base::ThreadPool* pool);

// A small part of a large sorted store, copied into a store of its own: with thousands of columns the few entries that
// each of them has left would lie in as many places of memory.
NodeRows compact(const NodeRows& node);

}  // namespace ceiba::split
