// Poisson level sets where some levels have no events.
//
// The best division with rates r_L < r_R has on its left the levels whose rate is below the logarithmic mean of r_L and
// r_R (the gain is convex in the left's weight and sum, so the best set lies on the side of the tangent where it
// grows). A side without events is not allowed, though: if only event-free levels lie below, the left must take one
// level more, and that need not be the one of the lowest rate. So besides the cuts of the order by rate (Breiman et al.
// 1984, theorem 4.5) the best set can only be all event-free levels and one other.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "split/candidate.hpp"
#include "split/levels/level_rows.hpp"

namespace ceiba::split {

// Weight, events and rows of a level, or of the missing values.
struct EventPart {
    double weight = 0.0, events = 0.0;
    std::size_t n_rows = 0;

    EventPart operator+(const EventPart& other) const {
        return {weight + other.weight, events + other.events, n_rows + other.n_rows};
    }
    EventPart operator-(const EventPart& other) const {
        return {weight - other.weight, events - other.events, n_rows - other.n_rows};
    }
    bool allowed(const Limits& limits) const {
        return events > 0.0 && n_rows >= limits.min_rows && weight >= limits.min_weight;
    }
    // What the side adds to the gain, apart from a constant.
    double value() const { return events * std::log(events / weight); }
};

// Orders in which the best such set is a cut: one, or one for each side of the missing values (`n_aside` of them take
// part, and can be event-free themselves); none if everything has events. `by_rate`: the levels by ascending rate.
std::vector<std::vector<std::uint32_t>> orders_past_event_free(const std::vector<EventPart>& level,
                                                               const EventPart& aside, const Limits& limits,
                                                               const std::vector<std::uint32_t>& by_rate);
std::vector<std::vector<std::uint32_t>> orders_past_event_free(const NodeRows& node, const LevelRows& levels,
                                                               std::size_t n_aside, const Limits& limits,
                                                               const std::vector<std::uint32_t>& by_rate);

}  // namespace ceiba::split
