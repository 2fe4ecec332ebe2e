// Trees of at most 4,096 rows and 131,072 values (one thread: wider tables), grown without an allocation per node:
// whole trees, or the subtree below a node of a larger one.
//
// Only the plainest case: one target of classes without weights, numbers (missing ones only if their branches are
// learned), gini, cuts, depth first. Invariant: all sums are integers below 2^63, so every comparison is exact and the
// tree equals that of the general grower.
#pragma once

#include "grow/grow.hpp"
#include "split/store/packed_columns.hpp"

namespace ceiba::grow {

class SmallGrower {
public:
    SmallGrower(std::size_t n_classes, const GrowOptions& options);

    // Is this the plain case, whatever the rows?
    static bool supports(const data::Table& table, const data::Target& target, const GrowOptions& options);
    // The largest number of rows whose columns fit into the cache.
    std::size_t most_rows(std::size_t n_columns) const;

    // Takes rows in; what is given must outlive the growing. False: a value is missing, and its branch is not learned.
    bool read(const data::Table& table, const std::uint32_t* rows, std::size_t n_rows, const std::uint16_t* label);
    bool read(const split::NodeRows& node);

    // Grows the tree of the rows read last. `interrupt` is asked now and then, if it is given.
    tree::TreeArrays grow(int depth, double whole_weight, base::Interrupt* interrupt);

private:
    struct Open {
        std::uint32_t begin, end;
        std::int32_t parent;
        int depth;
        bool splittable = false;

        std::uint32_t size() const { return end - begin; }
    };
    struct BestCut;
    struct ColumnScan;

    bool prepare(bool readable);
    // counts_: of the left side of the best cut, of the node at work, then of every open node.
    std::uint32_t* left_counts() { return counts_.data(); }
    std::uint32_t* node_counts() { return counts_.data() + n_classes_; }
    std::uint32_t* open_counts(std::size_t place) { return counts_.data() + (2 + place) * n_classes_; }
    bool splittable(const Open& open, const std::uint32_t* counts) const;
    void visit();
    std::int32_t append(const Open& open);
    static void offer(const ColumnScan& column, std::int32_t i, std::int64_t top, std::int64_t bottom, double score,
                      BestCut& best);
    void scan_two(const ColumnScan& column, BestCut& best) const;
    void scan_many(const ColumnScan& column, BestCut& best);
    void scan_some(const ColumnScan& column, std::int32_t from, std::int32_t to, BestCut& best);
    void scan_bundle(const std::uint32_t* entries, std::size_t size, std::size_t at, BestCut& best);
    void split(const Open& open, const BestCut& best, std::int32_t id);
    void partition(const Open& open, const BestCut& best, bool keep_first, bool keep_second);

    StopRules stop_;
    std::size_t n_classes_, min_rows_ = 1;
    bool wide_;          // sixteen entries at a time (wide_entries.hpp)
    bool learns_;  // where missing values go; as in scikit-learn, the default branch of a split in halves is the second
    split::PackedColumns columns_;
    std::vector<double> reciprocal_, real_counts_;
    std::int32_t node_rows_ = 0, node_squares_ = 0;  // sums of node_counts() and of their squares
    std::vector<std::uint32_t> node_classes_;        // the classes of the node at work, ascending
    std::vector<std::uint8_t> goes_left_;
    std::vector<std::uint32_t> spare_, counts_;
    std::vector<Open> stack_;
    tree::TreeArrays out_;
};

// The tree of a small table; nothing if this is not the plain case.
std::optional<tree::TreeArrays> grow_small_tree(const data::Table& table, const data::Target& target,
                                                const GrowOptions& options, base::Interrupt& interrupt);

}  // namespace ceiba::grow
