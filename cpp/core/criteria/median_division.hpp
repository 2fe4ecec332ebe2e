// Absolute deviations about the median in a division of rows that all count 1 (see class_division.hpp for the idea;
// weighted_median_division.hpp for rows that do not). One or several outputs; the gain is the mean over them.
#pragma once

#include "base/fixed_point.hpp"
#include "base/rank_set.hpp"
#include "base/sort.hpp"
#include "data/target.hpp"

namespace ceiba::criteria {

// The medians of two sides while rows move, one by one, from the right side to the left, and the sums of absolute
// deviations about them (of rows that all count 1).
//
// Rows are ranked by y once; each side is a set of ranks. With an even number of rows a side has two medians, with an
// odd number one. Adding a row to a side raises its sum of deviations by the distance between the row and the nearest
// median of the side; taking one away lowers it by the distance to the nearest median of those that remain. A median
// moves at most one member further: O(1) for each row that moves, and nothing is ever rounded (base/fixed_point.hpp).
template <class Number>
class RunningMedians {
public:
    // Ranks these rows; all of them are on the right.
    void assign(const double* y, const std::vector<std::uint32_t>& rows, int unit) {
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

using base::DoubleDouble;

// The bits that the numbers of a target need.
inline base::BitRange bit_range(const data::TargetRows& target) {
    base::BitRange range;
    for (const auto& numbers : target.numbers)
        for (double y : numbers) range.include(y);
    return range;
}

template <class Number>
class MedianDivision {
public:
    static constexpr double tie_share = 0x1p-98;  // of the deviation of all rows: double-doubles tell no less
    // A division by its figures, without its rows: enough to weigh it again.
    struct Left {
        std::size_t n_left = 0;
        double left_value = 0.0, right_value = 0.0;
        Number loss{};
    };

    MedianDivision(std::size_t n_outputs, int unit) : unit_(unit), outputs_(n_outputs), number_(n_outputs) {}

    void bind(const data::TargetRows& rows, int /*output*/, std::size_t begin) {
        for (std::size_t o = 0; o < outputs_.size(); ++o) number_[o] = rows.numbers[o].data() + begin;
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
        kept_ = false;
        n_left_ = 0;
        for (std::size_t o = 0; o < outputs_.size(); ++o) {
            if (ranked_)
                outputs_[o].clear();
            else
                outputs_[o].assign(number_[o], included_, unit_);
        }
        ranked_ = true;
    }
    // Not inlined: long, and asked for in many places; scans follow() rows instead.
    [[gnu::noinline]] void add(std::size_t i) {
        ++n_left_;
        for (auto& medians : outputs_) medians.move(i);
    }

    // Moves rows to the left one after the other and writes down the division after each.
    template <class RowAt>
    void follow(RowAt row_at, std::size_t n, bool with_values) {
        loss_.resize(n);
        left_value_.resize(with_values ? n : 0);
        right_value_.resize(with_values ? n : 0);
        before_ = n_left_;
        n_left_ += n;
        for (std::size_t o = 0; o < outputs_.size(); ++o)
            outputs_[o].follow(row_at, n,
                               {loss_.data(), o > 0, with_values ? left_value_.data() : nullptr,
                                with_values ? right_value_.data() : nullptr});
    }
    // The division after n of the rows that were followed.
    const Number& loss_after(std::size_t n) const { return loss_[n - 1]; }
    Left left_after(std::size_t n) const {
        const bool values = !left_value_.empty();
        return {before_ + n, values ? left_value_[n - 1] : 0.0, values ? right_value_[n - 1] : 0.0, loss_[n - 1]};
    }

    Left left_part() const {
        return kept_ ? at_ : Left{n_left_, outputs_.front().left_median(), outputs_.front().right_median(), all_loss()};
    }
    // Until rows move again, the division is the one of these figures.
    void put_back(const Left& left) {
        at_ = left;
        kept_ = true;
    }

    double left_weight() const { return static_cast<double>(kept_ ? at_.n_left : n_left_); }
    double right_weight() const { return total_weight() - left_weight(); }
    double total_weight() const { return static_cast<double>(included_.size()); }
    // Of the first output: monotone limits are refused for several before the core is called.
    double left_value() const { return kept_ ? at_.left_value : outputs_.front().left_median(); }
    double right_value() const { return kept_ ? at_.right_value : outputs_.front().right_median(); }

    DoubleDouble gain() const {
        return base::precise(decrease(), unit_) / DoubleDouble(static_cast<double>(outputs_.size()));
    }
    base::Fraction exact_gain() const { return {base::exact(decrease(), unit_), static_cast<double>(outputs_.size())}; }
    DoubleDouble total_deviation() const { return base::precise(total_loss(), unit_); }

private:
    Number total_loss() const {
        Number sum{};
        for (const auto& medians : outputs_) sum += medians.total_loss();
        return sum;
    }
    Number all_loss() const {
        Number sum{};
        for (const auto& medians : outputs_) sum += medians.loss();
        return sum;
    }
    Number decrease() const { return total_loss() - (kept_ ? at_.loss : all_loss()); }

    int unit_;
    std::vector<RunningMedians<Number>> outputs_;
    std::vector<const double*> number_;
    std::vector<std::uint32_t> included_;
    bool ranked_ = false, kept_ = false;
    std::size_t n_left_ = 0, before_ = 0;
    Left at_;
    std::vector<Number> loss_;  // of the divisions followed
    std::vector<double> left_value_, right_value_;
};

}  // namespace ceiba::criteria
