// The search over bins, one translation unit per statistic of the target; each for all criteria of its list that have
// bounds.
#pragma once

#include <memory>

#include "split/finder.hpp"

namespace ceiba::split {

std::unique_ptr<SplitFinder> count_two_classes(const data::TargetRows&, const SearchOptions&, int n_threads);
std::unique_ptr<SplitFinder> count_classes(const data::TargetRows&, const SearchOptions&, int n_threads);
std::unique_ptr<SplitFinder> count_weighted_classes(const data::TargetRows&, const SearchOptions&, int n_threads);
std::unique_ptr<SplitFinder> count_numbers(const data::TargetRows&, const SearchOptions&, int n_threads);
std::unique_ptr<SplitFinder> count_weighted_numbers(const data::TargetRows&, const SearchOptions&, int n_threads);

}  // namespace ceiba::split
