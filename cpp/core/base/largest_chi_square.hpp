// The exact distribution of the largest chi-square over all divisions of a column, for two classes.
//
// Put the rows in the order of the column, in a random order of the classes: the number of ones among the first s rows
// walks from 0 to n1. The chi-square of a cut after s rows with j ones is
//     n / (s (n - s)) (j - s p)^2 / (p (1 - p)),    p = n1 / n,
// so all cuts stay below a limit while the walk stays inside a corridor about s p. The chance to leave it is found by
// carrying the distribution of j forward, s by s; what leaves at a cut is added up (Koziol 1991; Boulesteix 2006).
// Rows without a value, m of them, go to the left or right of each cut or stand apart: given the number K of ones among
// the others, a walk from 0 to K has a corridor for j and one for j + n1 - K.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace ceiba::base {

class LargestChiSquare {
public:
    // `ends` are the numbers of rows below each possible cut, ascending, each below n_rows - n_missing.
    LargestChiSquare(double limit, std::int64_t n_ones, std::int64_t n_rows, std::span<const std::int64_t> ends,
                     std::int64_t n_missing)
        : ones_(n_ones), rows_(n_rows), missing_(n_missing), ends_(ends) {
        const double p = static_cast<double>(n_ones) / static_cast<double>(n_rows);
        share_ = p;
        scale_ = limit * p * (1.0 - p) / static_cast<double>(n_rows);
    }

    // P(largest >= limit); NaN where that would take more than `most_steps` additions.
    double tail(double most_steps) {
        steps_left_ = most_steps;
        const std::int64_t present = rows_ - missing_;
        if (missing_ == 0) return leaves(ones_);
        double sum = 0.0;
        for (std::int64_t k = std::max<std::int64_t>(0, ones_ - missing_); k <= std::min(ones_, present); ++k) {
            const double weight =
                std::exp(log_choose(present, k) + log_choose(missing_, ones_ - k) - log_choose(rows_, ones_));
            const bool negligible = weight < 1e-20;
            sum += weight * (negligible || !corridor(present).holds(k) ? 1.0 : leaves(k));
        }
        return std::min(sum, 1.0);
    }

private:
    struct Corridor {
        std::int64_t low, high;
        bool holds(std::int64_t j) const { return low <= j && j <= high; }
    };

    // Numbers of ones among s rows on one side whose chi-square is below the limit.
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

    // The chance that a walk with `ones` ones among the rows that have a value leaves the corridor at a cut.
    double leaves(std::int64_t ones) {
        chance_.assign(static_cast<std::size_t>(ones) + 1, 0.0);
        chance_[0] = 1.0;
        std::int64_t low = 0, high = 0, drawn = 0;
        double left = 0.0;
        for (const std::int64_t end : ends_) {
            for (; drawn < end; ++drawn) {
                steps_left_ -= static_cast<double>(high - low + 2);
                if (steps_left_ < 0.0) return std::numeric_limits<double>::quiet_NaN();
                high = std::min(high + 1, ones);
                step(low, high, ones, rows_ - missing_ - drawn);
            }
            const Corridor kept = inside(end, ones);
            for (; low <= high && low < kept.low; ++low) leave(left, low);
            for (; high >= low && high > kept.high; --high) leave(left, high);
            if (low > high) break;
        }
        return left;
    }

    // One more row: a one with the share of ones among the rows that remain.
    void step(std::int64_t low, std::int64_t high, std::int64_t ones, std::int64_t remain) {
        const double scale = 1.0 / static_cast<double>(remain);
        for (std::int64_t j = high; j > low; --j) {
            const double stay = static_cast<double>(std::max<std::int64_t>(remain - ones + j, 0));
            chance_[j] = (chance_[j] * stay + chance_[j - 1] * static_cast<double>(ones - j + 1)) * scale;
        }
        chance_[low] *= static_cast<double>(std::max<std::int64_t>(remain - ones + low, 0)) * scale;
    }

    void leave(double& left, std::int64_t j) {
        left += chance_[j];
        chance_[j] = 0.0;
    }

    static double log_choose(std::int64_t n, std::int64_t k) {
        const auto log_factorial = [](std::int64_t x) { return std::lgamma(static_cast<double>(x) + 1.0); };
        return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
    }

    std::int64_t ones_, rows_, missing_;
    std::span<const std::int64_t> ends_;
    double share_, scale_, steps_left_ = 0.0;
    std::vector<double> chance_;
};

}  // namespace ceiba::base
