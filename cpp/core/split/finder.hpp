// The seam between growing and searching: a grower asks for the best split of a node and does not know how it is found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/thread_pool.hpp"
#include "criteria/node_summary.hpp"
#include "split/candidate.hpp"
#include "split/partition.hpp"
#include "split/row_store.hpp"

namespace ceiba::split {

enum class Missing { learn, majority, surrogate, fractional, error };

struct SearchOptions {
    criteria::Name criterion = criteria::Name::gini;
    Missing missing = Missing::learn;
    bool multiway = false;         // columns of levels: one branch per level
    bool empty_branches = false;   // multiway: levels that are not in the node have a branch too
    bool cuts_at_values = false;   // gain ratio: a cut is the largest value of the table that is not above the midpoint
    double min_branch = 0.0;       // gain ratio: weight that two branches need
    bool random_cuts = false;      // one random cut per column instead of the best (scikit-learn's splitter="random")
    bool allow_zero_rate = false;  // poisson: a side without events is allowed
    bool like_rpart = false;       // cuts just below the midpoints: `x <= cut` is then rpart's `x < midpoint`
    int max_features = -1;         // columns tried per node; -1: all
    int max_competitors = 0;       // runners-up returned besides the best
    std::size_t min_rows = 1;      // per branch
    double min_weight = 0.0;       // per branch
    std::size_t small_node = 2048;    // nodes with fewer rows are sorted, larger ones searched by bins
    std::vector<int> monotone;        // per column; empty: none
    std::vector<double> class_scale;  // altered priors: factor per class; empty: none
    std::vector<double> column_cost;  // gains are divided by these; empty: none
};

// What the search must know of one node besides its rows.
struct NodeContext {
    std::uint64_t seed = 0;
    double low = -std::numeric_limits<double>::infinity();  // monotone limits handed down
    double high = std::numeric_limits<double>::infinity();
};

class SplitFinder {
public:
    virtual ~SplitFinder() = default;

    // Best split first, then up to max_competitors best splits of other columns by falling gain; empty if there is none.
    // With a pool the columns are shared between its threads; without, `thread` names the working space to use.
    // A finder may put the rows of the node into another form while it is at it.
    virtual std::vector<Candidate> find(NodeRows& node, const NodeContext& context, base::ThreadPool* pool,
                                        int thread) = 0;

    // Called when a node was parted: what was counted for the parent may save counting for those branches that will be
    // searched.
    virtual void hand_down(NodeRows& /*parent*/, const std::vector<BranchRows>& /*branches*/,
                           base::ThreadPool* /*pool*/) {}
};

// The exact search over presorted columns, for this target and criterion.
std::unique_ptr<SplitFinder> make_presort_finder(const data::TargetRows& target, const SearchOptions& options,
                                                 int n_threads);

// Can the search over bins do all that these options ask for? (Surrogates, which need sorted columns, are not looked at here.)
bool bins_serve(const data::Table& table, const data::Target& target, const SearchOptions& options);

// The search over bins (bounded_finder.hpp), exact as well. Null where the numbers of the target cannot be counted in quanta.
std::unique_ptr<SplitFinder> make_bounded_finder(const data::TargetRows& target, const SearchOptions& options,
                                                 int n_threads);

}  // namespace ceiba::split
