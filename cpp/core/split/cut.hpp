// Where a cut between two neighbouring values lies.
#pragma once

#include <cmath>

namespace ceiba::split {

// A number between two neighbours such that lower <= cut < upper: the midpoint where doubles allow it, or with
// `below` the number just below the midpoint.
inline double cut_between(double lower, double upper, bool below) {
    double middle = 0.5 * (lower + upper);
    if (!std::isfinite(middle)) middle = 0.5 * lower + 0.5 * upper;
    if (below) middle = std::nextafter(middle, lower);
    return middle >= lower && middle < upper ? middle : lower;
}

}  // namespace ceiba::split
