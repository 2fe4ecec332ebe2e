// Quantile losses in a division of rows that all count 1 (see class_division.hpp for divisions;
// weighted_quantile_division.hpp supports weights). The gain is the mean over the outputs.
#pragma once

#include "base/fixed_point.hpp"
#include "base/rank_set.hpp"
#include "base/sort.hpp"
#include "criteria/number_criteria.hpp"
#include "data/target.hpp"

namespace ceiba::criteria {

// The quantiles of two sides, and the losses about them, while rows move one by one from the right side to the left.
// All rows count 1.
//
// Rows are ranked by y once; each side is a set of ranks. With costs a and b above and below, d = a + b, the quantile v
// of n rows is their j-th smallest y, j = ceil(a n / d), and their loss is
//   a (S - n v) + d (j v - T) = a S + c v - d T,  c = d j - a n, 0 <= c < d,
// where S is the sum of all y and T that of the j smallest. The sums S of both sides add up to the node's, so only c v
// - d T is maintained. Adding or removing a row changes c by a or b, and v moves to the next member if c would leave
// its range. This takes O(1) per row without rounding (base/fixed_point.hpp). If c = 0, every number up to the next
// member is a quantile, and the node's value is the midpoint.
template <class Number>
class RunningQuantiles {
public:
    // Ranks these rows and puts all of them on the right.
    void assign(const double* y, const std::vector<std::uint32_t>& rows, int unit, const QuantileLevel& level) {
        y_ = y;
        level_ = level;
        const std::size_t n = rows.size(), n_keys = n ? *std::max_element(rows.begin(), rows.end()) + 1 : 0;
        key_.resize(n_keys);
        for (std::uint32_t i : rows) key_[i] = base::sort_key(y[i] + 0.0);
        order_ = rows;
        base::sort_rows(key_, order_, sort_);
        rank_.resize(n_keys);
        value_.assign(n + 1, Number{});  // the last one is for an empty side
        Number sum{};
        for (std::size_t r = 0; r < n; ++r) {
            rank_[order_[r]] = static_cast<std::uint32_t>(r);
            value_[r] = Number(y[order_[r]], unit);
            sum += value_[r];
        }
        const auto count = static_cast<std::int64_t>(n), j = (level.above * count + level.whole() - 1) / level.whole();
        whole_ = {static_cast<std::uint32_t>(std::max<std::int64_t>(j, 1) - 1),
                  static_cast<std::int32_t>(level.whole() * j - level.above * count)};
        whole_sum_ = Number{};
        for (std::int64_t r = 0; r < j; ++r) whole_sum_ += value_[static_cast<std::size_t>(r)];
        total_loss_ = times(sum, level.above) + varying_total();
        clear();
    }
    // Moves all rows back to the right.
    void clear() {
        const std::size_t n = order_.size();
        left_rows_.reset(n + 1, false);  // includes the position of an empty side
        right_rows_.reset(n, true);
        // The quantile of an empty side is beyond all ranks, with value 0 and c = d. The first row is below it and
        // replaces it.
        sides_ = {{static_cast<std::uint32_t>(n), static_cast<std::int32_t>(level_.whole())}, whole_, whole_sum_};
    }
    void move(std::size_t row) { move(rank_[row], value_[rank_[row]], sides_); }

    // Output of follow(): values of the division after each row. Null pointers are not written.
    struct Trace {
        Number* loss = nullptr;  // loss of both sides, without the part that all divisions share
        bool more = false;       // adds to the existing values
        double* left_value = nullptr;
        double* right_value = nullptr;
    };
    template <class RowAt>
    void follow(RowAt row_at, std::size_t n, const Trace& trace) {
        Sides sides = sides_;  // a local copy, to keep it in registers
        // The rows are scattered in memory, so some dozens are prefetched at a time.
        constexpr std::size_t block = 64;
        std::array<std::uint32_t, block> rank;
        std::array<Number, block> value;
        for (std::size_t from = 0; from < n; from += block) {
            const std::size_t size = std::min(block, n - from);
            for (std::size_t i = 0; i < size; ++i) rank[i] = rank_[row_at(from + i)];
            for (std::size_t i = 0; i < size; ++i) value[i] = value_[rank[i]];
            for (std::size_t i = 0; i < size; ++i) {
                move(rank[i], value[i], sides);
                if (trace.loss) {
                    Number& loss = trace.loss[from + i];
                    loss = trace.more ? loss + varying_loss(sides) : varying_loss(sides);
                }
                if (trace.left_value) {
                    trace.left_value[from + i] = quantile(sides.left, left_rows_);
                    trace.right_value[from + i] = quantile(sides.right, right_rows_);
                }
            }
        }
        sides_ = sides;
    }

    Number total_loss() const { return total_loss_; }
    // The loss of all rows, and of the two sides, without the term a S.
    Number varying_total() const { return times(value_[whole_.at], whole_.rest) - times(whole_sum_, level_.whole()); }
    Number varying_loss() const { return varying_loss(sides_); }

    double left_value() const { return quantile(sides_.left, left_rows_); }
    double right_value() const { return quantile(sides_.right, right_rows_); }

private:
    struct Side {
        std::uint32_t at = 0;   // rank of the quantile
        std::int32_t rest = 0;  // c
    };
    struct Sides {
        Side left, right;
        Number sum{};  // T of both sides
    };
    Number varying_loss(const Sides& s) const {
        return times(value_[s.left.at], s.left.rest) + times(value_[s.right.at], s.right.rest) -
               times(s.sum, level_.whole());
    }
    double quantile(const Side& side, const base::RankSet& members) const {
        const std::uint32_t next = side.rest == 0 ? members.neighbour(side.at, false) : side.at;
        return 0.5 * y_[order_[side.at]] + 0.5 * y_[order_[next]];
    }

    // With branches, although some are mispredicted. Without them each row would look up two neighbours, and the two
    // lookups wait for each other (22 ns instead of 10 ns per row, 20,000 rows).
    void move(std::uint32_t rank, const Number& value, Sides& s) {
        left_rows_.insert(rank);
        right_rows_.erase(rank);
        const auto above = static_cast<std::int32_t>(level_.above), below = static_cast<std::int32_t>(level_.below);
        const bool below_left = rank < s.left.at, in_right = rank <= s.right.at, gone = rank == s.right.at;
        if (below_left && !in_right) s.sum += value;
        if (in_right && !below_left) s.sum -= value;
        s.left.rest += below_left ? below : -above;
        s.right.rest += in_right ? -below : above;
        settle(s.left, left_rows_, s.sum);
        if (!settle(s.right, right_rows_, s.sum) && gone) s.right.at = right_rows_.neighbour(rank, true);
    }
    // Moves the quantile to the next member if c is out of range. A quantile that was removed still marks its position.
    bool settle(Side& side, const base::RankSet& members, Number& sum) const {
        const auto whole = static_cast<std::int32_t>(level_.whole());
        if (side.rest < 0) {
            side.at = members.neighbour(side.at, false);
            side.rest += whole;
            sum += value_[side.at];
            return true;
        }
        if (side.rest < whole) return false;
        sum -= value_[side.at];
        side.at = members.neighbour(side.at, true);
        side.rest -= whole;
        return true;
    }

    const double* y_ = nullptr;
    QuantileLevel level_;
    std::vector<std::uint64_t> key_;
    base::SortSpace sort_;
    std::vector<std::uint32_t> order_, rank_;  // row of each rank; rank of each row
    std::vector<Number> value_;                // of each rank
    base::RankSet left_rows_, right_rows_;
    Side whole_;
    Sides sides_;
    Number whole_sum_{}, total_loss_{};
};

using base::DoubleDouble;

// The range of bits that the numbers of a target need.
inline base::BitRange bit_range(const data::TargetRows& target) {
    base::BitRange range;
    for (const auto& numbers : target.numbers)
        for (double y : numbers) range.include(y);
    return range;
}

template <class Number>
class QuantileDivision {
public:
    static constexpr double tie_share = 0x1p-98;  // share of the loss of all rows, the resolution of double-doubles
    // The values of a division without its rows, enough to evaluate it again.
    struct Left {
        std::size_t n_left = 0;
        double left_value = 0.0, right_value = 0.0;
        Number loss{};  // without the part that all divisions share
    };

    QuantileDivision(std::size_t n_outputs, int unit, const QuantileLevel& level)
        : unit_(unit), level_(level), outputs_(n_outputs), number_(n_outputs) {}

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
                outputs_[o].assign(number_[o], included_, unit_, level_);
        }
        ranked_ = true;
    }
    // Not inlined: it is long and has many callers. Scans use follow() instead.
    [[gnu::noinline]] void add(std::size_t i) {
        ++n_left_;
        for (auto& quantiles : outputs_) quantiles.move(i);
    }

    // Moves rows to the left one after the other and records the division after each.
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
    // The loss of the division after n of the followed rows.
    const Number& loss_after(std::size_t n) const { return loss_[n - 1]; }
    Left left_after(std::size_t n) const {
        const bool values = !left_value_.empty();
        return {before_ + n, values ? left_value_[n - 1] : 0.0, values ? right_value_[n - 1] : 0.0, loss_[n - 1]};
    }

    Left left_part() const {
        return kept_ ? at_ : Left{n_left_, outputs_.front().left_value(), outputs_.front().right_value(), all_loss()};
    }
    // The division has these values until rows move again.
    void put_back(const Left& left) {
        at_ = left;
        kept_ = true;
    }

    double left_weight() const { return static_cast<double>(kept_ ? at_.n_left : n_left_); }
    double right_weight() const { return total_weight() - left_weight(); }
    double total_weight() const { return static_cast<double>(included_.size()); }
    // The value of the first output: the Python layer rejects monotone constraints with several outputs.
    double left_value() const { return kept_ ? at_.left_value : outputs_.front().left_value(); }
    double right_value() const { return kept_ ? at_.right_value : outputs_.front().right_value(); }

    DoubleDouble gain() const {
        return base::precise(decrease(), unit_) / DoubleDouble(divisor());
    }
    base::Fraction exact_gain() const { return {base::exact(decrease(), unit_), divisor()}; }
    DoubleDouble total_loss() const {
        Number sum{};
        for (const auto& quantiles : outputs_) sum += quantiles.total_loss();
        return base::precise(sum, unit_) / DoubleDouble(level_.scale);
    }

private:
    double divisor() const { return static_cast<double>(outputs_.size()) * level_.scale; }
    Number all_loss() const {
        Number sum{};
        for (const auto& quantiles : outputs_) sum += quantiles.varying_loss();
        return sum;
    }
    Number decrease() const {
        Number sum{};
        for (const auto& quantiles : outputs_) sum += quantiles.varying_total();
        return sum - (kept_ ? at_.loss : all_loss());
    }

    int unit_;
    QuantileLevel level_;
    std::vector<RunningQuantiles<Number>> outputs_;
    std::vector<const double*> number_;
    std::vector<std::uint32_t> included_;
    bool ranked_ = false, kept_ = false;
    std::size_t n_left_ = 0, before_ = 0;
    Left at_;
    std::vector<Number> loss_;  // of the divisions recorded by follow()
    std::vector<double> left_value_, right_value_;
};

}  // namespace ceiba::criteria
