// The interface of the search. The starts (start/), the run (optimal.cpp) and the branch and bound (exact/solver.cpp)
// are compiled once; only the parts that depend on the loss are compiled for each loss (exact/loss_kinds.cpp).
#pragma once

#include "base/thread_pool.hpp"
#include "optimal/exact/stumps.hpp"
#include "optimal/optimal.hpp"

namespace ceiba::optimal {

// The time limit and Ctrl-C. The search calls spend() often; the clock is read every few thousand rows of work. A part
// of the search may have its own limit, measured in work instead of seconds, so that it ends at the same place on every
// machine and with any number of threads.
struct OutOfTime {};
struct OutOfWork {};

class Clock {
public:
    using Time = std::chrono::steady_clock;

    Clock(double limit, base::Interrupt& interrupt) : limit_(limit), interrupt_(interrupt) {}

    double seconds() const { return std::chrono::duration<double>(Time::now() - start_).count(); }
    // Called by the calling thread, with the number of entries processed since the last call.
    void spend(std::size_t work) {
        ++evaluations_;
        if ((done_ += static_cast<double>(work)) > work_limit_) throw OutOfWork{};
        open_ += work;
        if (open_ < 200000) return;
        open_ = 0;
        interrupt_.poll();
        if (seconds() > limit_) throw OutOfTime{};
    }
    // Runs work that may process about as many entries as one thread can in this share of the time limit.
    template <class Work>
    void within(double share, const Work& work) {
        work_limit_ = done_ + share * limit_ * entries_per_second;
        try {
            work();
        } catch (const OutOfWork&) {
        } catch (...) {
            work_limit_ = none;
            throw;
        }
        work_limit_ = none;
    }
    std::size_t evaluations() const { return evaluations_; }

private:
    static constexpr double entries_per_second = 2e8;
    static constexpr double none = std::numeric_limits<double>::infinity();

    double limit_, work_limit_ = none, done_ = 0.0;
    Time::time_point start_ = Time::now();
    base::Interrupt& interrupt_;
    std::size_t open_ = 0, evaluations_ = 0;
};

// A tree during the search, with cuts between ranks. A null plan is a leaf. Plans share their parts and are immutable.
struct Plan;
using PlanPtr = std::shared_ptr<const Plan>;

struct Plan {
    std::uint32_t feature = 0;
    std::uint32_t lower = 0, upper = 0;  // the cut lies between these ranks, both present in the node
    bool missing_left = false;           // side of rows without a rank
    PlanPtr left, right;

    bool sends_right(std::uint32_t rank) const { return rank == unranked ? !missing_left : rank > lower; }
};

inline int n_leaves(const PlanPtr& plan) { return plan ? n_leaves(plan->left) + n_leaves(plan->right) : 1; }

struct Rules {
    int max_depth = 3;
    int max_leaves = 1 << 30;
    std::size_t min_rows = 1;
    double penalty = 0.0;    // per leaf, in units of the loss
    double tolerance = 0.0;  // losses closer than this are equal
};

struct Solution {
    double value = infinite;  // value of the tree; infinite: no tree costs less than the bound
    double relaxed = 0.0;     // lower bound for trees of this depth on these rows or any superset
    PlanPtr plan;
    bool found() const { return value < infinite; }
};

// Callbacks during the search of the root.
struct Observer {
    virtual ~Observer() = default;
    virtual void improved(double value, const PlanPtr& plan) = 0;
    virtual void bounded(double lower) = 0;
    virtual double keep_below(double bound) const { return bound; }  // evaluates cuts that cost less
    virtual void evaluated(double, const PlanPtr&) {}
    virtual bool every_cut() const { return false; }
};

class Search {
public:
    Search(const Features& features, const LossRule& rule, const Rules& rules, Clock& clock)
        : features_(features), rule_(rule), rules_(rules), clock_(clock) {}
    virtual ~Search() = default;

    const Rules& rules() const { return rules_; }
    const Features& features() const { return features_; }
    Clock& clock() { return clock_; }

    virtual double leaf_loss(const Node& node) = 0;
    double leaf_value(const Node& node) { return leaf_loss(node) + rules_.penalty; }
    // `bound`: only trees that cost less are searched.
    virtual Solution solve(const Node& node, int depth, int leaves, double bound, Observer* observer = nullptr) = 0;
    // The best cut of each feature that has one, by the impurity that a greedy tree uses.
    virtual std::vector<Stump> best_cuts(const Node& node) = 0;
    // The loss of each of `rows` in a leaf whose prediction follows from `leaf_rows` (exact/sides.hpp).
    virtual void charge(const RowData& data, const std::vector<std::uint32_t>& leaf_rows,
                        const std::vector<std::uint32_t>& rows, std::vector<double>& out) const = 0;

    // The plan with this cut of the node and the given plans below.
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

// The functions that depend on the loss.
struct LossKind {
    bool whole;  // losses are integers
    double (*of)(const LossRule& rule, const RowData& data, std::span<const std::uint32_t> rows);
    std::unique_ptr<Search> (*solver)(const Features& features, const LossRule& rule, const Rules& rules,
                                      base::ThreadPool& pool, Clock& clock, std::size_t cache_bytes);
};
// Throws std::invalid_argument for an unknown name.
LossKind loss_kind(const std::string& word);

// The best tree so far and its lower bound, reported to the caller.
class Incumbent : public Observer {
public:
    Incumbent(double gap, bool whole, Clock& clock, const Progress& progress)
        : gap_(gap), whole_(whole), clock_(clock), progress_(progress) {}

    void improved(double value, const PlanPtr& plan) override {
        if (!(value < this->value)) return;
        this->value = value;
        this->plan = plan;
    }
    void bounded(double lower) override {
        this->lower = std::max(this->lower, std::min(lower, keep_below(value)));
        if (progress_) progress_(value, this->lower, clock_.seconds());
    }
    // The tolerance of integer losses is valid only between integers, so the value to be proven is rounded up to one.
    double keep_below(double bound) const override {
        const double target = gap_ > 0.0 ? bound - gap_ * bound : bound;
        return whole_ ? std::ceil(target) : target;
    }

    double value = infinite, lower = 0.0;
    PlanPtr plan;

private:
    double gap_;
    bool whole_;  // values are integers
    Clock& clock_;
    const Progress& progress_;
};

// Converts a plan to a tree: nodes in pre-order with cuts, level sets and presence splits. `rows`: the table row of
// each row of the problem.
TreeShape shape_of(const data::Table& table, const Features& features, const RowData& data,
                   const std::vector<std::uint32_t>& rows, const PlanPtr& plan);

}  // namespace ceiba::optimal
