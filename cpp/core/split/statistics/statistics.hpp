// Searches by statistic of the target, where D is its division: over sorted columns (`search`) and over bins (`count`).
// The files in this folder compile each statistic with its weighted form, for all criteria of its list
// (criteria/*_criteria.hpp).
#pragma once

#include "split/scan/column_finder.hpp"

namespace ceiba::split {

using Finder = std::unique_ptr<ColumnFinder>;
template <class D>
Finder search_classes(const data::TargetRows& target, const SearchOptions& options, int n_threads);
template <class D>
Finder search_class_outputs(const data::TargetRows& target, const SearchOptions& options, int n_threads);
template <class D>
Finder search_numbers(const data::TargetRows& target, const SearchOptions& options, int n_threads);
Finder search_log_rank(const data::TargetRows& target, const SearchOptions& options, int n_threads);
Finder search_quantiles(const data::TargetRows& target, const SearchOptions& options, int n_threads);
Finder search_weighted_quantiles(const data::TargetRows& target, const SearchOptions& options, int n_threads);

// Only for criteria with bounds. Null if the target cannot be counted in these cells.
using CountedFinderPtr = std::unique_ptr<SplitFinder>;
template <class D, class Cells>
CountedFinderPtr count_classes(const data::TargetRows& target, const SearchOptions& options, int n_threads);
template <class D, class Cells>
CountedFinderPtr count_numbers(const data::TargetRows& target, const SearchOptions& options, int n_threads);

}  // namespace ceiba::split
