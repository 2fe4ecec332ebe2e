// The best set of levels for three or more classes (level_subsets.hpp). It depends on the criterion, not on the
// division of the search, so it is compiled once per criterion (level_subsets.cpp).
#pragma once

#include "split/levels/level_orders.hpp"

namespace ceiba::split {

template <class Weight>
LevelCells<Weight> level_cells(const NodeRows& node, const LevelRows& levels, bool count_missing) {
    const data::TargetRows& target = node.target();
    LevelCells<Weight> out;
    out.n_classes = static_cast<std::size_t>(target.n_classes[0]);
    out.code = levels.code;
    out.rows.resize(levels.n_levels());
    out.cells.resize(levels.n_levels() * out.n_classes);
    out.missing.resize(out.n_classes);
    const auto put = [&](Weight* sums, std::uint32_t row) {
        sums[target.labels[0][node.begin + row]].add(target.weight_of(node.begin + row));
    };
    for (std::size_t l = 0; l < levels.n_levels(); ++l) {
        out.rows[l] = levels.start[l + 1] - levels.start[l];
        for (std::uint32_t r = levels.start[l]; r < levels.start[l + 1]; ++r)
            put(&out.cells[l * out.n_classes], levels.rows[r]);
    }
    if (!count_missing) return out;
    for (std::uint32_t row : levels.missing) put(out.missing.data(), row);
    out.n_missing = levels.missing.size();
    return out;
}

// `n_missing`: number of participating rows with a missing value.
template <class C>
Candidate best_subset(const NodeRows& node, const LevelRows& levels, std::size_t n_missing, const Limits& limits,
                      const std::vector<double>& class_scale, const C& criterion);

// The same search from counts, without rows.
template <class Weight, class C>
Candidate best_subset(const LevelCells<Weight>& levels, const Limits& limits, const std::vector<double>& class_scale,
                      const C& criterion);

}  // namespace ceiba::split
