// The interface of split searches: one finder per form of the rows and kind of search. The engine (engine.hpp) chooses.
#pragma once

#include "split/store/partition.hpp"

namespace ceiba::split {

class SplitFinder {
public:
    virtual ~SplitFinder() = default;

    // Best split first, then up to max_competitors best splits of other columns by falling gain; empty if there is
    // none. With a pool the columns are shared between its threads; without, `thread` names the working space to use.
    // A finder may put the rows of the node into another form while it is at it.
    virtual std::vector<Candidate> find(NodeRows& node, const NodeContext& context, base::ThreadPool* pool,
                                        int thread) = 0;

    // Called when a node was divided: what was counted for the parent may save counting for those branches that will be
    // searched.
    virtual void hand_down(NodeRows& /*parent*/, const std::vector<BranchRows>& /*branches*/,
                           base::ThreadPool* /*pool*/) {}
};

class ColumnFinder;  // scan/column_finder.hpp

// The exact search over presorted columns, for this target and criterion.
std::unique_ptr<ColumnFinder> make_presort_finder(const data::TargetRows& target, const SearchOptions& options,
                                                  int n_threads);

// Can the search over bins do all that these options ask for?
bool bins_support(const data::Table& table, const data::Target& target, const SearchOptions& options);

// The names of the criteria that follow from counts of bins.
std::vector<std::string> counted_criteria();

// The search over bins (bins/bounded_finder.hpp), exact as well. Null where the numbers of the target cannot be counted
// in quanta.
std::unique_ptr<SplitFinder> make_bounded_finder(const data::TargetRows& target, const SearchOptions& options,
                                                 int n_threads);

// C4.5's search (ratio/gain_ratio.cpp). `root`: the whole table, from which cuts take their value under cuts_at_values.
std::unique_ptr<SplitFinder> make_gain_ratio_finder(const NodeRows& root, const SearchOptions& options, int n_threads);

}  // namespace ceiba::split
