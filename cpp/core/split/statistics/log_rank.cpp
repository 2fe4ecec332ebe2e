#include "criteria/log_rank.hpp"

#include "split/statistics/build.hpp"

namespace ceiba::split {

Finder search_log_rank(const data::TargetRows& target, const SearchOptions& options, int n_threads) {
    return build<criteria::List<criteria::LogRank>>(criteria::LogRankDivision(), target, options, n_threads);
}

}  // namespace ceiba::split
