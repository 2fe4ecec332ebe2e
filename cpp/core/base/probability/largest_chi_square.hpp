// Log-probabilities of the largest chi-square over all cuts of a column, for two classes.
//
// Sort the rows by the column, with the classes in random order. The number of ones among the first s rows is then a
// random walk from 0 to n1. The chi-square of a cut after s rows with j ones is
//     n / (s (n - s)) (j - s p)^2 / (p (1 - p)),    p = n1 / n,
// so all cuts stay below a limit while the walk stays inside a corridor around s p. Walks are counted by the point at
// which they first leave the corridor (Koziol 1991; Boulesteix 2006). The probability of leaving at s with j ones is
// the hypergeometric probability of j, times the probability r(j) that a walk that reaches this point has stayed inside
// before. Given j, the last of the s rows is a one with probability j / s, so
//     r(j) <- j / s r(j - 1) + (1 - j / s) r(j).
// The values r(j) are not small, so only the final tail needs logarithms, which go far below the smallest double. Away
// from the edges of the corridor r is 1, and only cells near the edges are updated. The m rows without a value go to
// the left or to the right of each cut, or form a branch. Given the number K of ones among the rows with a value, a
// walk from 0 to K then has one corridor for j and one for j + n1 - K.
#pragma once

#include "base/standard.hpp"

namespace ceiba::base {

// A sum of numbers that are given as logarithms.
class LogSum {
public:
    void add(double log_term) {
        if (log_term <= largest_) {
            if (largest_ > lowest) sum_ += std::exp(log_term - largest_);
        } else {
            sum_ = sum_ * std::exp(largest_ - log_term) + 1.0;
            largest_ = log_term;
        }
    }
    double log() const { return sum_ > 0.0 ? largest_ + std::log(sum_) : lowest; }

private:
    static constexpr double lowest = -std::numeric_limits<double>::infinity();
    double largest_ = lowest, sum_ = 0.0;
};

class LargestChiSquare {
public:
    // `ends`: the number of rows below each possible cut, ascending, each less than n_rows - n_missing.
    LargestChiSquare(double limit, std::int64_t n_ones, std::int64_t n_rows, std::span<const std::int64_t> ends,
                     std::int64_t n_missing)
        : ones_(n_ones), rows_(n_rows), missing_(n_missing), ends_(ends) {
        const double p = static_cast<double>(n_ones) / static_cast<double>(n_rows);
        share_ = p;
        scale_ = limit * p * (1.0 - p) / static_cast<double>(n_rows);
        log_factorial_.resize(static_cast<std::size_t>(n_rows) + 1);
        for (std::size_t i = 0; i < log_factorial_.size(); ++i)
            log_factorial_[i] = std::lgamma(static_cast<double>(i) + 1.0);
    }

    // log P(largest >= limit), or NaN if it would take more than `most_steps` additions.
    double log_tail(double most_steps) {
        steps_left_ = most_steps;
        LogSum sum;
        if (missing_ == 0) {
            add_walks(sum, 0.0, ones_);
        } else {
            const std::int64_t present = rows_ - missing_;
            std::vector<std::int64_t> inside;
            for (std::int64_t k = std::max<std::int64_t>(0, ones_ - missing_); k <= std::min(ones_, present); ++k) {
                if (corridor(present).holds(k))
                    inside.push_back(k);
                else
                    sum.add(log_chance(rows_, ones_, present, k));
            }
            // In descending order of probability, so that the loop can stop as soon as the remaining ones are
            // negligible.
            std::sort(inside.begin(), inside.end(), [&](std::int64_t a, std::int64_t b) {
                return log_chance(rows_, ones_, present, a) > log_chance(rows_, ones_, present, b);
            });
            for (const std::int64_t k : inside) {
                const double weight = log_chance(rows_, ones_, present, k);
                if (weight < sum.log() - 40.0) break;
                add_walks(sum, weight, k);
                if (steps_left_ < 0.0) break;
            }
        }
        return steps_left_ < 0.0 ? std::numeric_limits<double>::quiet_NaN() : std::min(sum.log(), 0.0);
    }

    // log of the sum of factor x P(chi-square of a division >= limit). `sizes`: the number of rows on one side.
    double log_weighted_sum(std::span<const std::int64_t> sizes, std::span<const double> factors) const {
        LogSum sum;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            if (!(factors[i] > 0.0)) continue;
            const std::int64_t s = sizes[i];
            const Corridor range = corridor(s);
            const std::int64_t fewest = std::max<std::int64_t>(0, s - (rows_ - ones_)), most = std::min(s, ones_);
            const double log_factor = std::log(factors[i]);
            if (range.high < most) add_tail(sum, log_factor, s, std::max(range.high + 1, fewest), most, 1);
            if (range.low > fewest) add_tail(sum, log_factor, s, std::min(range.low - 1, most), fewest, -1);
        }
        return sum.log();
    }

private:
    struct Corridor {
        std::int64_t low, high;
        bool holds(std::int64_t j) const { return low <= j && j <= high; }
    };

    // The corridor: numbers of ones among s rows whose chi-square is below the limit.
    Corridor corridor(std::int64_t s) const {
        const double size = static_cast<double>(s), middle = size * share_;
        const double width = std::sqrt(scale_ * size * (static_cast<double>(rows_) - size));
        return {static_cast<std::int64_t>(std::floor(middle - width)) + 1,
                static_cast<std::int64_t>(std::ceil(middle + width)) - 1};
    }

    Corridor inside(std::int64_t end, std::int64_t ones_present) const {
        Corridor here = corridor(end);
        if (missing_ == 0) return here;
        const Corridor with = corridor(end + missing_);
        const std::int64_t elsewhere = ones_ - ones_present;
        return {std::max(here.low, with.low - elsewhere), std::min(here.high, with.high - elsewhere)};
    }

    double log_choose(std::int64_t n, std::int64_t k) const {
        if (k < 0 || k > n) return -std::numeric_limits<double>::infinity();
        return log_factorial_[n] - log_factorial_[k] - log_factorial_[n - k];
    }

    // log of the hypergeometric probability that s of n rows contain j of the `ones`.
    double log_chance(std::int64_t n, std::int64_t ones, std::int64_t s, std::int64_t j) const {
        return log_choose(ones, j) + log_choose(n - ones, s - j) - log_choose(n, s);
    }

    // Adds the probabilities of j, j + step, ..., `last` ones among s rows. The terms decrease ever faster.
    void add_tail(LogSum& sum, double log_factor, std::int64_t s, std::int64_t j, std::int64_t last, int step) const {
        double term = 1.0, total = 1.0;
        const double first = log_factor + log_chance(rows_, ones_, s, j);
        const std::int64_t zeros = rows_ - ones_;
        for (; j != last && term > 1e-17 * total; j += step) {
            const std::int64_t upper = step > 0 ? j : j - 1;  // recurrence from `upper` to `upper` + 1 ones, or back
            const double up = static_cast<double>(ones_ - upper) * static_cast<double>(s - upper);
            const double down = static_cast<double>(upper + 1) * static_cast<double>(zeros - s + upper + 1);
            total += term *= step > 0 ? up / down : down / up;
        }
        sum.add(first + std::log(total));
    }

    // Adds the walks that leave the corridor at a cut, for `ones` ones among the rows with a value.
    void add_walks(LogSum& sum, double log_weight, std::int64_t ones) {
        kept_.assign(static_cast<std::size_t>(ones) + 2, 0.0);
        kept_[0] = 1.0;
        const std::int64_t present = rows_ - missing_;
        // Invariant: kept_ contains r for low .. high. r is 0 outside of them and 1 from `sure_low` to `sure_high`.
        std::int64_t low = 0, high = 0, sure_low = 0, sure_high = 0, drawn = 0;
        const auto leave = [&](std::int64_t j) {
            if (kept_[j] > 0.0) sum.add(log_weight + log_chance(present, ones, drawn, j) + std::log(kept_[j]));
            kept_[j] = 0.0;
        };
        for (const std::int64_t end : ends_) {
            while (drawn < end) {
                ++drawn;
                const double scale = 1.0 / static_cast<double>(drawn);
                const auto update = [&](std::int64_t from, std::int64_t to) {
                    for (std::int64_t j = from; j >= to; --j) {
                        const double share = static_cast<double>(j) * scale;
                        kept_[j] = j > 0 ? share * kept_[j - 1] + (1.0 - share) * kept_[j] : kept_[j];
                    }
                    steps_left_ -= static_cast<double>(std::max<std::int64_t>(from - to, 0) + 1);
                };
                high = std::min(high + 1, ones);
                if (sure_low > sure_high) {
                    update(high, low);
                } else {
                    update(high, sure_high + 1);
                    update(sure_low, low);
                    sure_low += kept_[sure_low] < certain;
                }
                while (sure_low <= sure_high + 1 && sure_low > low && kept_[sure_low - 1] >= certain)
                    kept_[--sure_low] = 1.0;
                while (sure_high >= sure_low - 1 && sure_high < high && kept_[sure_high + 1] >= certain)
                    kept_[++sure_high] = 1.0;
                if (steps_left_ < 0.0) return;
            }
            const Corridor in = inside(end, ones);
            for (; low <= high && low < in.low; ++low) leave(low);
            for (; high >= low && high > in.high; --high) leave(high);
            if (low > high) break;
            sure_low = std::max(sure_low, low);
            sure_high = std::min(sure_high, high);
        }
    }

    static constexpr double certain = 1.0 - 1e-15;
    std::int64_t ones_, rows_, missing_;
    std::span<const std::int64_t> ends_;
    double share_, scale_, steps_left_ = 0.0;
    std::vector<double> kept_, log_factorial_;
};

}  // namespace ceiba::base
