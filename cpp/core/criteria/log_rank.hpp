// The log-rank test of two branches (Mantel 1966; Peto and Peto 1972): division and criterion.
//
// With d_j events among n_j rows at risk at event time j of the node, w_L,j of them on the left (weights count like
// repeated rows), the score of the left side and its variance are
//
//   U = O_L - E_L = sum over its rows of w (event - H(k)),         H(k) = sum_{j <= k} d_j / n_j
//   V = sum_j a_j w_L,j (n_j - w_L,j),                              a_j = d_j (n_j - d_j) / (n_j^2 (n_j - 1))
//
// for a row that is at risk up to event time k; chi-square = U^2 / V. U is a sum over rows. V = B - Q, where B is a sum
// over rows of w sum_{j <= k} a_j n_j. A row of weight w increases Q = sum_j a_j w_L,j^2 by
//
//   2 w S + w^2 A(k),   A(k) = sum_{j <= k} a_j,   S = sum_{j <= k} a_j w_L,j = sum over left rows of w' A(min(k, k')),
//
// where a Fenwick tree over the event times of the node holds w' and w' A(k') (Fenwick 1994), which takes O(log D) per
// row for D event times. Sums are compensated, because V is a small difference where most rows are on one side. With
// fractional weights n_j may be below 2, so n_j / 2 replaces n_j - 1 if it is larger; this changes nothing for integer
// weights.
#pragma once

#include "criteria/moment_division.hpp"

namespace ceiba::criteria {

class LogRankDivision {
    using Moments = MomentDivision<true>;  // events and scaled time, for the values of branches

public:
    struct Left {
        Moments::Left moments;
        Sum score, linear, square;
    };

    void bind(const data::TargetRows& rows, int output, std::size_t begin) {
        moments_.bind(rows, output, begin);
        rate_ = rows.numbers[output].data() + begin;
        weight_ = rows.case_weight.data() + begin;
        rank_ = rows.event_rank.data() + begin;
    }
    void reset() {
        moments_.reset();
        included_.clear();
        counted_ = false;
    }
    void include(std::size_t i) {
        moments_.include(i);
        included_.push_back(static_cast<std::uint32_t>(i));
    }
    // The first call after all rows are included counts them.
    void clear_left() {
        if (!counted_) count();
        moments_.clear_left();
        score_ = linear_ = square_ = Sum{};
        left_at_risk_ = 0.0;
        std::fill(cells_.begin(), cells_.end(), Cell{});
    }
    void add(std::size_t i) {
        moments_.add(i);
        const std::size_t k = place_[i];
        if (k == 0) return;  // at risk at no event
        const double w = weight_[i];
        const EventTime& time = times_[k];
        score_.add(w == 1.0 ? score(i, time) : score(i, time) * DoubleDouble(w));
        linear_.add(time.linear * DoubleDouble(w));
        Sum before;  // S: left rows that leave the risk set earlier, then those at risk at k
        double n_before = 0.0;
        for (std::size_t at = k; at > 0; at &= at - 1) {
            before.add(DoubleDouble(cells_[at].sum.hi, cells_[at].sum.lo));
            n_before += cells_[at].weight;
        }
        before.add(base::two_product(time.quadratic, left_at_risk_ - n_before));
        square_.add(before.precise() * DoubleDouble(2.0 * w));
        square_.add(base::two_product(w, time.quadratic) * DoubleDouble(w));
        const DoubleDouble term = base::two_product(w, time.quadratic);
        for (std::size_t at = k; at < cells_.size(); at += at & (~at + 1)) {
            cells_[at].sum.add(term);
            cells_[at].weight += w;
        }
        left_at_risk_ += w;
    }
    Left left_part() const { return {moments_.left_part(), score_, linear_, square_}; }
    // Restores the sums only. The Fenwick tree stays where the scan is.
    void put_back(const Left& left) {
        moments_.put_back(left.moments);
        score_ = left.score, linear_ = left.linear, square_ = left.square;
    }

    double left_weight() const { return moments_.left_weight(); }
    double right_weight() const { return moments_.right_weight(); }
    double left_sum() const { return moments_.left_sum(); }
    double right_sum() const { return moments_.right_sum(); }
    double total_sum() const { return moments_.total_sum(); }
    double left_value() const { return moments_.left_value(); }
    double right_value() const { return moments_.right_value(); }
    double score() const { return score_.value(); }
    // 0 if no event distinguishes the sides; a rounding error must not hide this.
    double variance() const {
        const double v = (linear_.precise() - square_.precise()).value();
        return v > total_linear_ * 0x1p-70 ? v : 0.0;
    }

    // --- level sets: scores and variances of groups of rows

    std::size_t n_times() const { return times_.size() - 1; }
    std::size_t place(std::size_t i) const { return place_[i]; }
    double weight(std::size_t i) const { return weight_[i]; }
    double score_of(std::size_t i) const {
        return place_[i] == 0 ? 0.0 : weight_[i] * score(i, times_[place_[i]]).value();
    }
    double expected(std::size_t i) const { return weight_[i] * times_[place_[i]].hazard.value(); }
    double events(std::size_t i) const { return rate_[i] > 0.0 ? weight_[i] : 0.0; }
    // a_j and n_j
    double variance_factor(std::size_t j) const { return times_[j].quadratic - times_[j - 1].quadratic; }
    double at_risk(std::size_t j) const { return times_[j].at_risk; }

private:
    struct EventTime {
        DoubleDouble hazard{0.0}, linear{0.0};  // H(k), and sum_{j <= k} a_j n_j
        double quadratic = 0.0;                 // A(k)
        double at_risk = 0.0;                   // n_k
    };
    struct Cell {
        Sum sum;
        double weight = 0.0;
    };

    DoubleDouble score(std::size_t i, const EventTime& time) const {
        return DoubleDouble(rate_[i] > 0.0 ? 1.0 : 0.0) - time.hazard;
    }

    void count() {
        counted_ = true;
        ranks_.clear();
        std::size_t last = 0;
        for (const std::uint32_t i : included_) {
            if (rate_[i] > 0.0) ranks_.push_back(rank_[i]);
            last = std::max(last, std::size_t{i});
        }
        std::sort(ranks_.begin(), ranks_.end());
        ranks_.erase(std::unique(ranks_.begin(), ranks_.end()), ranks_.end());
        const std::size_t n = ranks_.size();
        place_.resize(last + 1);
        times_.assign(n + 1, EventTime{});
        std::vector<Sum> leaving(n + 1), dying(n + 1);
        for (const std::uint32_t i : included_) {
            const auto after = std::upper_bound(ranks_.begin(), ranks_.end(), rank_[i]);
            const auto k = static_cast<std::size_t>(after - ranks_.begin());
            place_[i] = static_cast<std::uint32_t>(k);
            leaving[k].add(weight_[i]);
            if (rate_[i] > 0.0) dying[k].add(weight_[i]);
        }
        Sum staying;
        for (std::size_t k = n; k > 0; --k) {
            staying.add(leaving[k].precise());
            times_[k].at_risk = staying.value();
        }
        Sum hazard, linear, quadratic;
        for (std::size_t k = 1; k <= n; ++k) {
            const double at_risk = times_[k].at_risk, d = dying[k].value();
            const double pairs = d * (at_risk - d) / std::max(at_risk - 1.0, 0.5 * at_risk);
            hazard.add(DoubleDouble(d) / DoubleDouble(at_risk));
            quadratic.add(pairs / (at_risk * at_risk));
            times_[k].quadratic = quadratic.value();
            // Computed from the rounded A(k), so that both parts of V are sums of the same numbers.
            linear.add((DoubleDouble(times_[k].quadratic) - DoubleDouble(times_[k - 1].quadratic)) *
                       DoubleDouble(at_risk));
            times_[k].hazard = hazard.precise();
            times_[k].linear = linear.precise();
        }
        cells_.assign(n + 1, Cell{});
        Sum total;
        for (const std::uint32_t i : included_) total.add(times_[place_[i]].linear * DoubleDouble(weight_[i]));
        total_linear_ = total.value();
    }

    Moments moments_;
    const double* rate_ = nullptr;
    const double* weight_ = nullptr;
    const std::uint32_t* rank_ = nullptr;
    std::vector<std::uint32_t> included_, ranks_, place_;  // place: the last event time at which a row is at risk
    std::vector<EventTime> times_;                         // by position; 0: before the first event
    std::vector<Cell> cells_;
    bool counted_ = true;
    double total_linear_ = 0.0, left_at_risk_ = 0.0;
    Sum score_, linear_, square_;
};

}  // namespace ceiba::criteria
