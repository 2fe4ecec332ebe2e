// Absolute deviations about the weighted median in a division of rows that do not all count 1 (median_division.hpp is
// for those that do: there the median moves one member at a time; here it may cross thousands).
//
// Rows are ranked by y once per search; two Fenwick trees over the ranks hold weight and weighted sum of the left side:
// O(n log n) per column and node for any weights. Sums are double-doubles of distances from the median of all rows; a
// million additions err by less than 2^-80 of the deviation of all rows, and gains closer than that are tied.
#pragma once

#include "base/double_double.hpp"
#include "base/rank_set.hpp"
#include "data/target.hpp"

namespace ceiba::criteria {

// Weighted medians of two sides in plain doubles: a rough pass before WeightedMedianDivision weighs a cut.
//
// As rows move from the right side to the left, each median moves along a set of ranks until half of the weight is on
// either side. With weights of about the same size it moves a step or two; where it has to cross thousands again and
// again, the rough pass is given up. docs/engine.md derives error().
class RoughMedians {
public:
    struct Row {
        double weight, value, sum;  // value: distance from the median of all rows; sum: weight x value
    };

    // The rows by rank; all are on the right.
    void assign(std::vector<Row> rows) {
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
        std::uint32_t at = 0;                 // rank of the median
        double weight = 0.0, sum = 0.0;       // of all members
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

using base::DoubleDouble;

class WeightedMedianDivision {
public:
    static constexpr double tie_share = 0x1p-80;
    struct Left {};  // too large to keep: AbsoluteError's bounds are its gain, so no cut is ever weighed again

    void bind(const data::TargetRows& rows, int output, std::size_t begin) {
        number_ = rows.numbers[output].data() + begin;
        weight_ = rows.weight.empty() ? nullptr : rows.weight.data() + begin;
    }
    void reset() {
        included_.clear();
        ranked_ = false;
    }
    void include(std::size_t i) {
        included_.push_back(static_cast<std::uint32_t>(i));
        ranked_ = false;
    }
    void clear_left() {
        if (!ranked_) rank();
        left_.assign(left_.size(), Cell{});
        left_all_ = Cell{};
        on_left_.clear();
    }
    void add(std::size_t i) {
        on_left_.push_back(rank_[i]);
        const Cell c = cell_[rank_[i]];
        left_all_ += c;
        for (std::size_t r = rank_[i] + 1; r < left_.size(); r += r & (~r + 1)) left_[r] += c;
    }

    // Adds rows from, ..., to - 1 of a sequence: one by one, or all at once where that costs less.
    template <class RowAt>
    void add_all(RowAt row_at, std::size_t from, std::size_t to) {
        const auto depth = static_cast<std::size_t>(std::bit_width(left_.size()));
        if ((to - from) * depth < 2 * left_.size()) {
            for (; from < to; ++from) add(row_at(from));
            return;
        }
        for (; from < to; ++from) on_left_.push_back(rank_[row_at(from)]);
        left_.assign(left_.size(), Cell{});
        for (std::uint32_t r : on_left_) left_[r + 1] = cell_[r];
        left_all_ = Cell{};
        for (std::size_t t = 1; t < left_.size(); ++t) {
            const std::size_t up = t + (t & (~t + 1));
            if (up < left_.size()) left_[up] += left_[t];
        }
        for (std::size_t t = left_.size() - 1; t > 0; t -= t & (~t + 1)) left_all_ += left_[t];
    }

    // Medians in plain doubles, with the rows on the left that are there now.
    RoughMedians& rough_medians() {
        if (!rough_fresh_) {
            std::vector<RoughMedians::Row> rows(order_.size());
            for (std::size_t r = 0; r < rows.size(); ++r)
                rows[r] = {cell_[r].weight.hi, shifted(r).hi, cell_[r].sum.hi};
            rough_.assign(std::move(rows));
            rough_fresh_ = true;
        }
        rough_.clear();
        for (std::uint32_t r : on_left_) rough_.move(r);
        return rough_;
    }
    std::uint32_t rank(std::size_t i) const { return rank_[i]; }

    Left left_part() const { return {}; }
    void put_back(Left) {}

    double left_weight() const { return left_all_.weight.value(); }
    double right_weight() const { return (total_all_.weight - left_all_.weight).value(); }
    double total_weight() const { return total_all_.weight.value(); }
    double left_value() const { return median(true); }
    double right_value() const { return median(false); }

    DoubleDouble gain() const {
        const DoubleDouble g = total_deviation_ - deviation(true) - deviation(false);
        return g < DoubleDouble() ? DoubleDouble() : g;
    }
    DoubleDouble total_deviation() const { return total_deviation_; }

private:
    // Compensated: the right side is a difference, and beside heavy rows on the left it would have lost its digits.
    struct Cell {
        DoubleDouble weight, sum;
        Cell& operator+=(const Cell& o) {
            weight = weight + o.weight;
            sum = sum + o.sum;
            return *this;
        }
        Cell operator-(const Cell& o) const { return {weight - o.weight, sum - o.sum}; }
    };
    struct Middle {
        std::size_t rank;  // of the lower weighted median
        Cell below;        // rows up to and including the median
    };

    double weight(std::size_t i) const { return weight_ ? weight_[i] : 1.0; }
    DoubleDouble shifted(std::size_t rank) const { return base::two_sum(number_[order_[rank]], -shift_); }
    Cell cell(std::size_t rank) const {
        const double w = weight(order_[rank]);
        return {w, shifted(rank) * w};
    }

    void rank() {
        order_ = included_;
        std::sort(order_.begin(), order_.end(), [this](std::uint32_t a, std::uint32_t b) {
            return number_[a] < number_[b] || (number_[a] == number_[b] && a < b);
        });
        rank_.resize(order_.empty() ? 0 : *std::max_element(order_.begin(), order_.end()) + 1);
        shift_ = order_.empty() ? 0.0 : number_[order_[middle_rank()]];
        left_.assign(order_.size() + 1, Cell{});
        total_.assign(order_.size() + 1, Cell{});
        cell_.resize(order_.size());
        total_all_ = left_all_ = Cell{};
        for (std::size_t r = 0; r < order_.size(); ++r) {
            rank_[order_[r]] = static_cast<std::uint32_t>(r);
            const Cell c = cell_[r] = cell(r);
            total_all_ += c;
            for (std::size_t t = r + 1; t < total_.size(); t += t & (~t + 1)) total_[t] += c;
        }
        top_ = 1;
        while (top_ * 2 < total_.size()) top_ *= 2;
        ranked_ = true;
        rough_fresh_ = false;
        total_deviation_ = deviation(false);
    }

    // About where half of the weight lies.
    std::size_t middle_rank() const {
        double all = 0.0, below = 0.0;
        for (std::uint32_t i : order_) all += weight(i);
        for (std::size_t r = 0; r < order_.size(); ++r)
            if ((below += weight(order_[r])) >= 0.5 * all) return r;
        return order_.size() - 1;
    }

    // The mean of the two middle values where the weight halves exactly, as the node's value has it.
    double median(bool left) const {
        return 0.5 * number_[order_[middle(left).rank]] + 0.5 * number_[order_[middle(left, true).rank]];
    }

    // Walks down the Fenwick tree of one side to the first rank at which half of the weight is reached (or passed).
    Middle middle(bool left, bool passed = false) const {
        const DoubleDouble all = left ? left_all_.weight : total_all_.weight - left_all_.weight;
        const DoubleDouble half(0.5 * all.hi, 0.5 * all.lo);
        std::size_t at = 0;
        Cell below;
        for (std::size_t step = top_; step; step /= 2) {
            if (at + step >= total_.size()) continue;
            const Cell c = left ? left_[at + step] : total_[at + step] - left_[at + step];
            const DoubleDouble with = below.weight + c.weight;
            if (with < half || (passed && !(half < with))) {
                at += step;
                below += c;
            }
        }
        return {std::min(at, order_.size() - 1), below};
    }
    DoubleDouble deviation(bool left) const {
        const Cell all = left ? left_all_ : total_all_ - left_all_;
        const Middle m = middle(left);
        const Cell above = all - m.below;
        const DoubleDouble at = shifted(m.rank);
        return (above.sum - above.weight * at) + (m.below.weight * at - m.below.sum);
    }

    const double* number_ = nullptr;
    const double* weight_ = nullptr;
    bool ranked_ = false, rough_fresh_ = false;
    std::vector<std::uint32_t> included_, order_, rank_;
    std::vector<Cell> cell_;          // of each rank
    std::vector<Cell> left_, total_;  // Fenwick trees, 1-based
    Cell left_all_, total_all_;
    std::vector<std::uint32_t> on_left_;  // ranks, in the order of adding
    RoughMedians rough_;
    std::size_t top_ = 1;
    double shift_ = 0.0;
    DoubleDouble total_deviation_;
};

}  // namespace ceiba::criteria
