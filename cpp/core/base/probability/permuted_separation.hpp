// Permutation test of a column: how well its divisions separate the target, observed and with permuted rows.
//
// Each row is a vector of `width` numbers, and the sum over all rows is 0. Rows without a value come first, the others
// are sorted by the column. The separation of a division with s of n rows on the left is n / (s (n - s)) times the
// squared length of the sum of these rows. The separation of several groups is the sum of squared length / size over
// the groups. Each draw has its own random generator, so a draw does not depend on how many are requested at once.
#pragma once

#include "base/random.hpp"

namespace ceiba::base {

class PermutedSeparation {
public:
    // `ends`: the number of rows with a value before each border between groups, ascending.
    PermutedSeparation(std::span<const double> values, std::size_t width, std::span<const std::int64_t> ends,
                       std::size_t n_missing, bool between_groups)
        : values_(values),
          width_(width),
          rows_(values.size() / width),
          ends_(ends),
          missing_(n_missing),
          between_(between_groups),
          order_(rows_),
          sum_(width),
          absent_(width),
          before_(width) {}

    // The separation of the rows in their given order: between all groups, or by the best division.
    double observed() {
        std::iota(order_.begin(), order_.end(), 0u);
        return separation();
    }

    void draw(std::uint64_t seed, std::uint64_t first, std::span<double> result) {
        const std::size_t used = missing_ + (ends_.empty() ? 0 : static_cast<std::size_t>(ends_.back()));
        for (std::size_t i = 0; i < result.size(); ++i) {
            Random random(branch_seed(seed, first + i));
            std::iota(order_.begin(), order_.end(), 0u);
            for (std::size_t row = 0; row < used; ++row)
                std::swap(order_[row], order_[row + below(random, rows_ - row)]);
            result[i] = separation();
        }
    }

private:
    double separation() { return width_ == 1 ? separation_of<1>() : separation_of<0>(); }

    // Width 0: the width is known at run time only.
    template <std::size_t Width>
    double separation_of() {
        const std::size_t width = Width > 0 ? Width : width_;
        std::fill(sum_.begin(), sum_.end(), 0.0);
        std::size_t row = 0;
        const auto add_rows = [&](std::size_t end) {
            for (; row < end; ++row)
                for (std::size_t k = 0; k < width; ++k) sum_[k] += values_[order_[row] * width + k];
        };
        const auto squared = [&](auto term) {
            double square = 0.0;
            for (std::size_t k = 0; k < width; ++k) square += term(k) * term(k);
            return square;
        };
        add_rows(missing_);
        absent_ = before_ = sum_;
        double result = missing_ > 0 ? squared([&](std::size_t k) { return sum_[k]; }) * scale(missing_) : 0.0;
        std::size_t previous = 0;
        for (const std::int64_t place : ends_) {
            const auto end = static_cast<std::size_t>(place);
            add_rows(missing_ + end);
            if (between_) {
                result +=
                    squared([&](std::size_t k) { return sum_[k] - before_[k]; }) / static_cast<double>(end - previous);
                before_ = sum_;
                previous = end;
                continue;
            }
            result = std::max(result, squared([&](std::size_t k) { return sum_[k] - absent_[k]; }) * scale(end));
            if (missing_ > 0)
                result = std::max(result, squared([&](std::size_t k) { return sum_[k]; }) * scale(missing_ + end));
        }
        if (between_)  // the sum over all rows is 0, so the last group has minus the sum of the others
            result += squared([&](std::size_t k) { return sum_[k]; }) / static_cast<double>(rows_ - previous);
        return result;
    }

    double scale(std::size_t size) const {
        const double n = static_cast<double>(rows_), s = static_cast<double>(size);
        return n / (s * (n - s));
    }

    // Returns a number less than bound (at most 2^32), with a bias below bound / 2^32.
    static std::size_t below(Random& random, std::size_t bound) {
        return static_cast<std::size_t>(((random.next() >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
    }

    std::span<const double> values_;
    std::size_t width_, rows_;
    std::span<const std::int64_t> ends_;
    std::size_t missing_;
    bool between_;
    std::vector<std::uint32_t> order_;
    std::vector<double> sum_, absent_, before_;
};

}  // namespace ceiba::base
