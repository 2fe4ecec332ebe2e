// Losses about the weighted quantile in a division of weighted rows. In quantile_division.hpp, where all rows count 1,
// the quantile moves one member at a time; here it may cross thousands.
//
// Rows are ranked by y once per search, and two Fenwick trees over the ranks hold the weight and the weighted sum of
// the left side: O(n log n) per column and node for any weights. Sums are double-doubles of distances from the quantile
// of all rows. A million additions have an error below 2^-80 of the loss of all rows, and gains closer than that are
// tied. With costs a and b above and below, d = a + b, the quantile is reached where d times the cumulative weight is a
// times the total weight. Losses use these costs, and gains are divided by QuantileLevel::scale.
#pragma once

#include "base/double_double.hpp"
#include "base/rank_set.hpp"
#include "criteria/number_criteria.hpp"
#include "data/target.hpp"

namespace ceiba::criteria {

// Weighted quantiles of two sides in plain doubles: an approximate pass before WeightedQuantileDivision evaluates a
// cut.
//
// As rows move from the right side to the left, each quantile moves along a set of ranks until its share of the weight
// is below it. With weights of similar size it moves a step or two. If it repeatedly has to cross thousands, the
// approximate pass is abandoned. docs/engine.md derives error().
class RoughQuantiles {
public:
    struct Row {
        double weight, value, sum;  // value: distance from the quantile of all rows; sum: weight x value
    };

    // Takes the rows in order of rank and puts all of them on the right.
    void assign(std::vector<Row> rows, const QuantileLevel& level) {
        rows_ = std::move(rows);
        above_ = static_cast<double>(level.above);
        costs_ = static_cast<double>(level.whole());
        whole_ = Side{};
        spread_ = farthest_ = 0.0;
        for (const Row& row : rows_) {
            whole_.weight += row.weight;
            whole_.sum += row.sum;
            spread_ += std::fabs(row.sum);
            farthest_ = std::max(farthest_, std::fabs(row.value));
        }
        for (std::uint32_t r = 0; r < rows_.size(); ++r) {
            whole_.at = r;
            whole_.below += rows_[r].weight;
            whole_.below_sum += rows_[r].sum;
            if (reached(whole_.below, whole_)) break;
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
    double loss() const { return loss(left_) + loss(right_); }
    // Whether both sides certainly have at least this weight.
    bool heavier_than(double weight) const {
        const double sure = weight * (1.0 + 0x1p-50) + 0x1p-50 * static_cast<double>(rows_.size() + 16) * whole_.weight;
        return left_.weight > sure && right_.weight > sure;
    }
    std::size_t n_rows() const { return rows_.size(); }
    std::size_t steps() const { return steps_; }
    // The largest possible rounding error of loss().
    double error() const {
        const auto operations = static_cast<double>(rows_.size() + steps_ + 16);
        return 0x1p-53 * 33.0 * costs_ * operations * (spread_ + whole_.weight * farthest_);
    }

private:
    struct Side {
        std::uint32_t at = 0;                 // rank of the quantile
        double weight = 0.0, sum = 0.0;       // sums over all members
        double below = 0.0, below_sum = 0.0;  // sums up to and including the quantile

        void add(std::uint32_t rank, const Row& row, double sign) {
            weight += sign * row.weight;
            sum += sign * row.sum;
            if (rank > at) return;
            below += sign * row.weight;
            below_sum += sign * row.sum;
        }
    };
    double loss(const Side& side) const {
        return above_ * side.sum - costs_ * side.below_sum +
               rows_[side.at].value * (costs_ * side.below - above_ * side.weight);
    }
    bool reached(double below, const Side& side) const { return costs_ * below >= above_ * side.weight; }

    // Removes the quantile of the right side: its neighbour below has the same sums, the one above adds itself.
    void leave(std::uint32_t rank) {
        right_.at = right_rows_.neighbour(rank, true);
        if (right_.at != rank) return;
        right_.at = right_rows_.neighbour(rank, false);
        if (right_.at == rank) return;
        right_.below += rows_[right_.at].weight;
        right_.below_sum += rows_[right_.at].sum;
    }
    void settle(Side& side, const base::RankSet& members) {
        while (!reached(side.below, side)) {
            const std::uint32_t next = members.neighbour(side.at, false);
            if (next == side.at) break;
            side.at = next;
            side.below += rows_[next].weight;
            side.below_sum += rows_[next].sum;
            ++steps_;
        }
        while (reached(side.below - rows_[side.at].weight, side)) {
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
    double spread_ = 0.0, farthest_ = 0.0;  // sum of weight x |value|; largest |value|
    double above_ = 1.0, costs_ = 2.0;
};

using base::DoubleDouble;

class WeightedQuantileDivision {
public:
    static constexpr double tie_share = 0x1p-80;
    explicit WeightedQuantileDivision(const QuantileLevel& level)
        : level_(level), above_(static_cast<double>(level.above)), costs_(static_cast<double>(level.whole())) {}
    struct Left {};  // too large to save: AbsoluteError's bounds are its gain, so no cut is evaluated again

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

    // Adds the rows from, ..., to - 1 of a sequence, one by one or all at once, whichever is cheaper.
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

    // Approximate quantiles in plain doubles, starting from the current rows on the left.
    RoughQuantiles& rough_quantiles() {
        if (!rough_fresh_) {
            std::vector<RoughQuantiles::Row> rows(order_.size());
            for (std::size_t r = 0; r < rows.size(); ++r)
                rows[r] = {cell_[r].weight.hi, shifted(r).hi, cell_[r].sum.hi};
            rough_.assign(std::move(rows), level_);
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
    double left_value() const { return quantile(true); }
    double right_value() const { return quantile(false); }

    DoubleDouble gain() const {
        const DoubleDouble g = total_loss_ - loss(true) - loss(false);
        return g < DoubleDouble() ? DoubleDouble() : g / DoubleDouble(level_.scale);
    }
    DoubleDouble total_loss() const { return total_loss_ / DoubleDouble(level_.scale); }
    double scale() const { return level_.scale; }

private:
    // Compensated, because the right side is a difference that would lose its digits next to heavy rows on the left.
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
        std::size_t rank;  // of the lower weighted quantile
        Cell below;        // sums over the rows up to and including it
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
        total_loss_ = loss(false);
    }

    // The approximate rank of the quantile of all rows.
    std::size_t middle_rank() const {
        double all = 0.0, below = 0.0;
        for (std::uint32_t i : order_) all += weight(i);
        for (std::size_t r = 0; r < order_.size(); ++r)
            if (costs_ * (below += weight(order_[r])) >= above_ * all) return r;
        return order_.size() - 1;
    }

    // The mean of two values if the cumulative weight of the first is exactly the level's share, as in the node's
    // value.
    double quantile(bool left) const {
        return 0.5 * number_[order_[middle(left).rank]] + 0.5 * number_[order_[middle(left, true).rank]];
    }

    // Descends the Fenwick tree of one side to the first rank at which the level's share of the weight is reached (or
    // exceeded, if `passed`).
    Middle middle(bool left, bool passed = false) const {
        const DoubleDouble all = left ? left_all_.weight : total_all_.weight - left_all_.weight;
        const DoubleDouble share = all * above_;
        std::size_t at = 0;
        Cell below;
        for (std::size_t step = top_; step; step /= 2) {
            if (at + step >= total_.size()) continue;
            const Cell c = left ? left_[at + step] : total_[at + step] - left_[at + step];
            const DoubleDouble with = (below.weight + c.weight) * costs_;
            if (with < share || (passed && !(share < with))) {
                at += step;
                below += c;
            }
        }
        return {std::min(at, order_.size() - 1), below};
    }
    DoubleDouble loss(bool left) const {
        const Cell all = left ? left_all_ : total_all_ - left_all_;
        const Middle m = middle(left);
        const Cell above = all - m.below;
        const DoubleDouble at = shifted(m.rank);
        return (above.sum - above.weight * at) * above_ + (m.below.weight * at - m.below.sum) * (costs_ - above_);
    }

    QuantileLevel level_;
    double above_, costs_;
    const double* number_ = nullptr;
    const double* weight_ = nullptr;
    bool ranked_ = false, rough_fresh_ = false;
    std::vector<std::uint32_t> included_, order_, rank_;
    std::vector<Cell> cell_;          // of each rank
    std::vector<Cell> left_, total_;  // Fenwick trees, 1-based
    Cell left_all_, total_all_;
    std::vector<std::uint32_t> on_left_;  // ranks, in the order of adding
    RoughQuantiles rough_;
    std::size_t top_ = 1;
    double shift_ = 0.0;
    DoubleDouble total_loss_;
};

}  // namespace ceiba::criteria
