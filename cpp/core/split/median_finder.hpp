// The search for absolute errors of rows that all count 1.
#pragma once

#include <memory>

#include "split/finder.hpp"

namespace ceiba::split {

std::unique_ptr<SplitFinder> make_median_finder(const data::TargetRows& target, const SearchOptions& options,
                                                int n_threads);

}  // namespace ceiba::split
