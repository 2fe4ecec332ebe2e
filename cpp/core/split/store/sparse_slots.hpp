// The rows of a growing tree over a sparse table whose columns have few distinct numbers, for two classes and unit
// weights (docs/engine.md, "Sparse matrices"). A slot is a column and one of its numbers; a row is the list of its
// slots. Large nodes are counted: rows and rows of class 1 per slot, in NodeRows::histogram.
#pragma once

#include "split/store/partition.hpp"

namespace ceiba::split {

struct SparseSlots {
    static constexpr std::size_t most_values = 64;  // maximum number of distinct numbers per column

    std::vector<std::uint32_t> start;    // first slot of each column, and the end; slots ascend with their numbers
    std::vector<double> value;           // per slot
    std::vector<std::uint32_t> rank;     // per slot, relative to SparseEntries::zero
    std::vector<std::size_t> row_start;  // per row of the table, and the end
    std::vector<std::uint32_t> slot;     // row by row, ascending

    std::size_t size() const { return value.size(); }
    // The slots of a column on the side of a cut without zeros.
    struct Side {
        std::uint32_t from, to;
        bool zeros_left;
    };
    Side without_zeros(std::size_t column, double cut) const;
    // Whether a row has one of these slots.
    bool has_any(std::size_t row, const Side& side) const;
};

// The counts of a node's rows on the side of a cut without zeros, and whether that is the right side. Cuts with the
// same counts have exactly the same gain.
struct SideCounts {
    std::uint64_t counts;
    bool zeros_left;
    bool operator==(const SideCounts&) const = default;
};
SideCounts counts_without_zeros(const NodeRows& node, std::size_t column, double cut);

// Whether the search over counts supports this table, target and options.
bool slots_support(const data::Table& table, const data::Target& target, const SearchOptions& options);

// Copies the target, creates the slots and counts all rows. No store: the columns have too many distinct numbers.
NodeRows slotted_root(const data::Table& table, const data::Target& target, base::Interrupt& interrupt);

// Computes the counts, or the sorted entries, of the branches that will be searched.
void hand_down_slots(NodeRows& node, const std::vector<BranchRows>& branches);

}  // namespace ceiba::split
