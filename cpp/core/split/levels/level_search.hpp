// The best split of a node by a column of levels: a set of levels against the others, or a branch for each. The way
// through the levels is ordinary code; what depends on statistic and criterion answers through LevelSpace.
#pragma once

#include <cstddef>
#include <vector>

#include "split/candidate.hpp"
#include "split/levels/level_rows.hpp"
#include "split/search_options.hpp"

namespace ceiba::split {

// What one thread works with while it searches columns of levels.
class LevelSpace {
public:
    struct Cut {
        bool found = false, presence = false, missing_left = false;
        std::size_t position = 0;  // entries on the left
        base::DoubleDouble gain;
    };

    LevelRows levels;
    std::vector<Entry> level_entries;  // rows in an order of their levels

protected:
    LevelSpace();
    LevelSpace(const LevelSpace&);
    ~LevelSpace();

private:
    friend class LevelSearch;
    // Makes the total that of all rows of the node, or of the rows with a level.
    virtual void take_all(const NodeRows& node) = 0;
    virtual void take_levels(const NodeRows& node) = 0;
    // The best of all sets of levels, where no order of them is enough. False: one is.
    virtual bool best_of_sets(const NodeRows& node, std::size_t n_aside, const Limits& limits,
                              const std::vector<double>& class_scale, Candidate& out) = 0;
    // Are sides without events not allowed (event_free.hpp)?
    virtual bool needs_events() const = 0;
    // The best cut of the entries.
    virtual Cut best_level_cut(std::size_t n_aside, const Limits& limits) = 0;
    // Adds the gain of dividing the levels [from, to) at `middle`. False: not allowed.
    virtual bool halve(std::size_t from, std::size_t middle, std::size_t to, const Limits& limits,
                       base::DoubleDouble& gain) = 0;
    virtual double tolerance() const = 0;
};

class LevelSearch {
public:
    LevelSearch(const SearchOptions& options, LevelSpace& space) : options_(options), space_(space) {}

    Candidate search(const NodeRows& node, std::size_t c, const Limits& limits);

private:
    Candidate best_level_set(const NodeRows& node, std::size_t n_aside, const Limits& limits);
    Candidate one_branch_per_level(const Limits& limits);

    const SearchOptions& options_;
    LevelSpace& space_;
};

}  // namespace ceiba::split
