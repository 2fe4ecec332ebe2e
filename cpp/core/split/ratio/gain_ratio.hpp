// C4.5's choice of a split (Quinlan 1993, chapters 2 and 7; numeric cuts as in release 8, Quinlan 1996).
//
// It is a finder of its own, not a criterion of the common scan, because a column is judged against the others: only
// those with at least the average gain compete, and among them the ratio of gain to split information decides.
//   gain   = share of the rows with a value x decrease of their entropy; a cut pays log2(cuts tried) / weight
//   split information = entropy of the branch sizes, rows without a value being one more branch
#pragma once

#include "split/finder.hpp"

namespace ceiba::split {

// `root`: the whole table, from which cuts take their value when options.cuts_at_values is set.
std::unique_ptr<SplitFinder> make_gain_ratio_finder(const NodeRows& root, const SearchOptions& options, int n_threads);

}  // namespace ceiba::split
