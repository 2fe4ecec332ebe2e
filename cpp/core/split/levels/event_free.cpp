#include "split/levels/event_free.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace ceiba::split {

namespace {

struct Part {
    double weight = 0.0, events = 0.0;
    std::size_t n_rows = 0;

    Part operator+(const Part& other) const {
        return {weight + other.weight, events + other.events, n_rows + other.n_rows};
    }
    Part operator-(const Part& other) const {
        return {weight - other.weight, events - other.events, n_rows - other.n_rows};
    }
    bool allowed(const Limits& limits) const {
        return events > 0.0 && n_rows >= limits.min_rows && weight >= limits.min_weight;
    }
    // What the side adds to the gain, apart from a constant.
    double value() const { return events * std::log(events / weight); }
};

Part part_of(const NodeRows& node, std::span<const std::uint32_t> rows) {
    const data::TargetRows& target = node.store->target;
    Part out;
    for (const std::uint32_t row : rows) {
        const double w = target.weight_of(node.begin + row);
        out = out + Part{w, w * target.numbers[0][node.begin + row], 1};
    }
    return out;
}

// The level that makes the best set together with those on the left; -1 if no set is allowed.
std::ptrdiff_t best_addition(const Part& left, const Part& all, const std::vector<Part>& level, const Limits& limits) {
    std::ptrdiff_t best = -1;
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t l = 0; l < level.size(); ++l) {
        const Part with = left + level[l], without = all - with;
        if (!(level[l].events > 0.0) || !with.allowed(limits) || !without.allowed(limits)) continue;
        const double value = with.value() + without.value();
        if (value > most) best = static_cast<std::ptrdiff_t>(l), most = value;
    }
    return best;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> orders_past_event_free(const NodeRows& node, const LevelRows& levels,
                                                               std::size_t n_aside, const Limits& limits,
                                                               const std::vector<std::uint32_t>& by_rate) {
    std::vector<Part> level(levels.n_levels());
    Part all, event_free, aside = part_of(node, {levels.missing.data(), n_aside});
    for (std::size_t l = 0; l < level.size(); ++l) {
        const std::size_t begin = levels.start[l], end = levels.start[l + 1];
        level[l] = part_of(node, std::span(levels.rows).subspan(begin, end - begin));
        all = all + level[l];
        if (!(level[l].events > 0.0)) event_free = event_free + level[l];
    }
    std::vector<std::vector<std::uint32_t>> orders;
    if (event_free.n_rows == 0 && (n_aside == 0 || aside.events > 0.0)) return orders;
    const auto first = std::find_if(by_rate.begin(), by_rate.end(), [&](auto l) { return level[l].events > 0.0; });
    for (const bool aside_left : {false, true}) {
        if (aside_left && n_aside == 0) continue;
        const std::ptrdiff_t best =
            best_addition(aside_left ? event_free + aside : event_free, all + aside, level, limits);
        if (best < 0 || first == by_rate.end() || *first == static_cast<std::uint32_t>(best)) continue;
        auto& order = orders.emplace_back(by_rate);
        const auto from = order.begin() + (first - by_rate.begin());
        const auto at = std::find(from, order.end(), static_cast<std::uint32_t>(best));
        std::rotate(from, at, at + 1);
    }
    return orders;
}

}  // namespace ceiba::split
