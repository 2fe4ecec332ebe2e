// Weighted medians of two sides in plain doubles: a quick look before weighted_median_division.hpp weighs a cut.
//
// As rows move from the right side to the left, each median moves along a set of ranks until half of the weight is on
// either side. With weights of about the same size it moves a step or two; where it has to cross thousands again and
// again, the look is given up.
//
// What rounding can do (u = 2^-53, n rows, s steps of the medians; W weight, T deviation, F largest distance from the
// median of all rows): a sum of w |v| is never larger than T, one of weights never larger than W. The four sums of a
// side see at most 3 n + s additions each. So a loss errs by (11 n + 4 s) u T from sums of w v, and by the error of 2
// below - weight, at most (11 n + 4 s) u W over both sides, times F; and because that error may also stop a median
// short of its place, which costs the same times the distance to it, at most 2 F, three times as much in all. error()
// has twice this.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/rank_set.hpp"

namespace ceiba::criteria {

class RoughMedians {
public:
    struct Row {
        double weight, value, sum;  // value: distance from the median of all rows; sum: weight x value
    };

    // The rows by rank; all are on the right.
    void take(std::vector<Row> rows) {
        rows_ = std::move(rows);
        whole_ = Side{};
        farthest_ = 0.0;
        for (const Row& row : rows_) {
            whole_.weight += row.weight;
            whole_.sum += row.sum;
            farthest_ = std::max(farthest_, std::fabs(row.value));
        }
        for (std::uint32_t r = 0; r < rows_.size(); ++r) {
            whole_.at = r;
            whole_.below += rows_[r].weight;
            whole_.below_sum += rows_[r].sum;
            if (whole_.below >= 0.5 * whole_.weight) break;
        }
    }
    void clear() {
        left_ = Side{};
        right_ = whole_;
        left_rows_.reset(rows_.size(), false);
        right_rows_.reset(rows_.size(), true);
        n_left_ = steps_ = 0;
    }
    void move(std::uint32_t rank) {
        const Row& row = rows_[rank];
        left_rows_.insert(rank);
        if (n_left_++ == 0) left_.at = rank;
        left_.add(rank, row, 1.0);
        settle(left_, left_rows_);
        right_rows_.erase(rank);
        right_.add(rank, row, -1.0);
        if (rank == right_.at) leave(rank);
        settle(right_, right_rows_);
    }
    double loss() const { return left_.loss(rows_) + right_.loss(rows_); }
    // Both sides have at least this weight, beyond doubt.
    bool heavier_than(double weight) const {
        const double sure = weight * (1.0 + 0x1p-50) + 0x1p-50 * static_cast<double>(rows_.size() + 16) * whole_.weight;
        return left_.weight > sure && right_.weight > sure;
    }
    std::size_t n_rows() const { return rows_.size(); }
    std::size_t steps() const { return steps_; }
    // The most that rounding can have done to loss(), with the deviation of all rows.
    double error(double deviation) const {
        const auto operations = static_cast<double>(rows_.size() + steps_ + 16);
        return 0x1p-53 * 66.0 * operations * (deviation + whole_.weight * farthest_);
    }

private:
    struct Side {
        std::uint32_t at = 0;                // rank of the median
        double weight = 0.0, sum = 0.0;      // of all members
        double below = 0.0, below_sum = 0.0;  // of those up to and including the median

        void add(std::uint32_t rank, const Row& row, double sign) {
            weight += sign * row.weight;
            sum += sign * row.sum;
            if (rank > at) return;
            below += sign * row.weight;
            below_sum += sign * row.sum;
        }
        double loss(const std::vector<Row>& rows) const {
            return sum - 2.0 * below_sum + rows[at].value * (2.0 * below - weight);
        }
    };

    // The median of the right side was taken away: its neighbour below has the same sums, the one above adds itself.
    void leave(std::uint32_t rank) {
        right_.at = right_rows_.neighbour(rank, true);
        if (right_.at != rank) return;
        right_.at = right_rows_.neighbour(rank, false);
        if (right_.at == rank) return;
        right_.below += rows_[right_.at].weight;
        right_.below_sum += rows_[right_.at].sum;
    }
    void settle(Side& side, const base::RankSet& members) {
        while (side.below < 0.5 * side.weight) {
            const std::uint32_t next = members.neighbour(side.at, false);
            if (next == side.at) break;
            side.at = next;
            side.below += rows_[next].weight;
            side.below_sum += rows_[next].sum;
            ++steps_;
        }
        while (side.below - rows_[side.at].weight >= 0.5 * side.weight) {
            const std::uint32_t next = members.neighbour(side.at, true);
            if (next == side.at) break;
            side.below -= rows_[side.at].weight;
            side.below_sum -= rows_[side.at].sum;
            side.at = next;
            ++steps_;
        }
    }

    std::vector<Row> rows_;
    Side whole_, left_, right_;
    base::RankSet left_rows_, right_rows_;
    std::size_t n_left_ = 0, steps_ = 0;
    double farthest_ = 0.0;  // |value| of any row
};

}  // namespace ceiba::criteria
