// The best set of levels by the log-rank test (criteria/log_rank.hpp).
//
// No order of the levels is certain to have the best set among its cuts, because V depends on all times. With scores
// U_g of the levels and the matrix Q_gh = sum_j a_j n_g,j n_h,j, the test of a set L is
//
//   (sum_{g in L} U_g)^2 / sum_{g in L, h not in L} Q_gh
//
// so all sets of ten levels take 512 small sums. More levels are ordered by observed over expected events.
#pragma once

#include "base/sort.hpp"
#include "criteria/log_rank.hpp"
#include "criteria/number_criteria.hpp"
#include "split/levels/level_orders.hpp"

namespace ceiba::split {

constexpr std::size_t most_levels_in_sets = 10;

// The rows of each level, followed by those without a level if they participate.
inline std::vector<std::span<const std::uint32_t>> level_groups(const LevelRows& levels, std::size_t n_missing) {
    std::vector<std::span<const std::uint32_t>> groups;
    for (std::size_t l = 0; l < levels.n_levels(); ++l)
        groups.emplace_back(levels.rows.data() + levels.start[l], levels.start[l + 1] - levels.start[l]);
    if (n_missing > 0) groups.emplace_back(levels.missing);
    return groups;
}

inline LevelOrder log_rank_order(const LevelRows& levels, const criteria::LogRankDivision& division) {
    std::vector<double> ratio;
    for (const auto& rows : level_groups(levels, 0)) {
        base::Sum observed, expected;
        for (const std::uint32_t i : rows) {
            observed.add(division.events(i));
            expected.add(division.expected(i));
        }
        ratio.push_back(expected.value() > 0.0 ? observed.value() / expected.value() : 1.0);
    }
    return base::ascending(ratio);
}

inline Candidate best_log_rank_set(const LevelRows& levels, std::size_t n_missing, const Limits& limits,
                                   const criteria::LogRankDivision& division, const criteria::LogRank& criterion) {
    const auto groups = level_groups(levels, n_missing);
    const std::size_t n = groups.size(), n_times = division.n_times();
    std::vector<double> score(n), events(n), at_risk((n_times + 1) * n, 0.0), cross(n * n, 0.0);
    for (std::size_t g = 0; g < n; ++g) {
        base::Sum sum, dead;
        for (const std::uint32_t i : groups[g]) {
            sum.add(division.score_of(i));
            dead.add(division.events(i));
            at_risk[division.place(i) * n + g] += division.weight(i);
        }
        score[g] = sum.value();
        events[g] = dead.value();
    }
    for (std::size_t j = n_times; j > 0; --j) {
        double* const here = &at_risk[j * n];
        if (j < n_times)
            for (std::size_t g = 0; g < n; ++g) here[g] += here[n + g];
        const double factor = division.variance_factor(j);
        for (std::size_t g = 0; g < n; ++g)
            for (std::size_t h = g + 1; h < n; ++h) cross[g * n + h] += factor * here[g] * here[h];
    }
    Candidate out;
    out.tolerance = criterion.tolerance();
    out.learned_missing = n_missing > 0;
    double best = -std::numeric_limits<double>::infinity();
    std::uint32_t best_left = 0;
    const std::uint32_t all = (std::uint32_t{1} << n) - 1;
    for (std::uint32_t left = 1; left < all; left += 2) {  // the first level is always on the left
        std::size_t n_left = 0, n_right = 0;
        double score_left = 0.0, events_left = 0.0, events_right = 0.0, variance = 0.0;
        for (std::size_t g = 0; g < n; ++g) {
            const bool is_left = left >> g & 1;
            (is_left ? n_left : n_right) += groups[g].size();
            (is_left ? events_left : events_right) += events[g];
            if (is_left) score_left += score[g];
            for (std::size_t h = g + 1; h < n; ++h)
                if (is_left != static_cast<bool>(left >> h & 1)) variance += cross[g * n + h];
        }
        if (n_left < limits.min_rows || n_right < limits.min_rows) continue;
        if (std::min(events_left, events_right) < limits.min_events * (1.0 - 0x1p-30)) continue;
        const double gain = criteria::LogRank::half_chi_square(score_left, variance);
        if (!std::isfinite(gain) || (out.found() && !(gain > best + out.tolerance))) continue;
        best = gain;
        best_left = left;
        out.kind = Kind::levels;
    }
    if (!out.found()) return out;
    const std::uint32_t levels_only = (std::uint32_t{1} << levels.n_levels()) - 1;
    out.gain = base::DoubleDouble(best);
    out.missing_branch = n_missing > 0 && best_left >> levels.n_levels() & 1 ? 0 : 1;
    if (best_left == levels_only && n_missing > 0) {
        out.kind = Kind::presence;
        return out;
    }
    for (std::size_t l = 0; l < levels.n_levels(); ++l)
        out.levels.push_back({levels.code[l], best_left >> l & 1 ? 0 : 1});
    return out;
}

}  // namespace ceiba::split
