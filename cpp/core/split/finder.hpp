// The interface of split searches: one finder per row layout and kind of search. The engine (engine.hpp) chooses one.
#pragma once

#include "split/store/partition.hpp"

namespace ceiba::split {

class SplitFinder {
public:
    virtual ~SplitFinder() = default;

    // Returns the best split, then up to max_competitors best splits of other columns by descending gain; empty if
    // there is no split. With a pool, its threads share the columns; without one, `thread` selects the workspace. A
    // finder may convert the rows of the node to another layout.
    virtual std::vector<Candidate> find(NodeRows& node, const NodeContext& context, base::ThreadPool* pool,
                                        int thread) = 0;

    // Called after a node was divided. The counts of the parent may save counting in the branches that will be
    // searched.
    virtual void hand_down(NodeRows& /*parent*/, const std::vector<BranchRows>& /*branches*/,
                           base::ThreadPool* /*pool*/) {}
};

class ColumnFinder;  // scan/column_finder.hpp

// The exact search over presorted columns for this target and criterion.
std::unique_ptr<ColumnFinder> make_presort_finder(const data::TargetRows& target, const SearchOptions& options,
                                                  int n_threads);

// Whether the search over bins supports this table, target and options.
bool bins_support(const data::Table& table, const data::Target& target, const SearchOptions& options);

// The names of the criteria that the search over bins supports.
std::vector<std::string> counted_criteria();

// The search over bins (bins/bounded_finder.hpp), which is also exact. Null if the numbers of the target cannot be
// counted in quanta.
std::unique_ptr<SplitFinder> make_bounded_finder(const data::TargetRows& target, const SearchOptions& options,
                                                 int n_threads);

// C4.5's search (ratio/gain_ratio.cpp). `root` contains the whole table, whose values are the cuts if cuts_at_values.
std::unique_ptr<SplitFinder> make_gain_ratio_finder(const NodeRows& root, const SearchOptions& options, int n_threads);

}  // namespace ceiba::split
