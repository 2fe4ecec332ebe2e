// The best split of a node by a column of levels: a set of levels against the others, or one branch per level. The
// order of steps is shared by rows in memory and counts of shards; steps that depend on statistic and criterion are
// virtual (LevelSpace).
#pragma once

#include "split/levels/level_orders.hpp"
#include "split/search_options.hpp"

namespace ceiba::split {

// The levels of a column in a node. `n_missing`: number of participating rows with a missing value.
class LevelSpace {
public:
    struct Cut {
        bool any = false, presence = false, missing_left = false;
        std::size_t position = 0;  // levels on the left
        base::DoubleDouble gain;
    };

protected:
    ~LevelSpace() = default;

private:
    friend class LevelSearch;
    virtual const std::vector<std::int32_t>& codes() const = 0;  // present in the node, ascending
    virtual std::size_t rows_of(std::size_t level) const = 0;
    // Sets the total to that of the participating rows.
    virtual void include_total(std::size_t n_missing) = 0;
    // Finds the best of all level sets if no order of levels suffices. Returns false if an order does.
    virtual bool best_of_sets(std::size_t n_missing, const Limits& limits, Candidate& out) = 0;
    // The orders whose cuts are tried; the order by mean comes first.
    virtual std::vector<LevelOrder> orders(std::size_t n_missing, const Limits& limits) = 0;
    virtual Cut best_level_cut(const LevelOrder& order, std::size_t n_missing, const Limits& limits) = 0;
    // Adds the gain of dividing the levels [from, to) at `middle`. Returns false if this is not allowed.
    virtual bool halve(std::size_t from, std::size_t middle, std::size_t to, const Limits& limits,
                       base::DoubleDouble& gain) = 0;
    virtual double tolerance() const = 0;
};

class LevelSearch {
public:
    LevelSearch(const SearchOptions& options, LevelSpace& space) : options_(options), space_(space) {}

    // `n_levels`: all levels of the column, whether or not they occur in the node.
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
    std::vector<Entry> entries_;  // rows in the order of their levels
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
    // Whether both sides must have events.
    virtual bool needs_events() const = 0;
};

}  // namespace ceiba::split
