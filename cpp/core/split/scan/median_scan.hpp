// The scan for absolute errors (found before the one of cut_scan.hpp, being more specialised): all divisions of the
// column are written down first, and then the best is chosen, in whole numbers.
#pragma once

#include <cstddef>

#include "criteria/absolute_error.hpp"
#include "criteria/median_division.hpp"
#include "split/scan/cut_scan.hpp"

namespace ceiba::split {

template <class Number>
bool scan(const Entry* entries, std::size_t n, std::size_t before, std::size_t after, double /*floor*/,
          const Limits& limits, criteria::MedianDivision<Number>& division, const criteria::AbsoluteError& criterion,
          BestCut<criteria::MedianDivision<Number>, criteria::AbsoluteError>& best) {
    const auto [first, last] = cuts_allowed(n, before, after, limits);
    if (last < first) return false;
    const bool limited = limits.monotone != 0 || limits.min_weight > 0.0;
    division.follow([entries](std::size_t i) { return entries[i].row; }, last, limits.monotone != 0);
    std::size_t chosen = 0;  // entries on the left
    for (std::size_t left = first; left <= last; ++left) {
        if (entries[left - 1].rank == entries[left].rank) continue;
        if (chosen && !(division.loss_after(left) < division.loss_after(chosen))) continue;
        if (limited) {
            division.put_back(division.left_after(left));
            if (!respects(division, limits)) continue;
        }
        chosen = left;
    }
    if (!chosen) return false;
    division.put_back(division.left_after(chosen));
    if (!best.offer(division, criterion, limits)) return false;
    best.position = chosen;
    return true;
}

}  // namespace ceiba::split
