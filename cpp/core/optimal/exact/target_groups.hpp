// A lower bound of the squared error of trees with at most k leaves: the least squared error of the target in k groups,
// ignoring the columns (1-D k-means; as a bound of trees: Zhang, Xin, Seltzer and Rudin 2023, OSRT).
//
// The best groups are runs of the sorted target. With SSE(i, j) the squared error of the run [i, j),
//
//   best_k(j) = min over i of best_{k-1}(i) + SSE(i, j),
//
// The minimising i never decreases with j, so divide and conquer fills each row of the table in O(n log n).
#pragma once

#include "optimal/columns/ranked.hpp"

namespace ceiba::optimal {

class TargetGroups {
public:
    // More groups than this are not worth the time.
    static constexpr std::size_t most_groups = 16;

    // The minimum of loss(k) + k x penalty over 2 <= k <= groups. Returns 0 after one pass if the minimum is certainly
    // below `enough`: groups of equal width have at least the squared error of the best groups.
    double bound(const RowData& data, std::size_t groups, double penalty, double enough) {
        if (groups > most_groups || data.size() < 2) return 0.0;
        if (equal_width(data, groups) + static_cast<double>(groups) * penalty < enough) return 0.0;
        const std::vector<double> loss = losses(data, groups);
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t k = 2; k <= groups; ++k)
            least = std::min(least, loss[k - 1] + static_cast<double>(k) * penalty);
        return least;
    }

    // The least squared error with 1, 2, ..., `groups` groups.
    std::vector<double> losses(const RowData& data, std::size_t groups) {
        sum_up(data);
        const std::size_t n = data.size();
        best_.assign(n + 1, 0.0);
        for (std::size_t j = 1; j <= n; ++j) best_[j] = squared_error(0, j);
        std::vector<double> out{best_[n]};
        next_.assign(n + 1, 0.0);
        while (out.size() < groups) {
            fill(1, n, 0, n);
            best_.swap(next_);
            out.push_back(best_[n]);
        }
        return out;
    }

private:
    struct Sums {
        double weight = 0.0, sum = 0.0, squares = 0.0;
        void add(double w, double y) { weight += w, sum += w * y, squares += w * y * y; }
        double squared_error() const { return weight > 0.0 ? std::max(0.0, squares - sum * sum / weight) : 0.0; }
    };

    double equal_width(const RowData& data, std::size_t groups) {
        const auto [low, high] = std::minmax_element(data.number.begin(), data.number.end());
        const double width = (*high - *low) / static_cast<double>(groups);
        if (!(width > 0.0)) return 0.0;
        std::vector<Sums> group(groups);
        for (std::size_t i = 0; i < data.size(); ++i) {
            const auto g = static_cast<std::size_t>((data.number[i] - *low) / width);
            group[std::min(g, groups - 1)].add(data.weight_of(i), data.number[i]);
        }
        double loss = 0.0;
        for (const Sums& sums : group) loss += sums.squared_error();
        return loss;
    }

    void sum_up(const RowData& data) {
        sorted_.clear();
        for (std::size_t i = 0; i < data.size(); ++i) sorted_.emplace_back(data.number[i], data.weight_of(i));
        std::sort(sorted_.begin(), sorted_.end());
        before_.assign(1, {});
        for (const auto& [y, w] : sorted_) {
            before_.push_back(before_.back());
            before_.back().add(w, y);
        }
    }

    double squared_error(std::size_t from, std::size_t to) const {
        const Sums &a = before_[from], &b = before_[to];
        return Sums{b.weight - a.weight, b.sum - a.sum, b.squares - a.squares}.squared_error();
    }

    // Fills next_[low .. high], whose last groups begin in [first, last].
    void fill(std::size_t low, std::size_t high, std::size_t first, std::size_t last) {
        const std::size_t j = low + (high - low) / 2;
        double least = std::numeric_limits<double>::infinity();
        std::size_t begin = first;
        for (std::size_t i = first; i <= std::min(last, j); ++i) {
            const double loss = best_[i] + squared_error(i, j);
            if (loss < least) least = loss, begin = i;
        }
        next_[j] = least;
        if (low < j) fill(low, j - 1, first, begin);
        if (j < high) fill(j + 1, high, begin, last);
    }

    std::vector<std::pair<double, double>> sorted_;  // target, weight
    std::vector<Sums> before_;
    std::vector<double> best_, next_;
};

}  // namespace ceiba::optimal
