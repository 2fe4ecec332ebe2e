// Fractional rows (C4.5): a row that the split cannot place goes down every branch, with its weight times the branch's
// share of the placed weight. The branches are adjacent in a store of their own.
#pragma once

#include "split/store/partition.hpp"

namespace ceiba::split {

class FractionalDivision {
public:
    FractionalDivision(const NodeRows& node, const Routing& routing);

    // The branches with their targets; the columns are still missing.
    std::vector<NodeRows> branches() const;

    // Writes the columns of the branches that will be searched.
    void hand_down_columns(const std::vector<BranchRows>& branches) const;

private:
    std::size_t size() const { return begin_.back(); }

    // Calls put(branch, position in the branch, fraction of the row) for each destination of row i.
    template <class Put>
    void each(std::size_t i, const Put& put) const {
        if (branch_[i] != unplaced) return put(branch_[i], place_[i], 1.0);
        for (std::size_t b = 0; b < share_.size(); ++b)
            if (share_[b] > 0.0) put(b, fractional_[place_[i] * share_.size() + b], share_[b]);
    }

    void divide_codes(std::size_t c, const std::vector<BranchRows>& branches) const;
    void divide_sorted(std::size_t c, const std::vector<BranchRows>& branches) const;

    const NodeRows& node_;
    const base::Buffer<std::uint16_t>& branch_;
    std::vector<double> share_;                      // of each branch
    std::vector<std::uint32_t> place_, fractional_;  // position of each row in its branch; of fractional rows in all
    std::vector<std::uint32_t> begin_;               // start of each branch in the new store
};

}  // namespace ceiba::split
