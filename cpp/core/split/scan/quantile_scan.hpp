// The scan for weighted quantiles (an overload more specialised than that of cut_scan.hpp): a rough pass over all cuts
// in plain doubles, then a precise evaluation of the few that may win (20,000 x 10, depth 8: 1.16 s -> 0.09 s).
#pragma once

#include "criteria/quantile_division.hpp"
#include "criteria/number_criteria.hpp"
#include "criteria/weighted_quantile_division.hpp"
#include "split/scan/cut_scan.hpp"

namespace ceiba::split {

// The scan for quantiles (an overload more specialised than that of cut_scan.hpp): it records all divisions of the
// column first and then chooses the best one in integers.
template <class Number>
bool scan(const Entry* entries, std::size_t n, std::size_t before, std::size_t after, double /*floor*/,
          const Limits& limits, criteria::QuantileDivision<Number>& division, const criteria::AbsoluteError& criterion,
          BestCut<criteria::QuantileDivision<Number>, criteria::AbsoluteError>& best) {
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

inline bool scan(const Entry* entries, std::size_t n, std::size_t before, std::size_t after, double floor,
                 const Limits& limits, criteria::WeightedQuantileDivision& division,
                 const criteria::AbsoluteError& criterion,
                 BestCut<criteria::WeightedQuantileDivision, criteria::AbsoluteError>& best) {
    const auto all_cuts = [&] {
        return scan<criteria::WeightedQuantileDivision, criteria::AbsoluteError>(entries, n, before, after, floor,
                                                                                 limits, division, criterion, best);
    };
    const auto [first, last] = cuts_allowed(n, before, after, limits);
    if (last < first) return false;
    if (limits.monotone != 0) return all_cuts();  // only a full evaluation shows whether a cut is allowed
    CutBounds bounds(std::max(floor, best.threshold()));
    criteria::RoughQuantiles& rough = division.rough_quantiles();
    const double scale = division.scale(), total = scale * division.total_loss().value();
    for (std::size_t i = 0; i < last; ++i) {
        rough.move(division.rank(entries[i].row));
        if (rough.steps() > 32 * rough.n_rows()) return all_cuts();
        if (i + 1 < first || entries[i].rank == entries[i + 1].rank) continue;
        const double error = rough.error() / scale, gain = (total - rough.loss()) / scale;
        bounds.add(i + 1, gain + error);
        if (rough.heavier_than(limits.min_weight)) bounds.raise(gain - error);
    }
    bool better = false;
    std::size_t done = 0;
    for (std::size_t left : bounds.cuts()) {
        division.add_all([entries](std::size_t i) { return entries[i].row; }, done, left);
        done = left;
        if (!best.offer(division, criterion, limits)) continue;
        best.position = left;
        better = true;
    }
    return better;
}

}  // namespace ceiba::split
