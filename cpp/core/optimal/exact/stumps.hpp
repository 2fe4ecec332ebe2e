// The best stumps on the two sides of a cut, for one feature, any loss and all rules. This is the reference for
// kernels.hpp, and it recovers a split of which only the loss was stored. Rows are only added, from the left and from
// the right, so a loss needs no subtraction. Rows without a rank join the heavier side.
#pragma once

#include "optimal/losses.hpp"

namespace ceiba::optimal {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct Stump {
    double relaxed = infinite;   // least loss of two leaves of any size
    double loss = infinite;      // least loss of two leaves that are large enough
    std::int32_t feature = -1;   // feature of the latter
    std::uint32_t position = 0;  // entry of the node's order that the cut follows
    bool missing_left = false;   // side of rows without a rank
};

using TwoLosses = std::array<double, 2>;  // losses of the two sides

struct Sides {
    std::array<std::size_t, 2> n_rows{};
    TwoLosses leaf{infinite, infinite};
    TwoLosses relaxed{infinite, infinite};  // loss of the best stump with leaves of any size
    TwoLosses stump{infinite, infinite};    // loss of the best stump with leaves of the required size
};

// The rows of one side of a node in the order of a feature, and the cuts between them.
class SideRows {
public:
    void collect(const Node& node, std::size_t f, const std::vector<std::uint8_t>& side, int which);
    // Improves `best` by cuts of feature f whose losses are known. Ties go to the first cut.
    void choose(std::size_t f, std::size_t min_rows, bool bounds_only, Stump& best) const;

    std::size_t n_cuts() const { return cut_at.size(); }

    std::vector<std::uint32_t> rows, missing;  // rows with a rank; rows without
    std::vector<std::uint32_t> cut_at, entry;  // per cut: last of the rows on its left; its entry in the node's order
    std::size_t joins_left = 0;                // first cut whose left part is not the lighter one
    std::vector<double> left, right;           // losses of the two parts of each cut

private:
    void find_heavier(const RowData& data, double total);
};

template <class Loss>
class StumpScan {
public:
    StumpScan(const LossRule& rule, std::size_t min_rows) : loss_(rule), min_rows_(min_rows) {}

    // Improves `best` by stumps of feature f on the rows of one side. Ties go to the first cut.
    void scan(const Node& node, std::size_t f, const std::vector<std::uint8_t>& side, int which, bool bounds_only,
              Stump& best) {
        at_.collect(node, f, side, which);
        if (at_.n_cuts() == 0) return;
        sum_left(node.data);
        sum_right(node.data);
        at_.choose(f, min_rows_, bounds_only, best);
    }

private:
    void add_missing(const RowData& data) {
        for (std::uint32_t row : at_.missing) loss_.add(data, row);
    }

    void sum_left(const RowData& data) {
        at_.left.resize(at_.n_cuts());
        loss_.clear();
        std::size_t i = 0;
        for (std::size_t c = 0; c < at_.n_cuts(); ++c) {
            for (; i <= at_.cut_at[c]; ++i) loss_.add(data, at_.rows[i]);
            if (c == at_.joins_left) add_missing(data);
            at_.left[c] = loss_.loss();
        }
    }

    void sum_right(const RowData& data) {
        at_.right.resize(at_.n_cuts());
        loss_.clear();
        if (at_.joins_left == at_.n_cuts()) add_missing(data);
        std::size_t i = at_.rows.size();
        for (std::size_t c = at_.n_cuts(); c-- > 0;) {
            for (; i > at_.cut_at[c] + 1; --i) loss_.add(data, at_.rows[i - 1]);
            if (c + 1 == at_.joins_left && at_.joins_left < at_.n_cuts()) add_missing(data);
            at_.right[c] = loss_.loss();
        }
    }

    Loss loss_;
    std::size_t min_rows_;
    SideRows at_;
};

}  // namespace ceiba::optimal
