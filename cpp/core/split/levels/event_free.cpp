#include "split/levels/event_free.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace ceiba::split {

namespace {

using Part = EventPart;

// Sums are rounded once: they do not depend on the order of rows.
Part part_of(const NodeRows& node, std::span<const std::uint32_t> rows) {
    const data::TargetRows& target = node.store->target;
    base::LongSum weight, events;
    for (const std::uint32_t row : rows) {
        const double w = target.weight_of(node.begin + row);
        weight.add(w);
        events.add(base::two_product(w, target.numbers[0][node.begin + row]));
    }
    return {weight.value(), events.value(), rows.size()};
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
    for (std::size_t l = 0; l < level.size(); ++l) {
        const std::size_t begin = levels.start[l], end = levels.start[l + 1];
        level[l] = part_of(node, std::span(levels.rows).subspan(begin, end - begin));
    }
    return orders_past_event_free(level, part_of(node, {levels.missing.data(), n_aside}), limits, by_rate);
}

std::vector<std::vector<std::uint32_t>> orders_past_event_free(const std::vector<EventPart>& level,
                                                               const EventPart& aside, const Limits& limits,
                                                               const std::vector<std::uint32_t>& by_rate) {
    Part all, event_free;
    for (const Part& own : level) {
        all = all + own;
        if (!(own.events > 0.0)) event_free = event_free + own;
    }
    std::vector<std::vector<std::uint32_t>> orders;
    if (event_free.n_rows == 0 && (aside.n_rows == 0 || aside.events > 0.0)) return orders;
    const auto first = std::find_if(by_rate.begin(), by_rate.end(), [&](auto l) { return level[l].events > 0.0; });
    for (const bool aside_left : {false, true}) {
        if (aside_left && aside.n_rows == 0) continue;
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
