// What a leaf of a fixed tree charges each row: its answer is that of the rows it has now.
//
//   Errors, Costs   the answer j of least cost; C[class(i), j]
//   Gini            shares p;  w |e_class(i) - p|^2          Entropy   - w log2 p_class(i)
//   Squared         mean;      w (y - mean)^2                Absolute  median;  w |y - median|
//
// Summed over the leaf's own rows this is the loss of losses.hpp; other rows may be sent to it at these charges.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "optimal/losses.hpp"

namespace ceiba::optimal {

template <class Loss>
class LeafAnswer {
public:
    static constexpr bool numbers = std::is_same_v<Loss, Squared> || std::is_same_v<Loss, Absolute>;

    LeafAnswer(const LossRule& rule, const RowData& data, const std::vector<std::uint32_t>& rows) {
        if constexpr (std::is_same_v<Loss, Absolute>)
            number_ = median(data, rows);
        else if constexpr (numbers)
            number_ = mean(data, rows);
        else
            by_class_ = charges(rule, data, rows);
    }

    double charge(const RowData& data, std::size_t i) const {
        const double w = data.weight_of(i);
        if constexpr (numbers) {
            const double off = data.number[i] - number_;
            return w * (std::is_same_v<Loss, Absolute> ? std::abs(off) : off * off);
        } else {
            return (std::is_same_v<Loss, Errors> ? 1.0 : w) * by_class_[data.label[i]];
        }
    }

private:
    static double mean(const RowData& data, const std::vector<std::uint32_t>& rows) {
        double sum = 0.0, weight = 0.0;
        for (std::uint32_t i : rows) sum += data.weight_of(i) * data.number[i], weight += data.weight_of(i);
        return weight > 0.0 ? sum / weight : 0.0;
    }

    static double median(const RowData& data, std::vector<std::uint32_t> rows) {
        std::sort(rows.begin(), rows.end(), [&](auto a, auto b) { return data.number[a] < data.number[b]; });
        double half = 0.0, below = 0.0;
        for (std::uint32_t i : rows) half += 0.5 * data.weight_of(i);
        for (std::uint32_t i : rows)
            if ((below += data.weight_of(i)) >= half) return data.number[i];
        return 0.0;
    }

    static std::vector<double> charges(const LossRule& rule, const RowData& data,
                                       const std::vector<std::uint32_t>& rows) {
        const std::size_t n_classes = rule.n_classes;
        std::vector<double> share(n_classes, 0.0), out(n_classes, 0.0);
        double total = 0.0;
        for (std::uint32_t i : rows) {
            const double w = std::is_same_v<Loss, Errors> ? 1.0 : data.weight_of(i);
            share[data.label[i]] += w, total += w;
        }
        for (double& p : share) p /= total > 0.0 ? total : 1.0;
        if constexpr (std::is_same_v<Loss, Gini>) {
            double squares = 0.0;
            for (double p : share) squares += p * p;
            for (std::size_t k = 0; k < n_classes; ++k) out[k] = 1.0 - 2.0 * share[k] + squares;
        } else if constexpr (std::is_same_v<Loss, Entropy>) {  // a class the leaf does not have: dear, but finite
            for (std::size_t k = 0; k < n_classes; ++k) out[k] = -std::log2(std::max(share[k], 1e-12));
        } else {
            const auto cost = [&](std::size_t k, std::size_t j) {
                return rule.cost.empty() ? static_cast<double>(k != j) : rule.cost[k * n_classes + j];
            };
            std::pair<double, std::size_t> best{std::numeric_limits<double>::infinity(), 0};
            for (std::size_t j = 0; j < n_classes; ++j) {
                double sum = 0.0;
                for (std::size_t k = 0; k < n_classes; ++k) sum += share[k] * cost(k, j);
                best = std::min(best, {sum, j});
            }
            for (std::size_t k = 0; k < n_classes; ++k) out[k] = cost(k, best.second);
        }
        return out;
    }

    double number_ = 0.0;
    std::vector<double> by_class_;
};

}  // namespace ceiba::optimal
