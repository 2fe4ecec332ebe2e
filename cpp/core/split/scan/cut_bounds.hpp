// Cuts of a column that may be its best, by bounds of their gains.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace ceiba::split {

class CutBounds {
public:
    // Gains below `floor` are of no use.
    explicit CutBounds(double floor) : reach_(floor) {}

    double reach() const { return reach_; }
    // A cut whose gain is at most `most`.
    void add(std::size_t entries_on_left, double most) {
        if (most < reach_) return;
        cuts_.push_back(entries_on_left);
        most_.push_back(most);
    }
    // Some cut that is allowed has at least this gain. (Infinite: the gain has no value, and such a cut is never
    // taken.)
    void raise(double least) {
        if (least > reach_ && least < std::numeric_limits<double>::infinity()) reach_ = least;
    }

    // Those that are left, ascending.
    const std::vector<std::size_t>& cuts() {
        std::size_t kept = 0;
        for (std::size_t k = 0; k < cuts_.size(); ++k)
            if (!(most_[k] < reach_)) cuts_[kept] = cuts_[k], most_[kept++] = most_[k];
        cuts_.resize(kept);
        most_.resize(kept);
        return cuts_;
    }

private:
    double reach_;
    std::vector<std::size_t> cuts_;
    std::vector<double> most_;
};

}  // namespace ceiba::split
