// The best split of a node by a column of levels: a set of levels against the others, or a branch for each. The order
// of steps is ordinary code, for rows in memory and for counts of shards; what depends on statistic and criterion is
// virtual (LevelSpace).
#pragma once

#include "split/levels/level_orders.hpp"
#include "split/search_options.hpp"

namespace ceiba::split {

// The levels of a column in a node. `n_missing`: rows with a missing value that take part.
class LevelSpace {
public:
    struct Cut {
        bool found = false, presence = false, missing_left = false;
        std::size_t position = 0;  // levels on the left
        base::DoubleDouble gain;
    };

protected:
    ~LevelSpace() = default;

private:
    friend class LevelSearch;
    virtual const std::vector<std::int32_t>& codes() const = 0;  // present in the node, ascending
    virtual std::size_t rows_of(std::size_t level) const = 0;
    // Makes the total that of the rows that take part.
    virtual void include_total(std::size_t n_missing) = 0;
    // The best of all sets of levels, where no order of them is enough. False: one is.
    virtual bool best_of_sets(std::size_t n_missing, const Limits& limits, Candidate& out) = 0;
    // The orders whose cuts are tried, the one by means first.
    virtual std::vector<LevelOrder> orders(std::size_t n_missing, const Limits& limits) = 0;
    virtual Cut best_level_cut(const LevelOrder& order, std::size_t n_missing, const Limits& limits) = 0;
    // Adds the gain of dividing the levels [from, to) at `middle`. False: not allowed.
    virtual bool halve(std::size_t from, std::size_t middle, std::size_t to, const Limits& limits,
                       base::DoubleDouble& gain) = 0;
    virtual double tolerance() const = 0;
};

class LevelSearch {
public:
    LevelSearch(const SearchOptions& options, LevelSpace& space) : options_(options), space_(space) {}

    // `n_levels`: of the column, in the node or not.
    Candidate search(std::size_t n_levels, std::size_t n_without_value, const Limits& limits);

private:
    Candidate best_level_set(std::size_t n_missing, const Limits& limits);
    Candidate one_branch_per_level(const Limits& limits);

    const SearchOptions& options_;
    LevelSpace& space_;
};

// Rows in memory, grouped by level.
class RowLevels : public LevelSpace {
public:
    Candidate search_levels(const NodeRows& node, std::size_t c, const SearchOptions& options, const Limits& limits);
    double bound_levels(const NodeRows& node, std::size_t c, const SearchOptions& options) {
        return bound_level_sets(node, c, options, scratch_);
    }

protected:
    ~RowLevels() = default;

    const NodeRows* node_ = nullptr;
    const SearchOptions* options_ = nullptr;
    LevelRows levels_;
    std::vector<Entry> entries_;  // rows in an order of their levels
    LevelScratch scratch_;

    // Returns the number of rows without a level.
    virtual std::size_t read_levels(const NodeRows& node, std::size_t c);
    const std::vector<std::int32_t>& codes() const override { return levels_.code; }
    std::size_t rows_of(std::size_t level) const override { return levels_.start[level + 1] - levels_.start[level]; }
    std::vector<LevelOrder> orders(std::size_t n_missing, const Limits& limits) override;
    Cut best_level_cut(const LevelOrder& order, std::size_t n_missing, const Limits& limits) override;

private:
    // The best cut of the entries; its position counts rows.
    virtual Cut best_entry_cut(std::size_t n_missing, const Limits& limits) = 0;
    // Are sides without events not allowed?
    virtual bool needs_events() const = 0;
};

}  // namespace ceiba::split
