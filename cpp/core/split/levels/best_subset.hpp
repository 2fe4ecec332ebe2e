// The best set of levels for three or more classes. It depends on the criterion, not on the division of the search, so
// it is compiled once per criterion (best_subset.cpp), as Shared<C> for all in the list of criteria of classes.
#pragma once

#include <cstddef>
#include <vector>

#include "split/candidate.hpp"
#include "split/levels/level_cells.hpp"
#include "split/levels/level_rows.hpp"

namespace ceiba::split {

// `n_aside`: rows with a missing value that take part.
template <class C>
Candidate best_subset(const NodeRows& node, const LevelRows& levels, std::size_t n_aside, const Limits& limits,
                      const std::vector<double>& class_scale, const C& criterion);

// The same from counts, for whoever has no rows.
template <class Weight, class C>
Candidate best_subset(const LevelCells<Weight>& levels, const Limits& limits, const std::vector<double>& class_scale,
                      const C& criterion);

}  // namespace ceiba::split
