// The search over sorted columns, one translation unit per statistic of the target. Each is compiled for all criteria in the list
// of its statistic (criteria/*_criteria.hpp): a criterion written there is searched everywhere.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "split/finder.hpp"

namespace ceiba::split {

using Finder = std::unique_ptr<ColumnFinder>;

Finder search_two_classes(const data::TargetRows&, const SearchOptions&, int n_threads);  // two classes, rows that count 1
Finder search_classes(const data::TargetRows&, const SearchOptions&, int n_threads);  // any number of classes, rows that count 1
Finder search_weighted_classes(const data::TargetRows&, const SearchOptions&, int n_threads);  // weights of rows, or factors of classes
Finder search_class_outputs(const data::TargetRows&, const SearchOptions&, int n_threads);  // several outputs of classes
Finder search_weighted_class_outputs(const data::TargetRows&, const SearchOptions&, int n_threads);  // the same with weights
Finder search_numbers(const data::TargetRows&, const SearchOptions&, int n_threads);  // numbers (squared error, poisson), one output or several
Finder search_weighted_numbers(const data::TargetRows&, const SearchOptions&, int n_threads);  // the same with weights
Finder search_medians(const data::TargetRows&, const SearchOptions&, int n_threads);  // absolute errors of rows that count 1
Finder search_weighted_medians(const data::TargetRows&, const SearchOptions&, int n_threads);  // absolute errors with weights

}  // namespace ceiba::split
