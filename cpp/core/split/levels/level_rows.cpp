#include "split/levels/level_rows.hpp"

#include <algorithm>
#include <numeric>

namespace ceiba::split {

void group_by_level(const NodeRows& node, std::size_t column, LevelRows& out) {
    const std::int32_t* codes = node.codes(column);
    const data::TargetRows& target = node.store->target;
    const std::size_t n = node.size();
    const auto takes_part = [&](std::size_t i) {
        return !node.store->zero_weights || target.weight_of(node.begin + i) > 0.0;
    };
    out.code.clear();
    out.missing.clear();
    std::int32_t largest = -1;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, codes[i]);
    std::vector<std::uint32_t> count(static_cast<std::size_t>(largest + 1), 0);
    for (std::size_t i = 0; i < n; ++i) {
        if (!takes_part(i)) continue;
        if (codes[i] < 0)
            out.missing.push_back(static_cast<std::uint32_t>(i));
        else
            ++count[static_cast<std::size_t>(codes[i])];
    }
    out.start.assign(1, 0);
    for (std::size_t k = 0; k < count.size(); ++k) {
        if (count[k] == 0) continue;
        out.code.push_back(static_cast<std::int32_t>(k));
        const std::uint32_t begin = out.start.back();
        out.start.push_back(begin + count[k]);
        count[k] = begin;
    }
    out.rows.resize(out.start.back());
    for (std::size_t i = 0; i < n; ++i)
        if (codes[i] >= 0 && takes_part(i))
            out.rows[count[static_cast<std::size_t>(codes[i])]++] = static_cast<std::uint32_t>(i);
}

namespace {

std::vector<std::uint32_t> sorted(const std::vector<double>& mean, bool falling) {
    std::vector<std::uint32_t> order(mean.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return falling ? mean[b] < mean[a] : mean[a] < mean[b]; });
    return order;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> level_orders(const NodeRows& node, const LevelRows& levels,
                                                     const std::vector<double>& class_scale, bool falling) {
    const data::TargetRows& target = node.store->target;
    std::vector<std::vector<std::uint32_t>> orders;
    std::vector<double> mean(levels.n_levels());
    for (int o = 0; o < target.n_outputs(); ++o) {
        const int n_classes = target.classification() ? target.n_classes[static_cast<std::size_t>(o)] : 0;
        const int n_orders = n_classes > 2 ? n_classes : 1;
        for (int k = 0; k < n_orders; ++k) {
            for (std::size_t l = 0; l < levels.n_levels(); ++l) {
                base::Sum weight, sum;
                for (std::uint32_t r = levels.start[l]; r < levels.start[l + 1]; ++r) {
                    const std::size_t i = node.begin + levels.rows[r];
                    double w = target.weight_of(i);
                    if (n_classes) {
                        const std::uint16_t label = target.labels[static_cast<std::size_t>(o)][i];
                        // With two classes the scale changes no order; without it equal shares are equal to the last
                        // bit.
                        if (!class_scale.empty() && n_classes > 2) w *= class_scale[label];
                        if (label == k) sum.add(w);
                    } else {
                        sum.add(base::two_product(w, target.numbers[static_cast<std::size_t>(o)][i]));
                    }
                    weight.add(w);
                }
                mean[l] = sum.value() / weight.value();
            }
            orders.push_back(sorted(mean, falling));
        }
    }
    return orders;
}

void entries_in_order(const LevelRows& levels, const std::vector<std::uint32_t>& order, std::vector<Entry>& out) {
    out.clear();
    out.reserve(levels.n_rows() + levels.missing.size());
    for (std::size_t p = 0; p < order.size(); ++p)
        for (std::uint32_t r = levels.start[order[p]]; r < levels.start[order[p] + 1]; ++r)
            out.push_back({static_cast<std::uint32_t>(p), levels.rows[r]});
    for (const std::uint32_t row : levels.missing) out.push_back({static_cast<std::uint32_t>(order.size()), row});
}

}  // namespace ceiba::split
