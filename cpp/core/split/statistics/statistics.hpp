// Searches by statistic of the target: over sorted columns (`search`) and over bins (`count`). A statistic is compiled
// in a file of its own, with its weighted form, for all criteria of its list (criteria/*_criteria.hpp).
#pragma once

#include "split/scan/column_finder.hpp"

namespace ceiba::split {

using Finder = std::unique_ptr<ColumnFinder>;
using Search = Finder(const data::TargetRows& target, const SearchOptions& options, int n_threads);
Search search_two_classes, search_classes, search_weighted_classes;  // one output; rows count 1, or have weights
Search search_class_outputs, search_weighted_class_outputs;          // several outputs
Search search_numbers, search_weighted_numbers;                      // squared error and poisson
Search search_medians, search_weighted_medians;                      // absolute error

// Criteria that have bounds; null where the target cannot be counted.
using CountedFinderPtr = std::unique_ptr<SplitFinder>;
using Count = CountedFinderPtr(const data::TargetRows& target, const SearchOptions& options, int n_threads);
Count count_two_classes, count_classes, count_weighted_classes, count_numbers, count_weighted_numbers;

}  // namespace ceiba::split
