// The medians of two sides while rows move, one by one, from the right side to the left, and the sums of absolute
// deviations about them (of rows that all count 1).
//
// Rows are ranked by y once; each side is a set of ranks. With an even number of rows a side has two medians, with an
// odd number one. Adding a row to a side raises its sum of deviations by the distance between the row and the nearest
// median of the side; taking one away lowers it by the distance to the nearest median of those that remain. A median
// moves at most one member further: O(1) for each row that moves, and nothing is ever rounded (base/fixed_point.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/fixed_point.hpp"
#include "base/radix_sort.hpp"
#include "base/rank_set.hpp"

namespace ceiba::criteria {

template <class Number>
class RunningMedians {
public:
    // Ranks these rows; all of them are on the right.
    void take(const double* y, const std::vector<std::uint32_t>& rows, int unit) {
        y_ = y;
        const std::size_t n = rows.size(), n_keys = n ? *std::max_element(rows.begin(), rows.end()) + 1 : 0;
        key_.resize(n_keys);
        for (std::uint32_t i : rows) key_[i] = base::sort_key(y[i] + 0.0);
        order_ = rows;
        base::sort_rows(key_, order_, sort_);
        rank_.resize(n_keys);
        value_.resize(n);
        for (std::size_t r = 0; r < n; ++r) {
            rank_[order_[r]] = static_cast<std::uint32_t>(r);
            value_[r] = Number(y[order_[r]], unit);
        }
        whole_ = Side{};
        whole_.odd = n % 2 != 0;
        if (n > 0) {
            whole_.low = static_cast<std::uint32_t>((n - 1) / 2);
            whole_.high = static_cast<std::uint32_t>(n / 2);
            for (std::size_t r = 0; r < n / 2; ++r) whole_.loss += value_[n - 1 - r] - value_[r];
        }
        clear();
    }
    // All rows go back to the right.
    void clear() {
        const std::size_t n = order_.size();
        left_rows_.reset(n, false);
        right_rows_.reset(n, true);
        right_ = whole_;
        left_ = Side{};
        left_.high = static_cast<std::uint32_t>(n ? n - 1 : 0);  // an empty side: any row is between its medians
    }
    void move(std::size_t row) {
        const std::uint32_t rank = rank_[row];
        to_left(rank, value_[rank], left_);
        from_right(rank, value_[rank], right_);
    }

    // Where figures of the divisions are written as rows move; null: they are not.
    struct Trace {
        Number* loss = nullptr;  // sum of deviations of both sides
        bool more = false;       // it is added to what stands there
        double* left_median = nullptr;
        double* right_median = nullptr;
    };
    template <class RowAt>
    void follow(RowAt row_at, std::size_t n, const Trace& trace) {
        Side left = left_, right = right_;  // in registers as far as they go
        // Rows lie far apart in memory: fetching some dozens at a time lets the processor wait for all of them at once.
        constexpr std::size_t block = 64;
        std::array<std::uint32_t, block> rank;
        std::array<Number, block> value;
        for (std::size_t from = 0; from < n; from += block) {
            const std::size_t size = std::min(block, n - from);
            for (std::size_t i = 0; i < size; ++i) rank[i] = rank_[row_at(from + i)];
            for (std::size_t i = 0; i < size; ++i) value[i] = value_[rank[i]];
            for (std::size_t i = 0; i < size; ++i) {
                to_left(rank[i], value[i], left);
                from_right(rank[i], value[i], right);
                if (trace.loss) {
                    Number& loss = trace.loss[from + i];
                    loss = trace.more ? loss + left.loss + right.loss : left.loss + right.loss;
                }
                if (trace.left_median) {
                    trace.left_median[from + i] = median(left);
                    trace.right_median[from + i] = median(right);
                }
            }
        }
        left_ = left;
        right_ = right;
    }

    Number total_loss() const { return whole_.loss; }
    Number loss() const { return left_.loss + right_.loss; }

    double left_median() const { return median(left_); }
    double right_median() const { return median(right_); }

private:
    struct Side {
        std::uint32_t low = 0, high = 0;  // ranks of the two medians; the same if there is one
        bool odd = false;
        Number loss{};
    };
    double median(const Side& side) const { return 0.5 * y_[order_[side.low]] + 0.5 * y_[order_[side.high]]; }

    // Which median a row is nearest to, and which way the median goes, is as good as random: no branch instruction
    // depends on it (two wrong guesses for each row would cost more than all the rest).
    void to_left(std::uint32_t rank, const Number& value, Side& left) {
        left_rows_.insert(rank);
        if (left.odd) {
            const std::uint32_t old = left.low;
            left.loss += distance(value, value_[old]);
            const bool downwards = rank < old;
            const std::uint32_t next = left_rows_.neighbour(old, downwards);
            left.low = downwards ? next : old;
            left.high = downwards ? old : next;
        } else {
            left.low = left.high = std::min(std::max(rank, left.low), left.high);
            left.loss += distance(value, value_[left.low]);
        }
        left.odd = !left.odd;
    }
    void from_right(std::uint32_t rank, const Number& value, Side& right) {
        right_rows_.erase(rank);
        if (right.odd) {
            const std::uint32_t old = right.low;
            right.loss -= distance(value, value_[old]);
            const bool downwards = rank > old;
            const std::uint32_t next = right_rows_.neighbour(old, downwards);
            right.low = downwards ? next : old;
            right.high = downwards ? old : next;
            if (rank == old) right.low = right_rows_.neighbour(old, true);
        } else {
            right.low = right.high = rank <= right.low ? right.high : right.low;
            right.loss -= distance(value, value_[right.low]);
        }
        right.odd = !right.odd;
    }

    const double* y_ = nullptr;
    std::vector<std::uint64_t> key_;
    base::SortSpace sort_;
    std::vector<std::uint32_t> order_, rank_;  // row of each rank; rank of each row
    std::vector<Number> value_;                // of each rank
    base::RankSet left_rows_, right_rows_;
    Side whole_, left_, right_;
};

}  // namespace ceiba::criteria
