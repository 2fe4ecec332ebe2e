// Is a division allowed beyond doubt, by sums that may be rounded?
#pragma once

#include <algorithm>
#include <cmath>

#include "split/candidate.hpp"

namespace ceiba::split {

struct WeightAndSum {
    double weight, sum;  // sum: of class 1, or of the target minus `centre`
};

// How far both may be off, and where sums are counted from.
struct Doubt {
    double weight = 0.0, sum = 0.0, centre = 0.0;
};

inline bool surely_allowed(const WeightAndSum& left, const WeightAndSum& total, const Doubt& doubt,
                           const Limits& limits) {
    const double wl = left.weight, wr = total.weight - wl, off = doubt.weight + total.weight * 0x1p-40;
    if (!(wl > off && wr > off) || wl - off < limits.min_weight || wr - off < limits.min_weight) return false;
    if (limits.monotone == 0) return true;
    const double a = left.sum / wl, b = (total.sum - left.sum) / wr, size = std::fabs(a) + std::fabs(b);
    const double error = (doubt.sum + (size + 1.0) * off) / (std::min(wl, wr) - off) + size * 0x1p-40;
    const double low = limits.low - doubt.centre, high = limits.high - doubt.centre;
    return (b - a) * limits.monotone > 2.0 * error && std::min(a, b) > low + error && std::max(a, b) < high - error;
}

}  // namespace ceiba::split
