// The search over sorted columns, one translation unit per statistic of the target. Each is compiled for all criteria
// in the list of its statistic (criteria/*_criteria.hpp): a criterion written there is searched everywhere.
//   two_classes, classes          one output of classes; rows count 1
//   class_outputs                 several outputs of classes
//   numbers                       squared error and poisson, one output or several
//   medians                       absolute error, one output or several
//   weighted_...                  the same with weights of rows, or factors of classes
#pragma once

#include <memory>

#include "split/scan/column_finder.hpp"

namespace ceiba::split {

using Finder = std::unique_ptr<ColumnFinder>;

Finder search_two_classes(const data::TargetRows& target, const SearchOptions& options, int n_threads);
Finder search_classes(const data::TargetRows& target, const SearchOptions& options, int n_threads);
Finder search_weighted_classes(const data::TargetRows& target, const SearchOptions& options, int n_threads);
Finder search_class_outputs(const data::TargetRows& target, const SearchOptions& options, int n_threads);
Finder search_weighted_class_outputs(const data::TargetRows& target, const SearchOptions& options, int n_threads);
Finder search_numbers(const data::TargetRows& target, const SearchOptions& options, int n_threads);
Finder search_weighted_numbers(const data::TargetRows& target, const SearchOptions& options, int n_threads);
Finder search_medians(const data::TargetRows& target, const SearchOptions& options, int n_threads);
Finder search_weighted_medians(const data::TargetRows& target, const SearchOptions& options, int n_threads);

}  // namespace ceiba::split
