// What a search is to those who use it, whatever its loss: the starts (start/), the run (optimal.cpp) and the way
// through the cuts (exact/solver.cpp) are compiled once, only what they ask of a loss for each (exact/loss_kinds.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "optimal/clock.hpp"
#include "optimal/columns/ranked.hpp"
#include "optimal/exact/stumps.hpp"
#include "optimal/losses.hpp"
#include "optimal/plan.hpp"

namespace ceiba::optimal {

struct Rules {
    int max_depth = 3;
    int max_leaves = 1 << 30;
    std::size_t min_rows = 1;
    double penalty = 0.0;    // per leaf, in the unit of the loss
    double tolerance = 0.0;  // losses closer than this are equal
};

struct Answer {
    double value = infinite;  // of the tree; infinite: none costs less than the bound
    double relaxed = 0.0;     // no tree of this depth on these rows or more of them costs less
    PlanPtr plan;
    bool found() const { return value < infinite; }
};

// What the node at the top tells the outside while it is searched.
struct Watch {
    virtual ~Watch() = default;
    virtual void improved(double value, const PlanPtr& plan) = 0;
    virtual void bounded(double lower) = 0;
    virtual double keep_below(double bound) const { return bound; }  // cuts that cost less are looked at
    virtual void evaluated(double, const PlanPtr&) {}
    virtual bool every_cut() const { return false; }
};

class Search {
public:
    Search(const Features& features, const LossRule& rule, const Rules& rules, Clock& clock)
        : features_(features), rule_(rule), rules_(rules), clock_(clock) {}
    virtual ~Search() = default;

    const Rules& rules() const { return rules_; }
    const LossRule& rule() const { return rule_; }
    const Features& features() const { return features_; }
    Clock& clock() { return clock_; }

    virtual double leaf_loss(const Node& node) = 0;
    double leaf_value(const Node& node) { return leaf_loss(node) + rules_.penalty; }
    // `bound`: only trees that cost less are of interest.
    virtual Answer solve(const Node& node, int depth, int leaves, double bound, Watch* watch = nullptr) = 0;
    // The best cut of each feature that has one, by the impurity that a greedy tree looks at.
    virtual std::vector<Stump> best_cuts(const Node& node) = 0;
    // What each of `rows` costs in a leaf whose answer is that of `own` (exact/answers.hpp).
    virtual void charge(const RowData& data, const std::vector<std::uint32_t>& own,
                        const std::vector<std::uint32_t>& rows, std::vector<double>& out) const = 0;

    // The plan that asks this cut of the node, with plans below.
    PlanPtr plan_of(const Node& node, std::size_t f, std::uint32_t position, bool missing_left, PlanPtr left,
                    PlanPtr right) const {
        const std::uint32_t* const e = node.entries(f);
        const std::vector<std::uint32_t>& rank = features_.all[f].rank;
        const auto rank_at = [&](std::uint32_t i) { return rank[node.data.row[e[i] & row_mask]]; };
        return std::make_shared<const Plan>(Plan{static_cast<std::uint32_t>(f), rank_at(position),
                                                 rank_at(position + 1), missing_left, std::move(left),
                                                 std::move(right)});
    }

protected:
    const Features& features_;
    const LossRule& rule_;
    const Rules rules_;
    Clock& clock_;
};

// What there is of each loss.
struct LossKind {
    bool whole;  // losses are whole numbers
    double (*of)(const LossRule& rule, const RowData& data, std::span<const std::uint32_t> rows);
    std::unique_ptr<Search> (*solver)(const Features& features, const LossRule& rule, const Rules& rules,
                                      base::ThreadPool& pool, Clock& clock, std::size_t cache_bytes);
};
// Throws std::invalid_argument for a word that is no loss.
LossKind loss_kind(const std::string& word);

}  // namespace ceiba::optimal
