// The rows of a growing tree, stored so that every node is one contiguous slice of every array.
//
// Each numeric column is sorted once, as entries (rank, row), and partitioned stably; `row` is relative to the first
// row of the node, and the target moves with the rows. In a node's slice of a sorted column, the rows with a value come
// first, then the others (missing, or of zero weight). Large tables are stored as bins instead (binning.hpp), sparse
// tables as entries or slots (sparse_entries.hpp, sparse_slots.hpp).
#pragma once

#include "split/bins/binning.hpp"
#include "split/scan/cut_scan.hpp"

namespace ceiba::split {

struct SparseEntries;  // sparse_entries.hpp
struct SparseSlots;    // sparse_slots.hpp

struct RowStore {
    const data::Table* table = nullptr;
    std::vector<std::vector<Entry>> sorted;  // per column; empty for columns of levels
    // There are two sides: dividing a node moves its rows from one side to the other.
    std::array<data::TargetRows, 2> target;
    // Level codes, column by column, in one array, because huge pages need arrays of many megabytes.
    std::array<base::Buffer<std::int32_t>, 2> codes;
    std::vector<std::int32_t> code_place;            // per column: its position among the columns of `codes`, or -1
    std::array<base::Buffer<std::uint8_t>, 2> bins;  // stride bytes per row
    bool zero_weights = false;                 // rows of zero weight are kept (rpart); otherwise they are left out
    std::shared_ptr<const Binning> binning;    // bins that the numbers have or had; null: they never had any
    std::shared_ptr<const SparseSlots> slots;  // sparse table with few distinct numbers per column; else null

    bool binned() const { return !bins[0].empty(); }
    std::size_t n_columns() const { return sorted.size(); }
    bool has_levels(std::size_t column) const { return code_place[column] >= 0; }
    std::int32_t* codes_of(std::size_t column, int side) {
        return codes[side].data() + static_cast<std::size_t>(code_place[column]) * target[0].size();
    }
    // Allocates the codes of the first side for these columns.
    void allocate_codes(const std::vector<std::size_t>& columns, base::ThreadPool* pool = nullptr);
    // Creates all columns, without entries.
    void resize_columns(std::size_t n_columns);
    // Allocates the second side after the first one was filled.
    void make_second_side(base::ThreadPool* pool = nullptr);
};

// The counts of a node: per column and bin of a binned store (histogram.hpp), or per slot (sparse_slots.hpp).
using Histogram = std::vector<std::uint64_t>;

// The class counts of columns of levels of a node (level_orders.hpp).
struct LevelCounts {
    static constexpr std::size_t not_counted = ~std::size_t{0};

    std::vector<std::size_t> start;  // per column
    std::vector<std::uint32_t> words;

    const std::uint32_t* of(std::size_t column) const {
        return start[column] == not_counted ? nullptr : words.data() + start[column];
    }
};

// A node: the rows [begin, end) of a store.
struct NodeRows {
    std::shared_ptr<RowStore> store;
    std::uint32_t begin = 0, end = 0;
    std::vector<std::uint32_t> present;  // per column: number of entries with a value; empty: no value is missing
    // Columns in which the rows of the node differ, ascending; null: all columns. Other columns are neither searched
    // nor moved.
    std::shared_ptr<const std::vector<std::uint32_t>> live;
    std::shared_ptr<const SparseEntries> sparse;  // sparse table: the entries of the live columns; null: dense
    int side = 0;                                 // the side of the store with these rows
    std::shared_ptr<Histogram> histogram;  // binned store: counts of this node, once computed; slots: always present
    std::shared_ptr<const LevelCounts> level_counts;  // of a node whose rows are shared by threads

    std::size_t size() const { return end - begin; }
    bool binned() const { return store->binned(); }
    bool slotted() const { return store->slots && !sparse; }
    std::size_t n_present(std::size_t column, base::ThreadPool* pool = nullptr) const;
    const data::TargetRows& target() const { return store->target[side]; }
    // The bins of the numeric columns of the node's rows, row by row.
    const std::uint8_t* bins() const { return store->bins[side].data() + begin * store->binning->stride; }
    const Entry* entries(std::size_t column) const { return store->sorted[column].data() + begin; }
    const std::int32_t* codes(std::size_t column) const { return store->codes_of(column, side) + begin; }
    double number(std::size_t column, std::uint32_t local_row) const {
        return store->table->columns[column].number(target().row[begin + local_row]);
    }
};

// The columns of a node that are searched and moved, ascending.
class LiveColumns {
public:
    explicit LiveColumns(const NodeRows& node)
        : live_(node.live.get()), n_(live_ ? live_->size() : node.store->sorted.size()) {}
    // The allowed ones among them; empty: all are allowed.
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

// The live columns with levels, ascending.
std::vector<std::size_t> level_columns(const NodeRows& node);

// Copies the target of its rows. Rows of zero weight are left out unless they are kept.
data::TargetRows copy_target(const data::Target& target, bool keep_zero_weights, base::ThreadPool* pool);

// A store with all rows of a target, whose columns have no entries yet.
NodeRows new_store(const data::Table& table, data::TargetRows target);

// Copies the target and sorts the columns.
NodeRows presort(const data::Table& table, const data::Target& target, bool keep_zero_weights, base::ThreadPool& pool,
                 base::Interrupt& interrupt);

// Copies the target and computes the bins of all numbers.
NodeRows bin(const data::Table& table, const data::Target& target, const BinOptions& options, base::ThreadPool& pool,
             base::Interrupt& interrupt);

// Sorts a node of a binned store into a store of its own.
NodeRows sort_node(const NodeRows& node, base::ThreadPool* pool);

// Copies a small part of a large sorted store into a store of its own: with thousands of columns, the few remaining
// entries of each column would be scattered in memory.
NodeRows compact(const NodeRows& node);

}  // namespace ceiba::split
