// The best stumps on the two sides of a cut, for one feature, any loss and all rules: the reference that the kernels of
// kernels.hpp must equal, and the way in which a split is found again when only its loss was kept.
//
// Losses of the left parts come from adding rows from the left, those of the right parts from adding them from the
// right; so a loss needs no subtraction. Rows without a rank join the side that has become the heavier one
// (missing="majority").
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "optimal/columns/ranked.hpp"
#include "optimal/losses.hpp"

namespace ceiba::optimal {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct Stump {
    double relaxed = infinite;   // least loss of two leaves, whatever their sizes
    double loss = infinite;      // of two leaves that are large enough
    std::int32_t feature = -1;   // of the latter
    std::uint32_t position = 0;  // entry of the node's order after which the cut lies
    bool missing_left = false;   // rows without a rank
};

template <class Loss>
class StumpScan {
public:
    StumpScan(const LossRule& rule, std::size_t min_rows) : loss_(rule), min_rows_(min_rows) {}

    // Improves `best` by stumps of feature f on the rows of one side; of equal ones the first is kept.
    void scan(const Node& node, std::size_t f, const std::vector<std::uint8_t>& side, int which, bool bounds_only,
              Stump& best) {
        collect(node, f, side, which);
        if (cut_at_.empty()) return;
        sum_left(node.data);
        sum_right(node.data);
        const std::size_t n = rows_.size() + missing_.size();
        for (std::size_t c = 0; c < cut_at_.size(); ++c) {
            const double loss = left_[c] + right_[c];
            if (loss < best.relaxed) best.relaxed = loss;
            const std::size_t on_left = cut_at_[c] + 1 + (c >= switch_ ? missing_.size() : 0);
            if (bounds_only || on_left < min_rows_ || n - on_left < min_rows_ || !(loss < best.loss)) continue;
            best.loss = loss;
            best.feature = static_cast<std::int32_t>(f);
            best.position = entry_[c];
            best.missing_left = c >= switch_;
        }
    }

private:
    // The rows of one side in order, and the cuts between them.
    void collect(const Node& node, std::size_t f, const std::vector<std::uint8_t>& side, int which) {
        rows_.clear(), missing_.clear(), cut_at_.clear(), entry_.clear();
        const std::uint32_t* const e = node.entries(f);
        const std::size_t n_present = node.n_present[f];
        double total = 0.0;
        bool open = false;  // rows since the last cut
        for (std::uint32_t i = 0; i < n_present; ++i) {
            const std::uint32_t row = e[i] & row_mask;
            if (side[row] == which) rows_.push_back(row), total += node.data.weight_of(row), open = true;
            if ((e[i] & last_of_value) && open) {
                cut_at_.push_back(static_cast<std::uint32_t>(rows_.size() - 1));
                entry_.push_back(i);
                open = false;
            }
        }
        if (!cut_at_.empty()) cut_at_.pop_back(), entry_.pop_back();  // nothing is right of the last value
        for (std::size_t i = n_present; i < node.n_rows(); ++i)
            if (side[e[i] & row_mask] == which) missing_.push_back(e[i] & row_mask);
        find_switch(node.data, total);
    }

    // The first cut whose left part is not the lighter one.
    void find_switch(const RowData& data, double total) {
        switch_ = cut_at_.size();
        if (missing_.empty()) return;
        double left = 0.0;
        std::size_t i = 0;
        for (std::size_t c = 0; c < cut_at_.size(); ++c) {
            for (; i <= cut_at_[c]; ++i) left += data.weight_of(rows_[i]);
            if (!(left < total - left)) {
                switch_ = c;
                return;
            }
        }
    }

    void add_missing(const RowData& data) {
        for (std::uint32_t row : missing_) loss_.add(data, row);
    }

    void sum_left(const RowData& data) {
        left_.resize(cut_at_.size());
        loss_.clear();
        std::size_t i = 0;
        for (std::size_t c = 0; c < cut_at_.size(); ++c) {
            for (; i <= cut_at_[c]; ++i) loss_.add(data, rows_[i]);
            if (c == switch_) add_missing(data);
            left_[c] = loss_.loss();
        }
    }

    void sum_right(const RowData& data) {
        right_.resize(cut_at_.size());
        loss_.clear();
        if (switch_ == cut_at_.size()) add_missing(data);
        std::size_t i = rows_.size();
        for (std::size_t c = cut_at_.size(); c-- > 0;) {
            for (; i > cut_at_[c] + 1; --i) loss_.add(data, rows_[i - 1]);
            if (c + 1 == switch_ && switch_ < cut_at_.size()) add_missing(data);
            right_[c] = loss_.loss();
        }
    }

    Loss loss_;
    std::size_t min_rows_, switch_ = 0;
    std::vector<std::uint32_t> rows_, missing_, cut_at_, entry_;
    std::vector<double> left_, right_;
};

}  // namespace ceiba::optimal
