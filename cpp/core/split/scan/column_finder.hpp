// The search over the columns of a node whose rows are sorted: the columns to search, their order, and the best split.
// It is independent of statistic and criterion; presort_finder.hpp searches one column.
#pragma once

#include "split/finder.hpp"
#include "split/scan/merit.hpp"
#include "split/store/sparse_entries.hpp"

namespace ceiba::split {

// Finders that treat numbers differently also use its steps (bins/bounded_finder.hpp): begin_node() for the node
// (thread -1: for all threads), then search_column() for single columns, and ranked() for the candidates.
class ColumnFinder : public SplitFinder {
public:
    explicit ColumnFinder(const SearchOptions& options) : options_(options) {}

    std::vector<Candidate> find(NodeRows& node, const NodeContext& context, base::ThreadPool* pool,
                                int thread) override;

    virtual void begin_node(int thread) = 0;
    // The best split of one column. A split with a gain below `floor` need not be found.
    virtual Candidate search_column(const NodeRows& node, std::size_t column, const NodeContext& context, double floor,
                                    int thread) = 0;
    // An upper bound of the merit of a column of levels; infinite if there is none.
    virtual double bound_levels(const NodeRows& node, std::size_t column, int thread) = 0;
    // Sorts the candidates, best first. Ties go to the lowest column: a later one must be strictly better.
    std::vector<Candidate> ranked(const NodeRows& node, std::vector<Candidate> candidates, int thread);

protected:
    double cost(const Candidate& c) const { return cost_of(static_cast<std::size_t>(c.column), options_); }

    // A random cut between the smallest and the largest number of a column. Position 0: there is no cut, because all
    // numbers are equal.
    struct RandomCut {
        double cut = 0.0;
        std::size_t position = 0;  // entries on the left
    };
    RandomCut random_cut(const NodeRows& node, std::size_t c, const Entry* entries, const NodeContext& context) const;
    // The cut between an entry and the next one.
    double cut_after(const NodeRows& node, std::size_t c, const Entry* entry) const;
    // The cut after `n_left` rows in the order of all rows, including zeros.
    double sparse_cut_after(const NodeRows& node, std::size_t c, const SparseColumn& column, std::size_t n_left) const;

    const SearchOptions options_;

private:
    // Computes rough bounds of the merits of columns. Returns false if the criterion has none.
    virtual bool rough_bounds(const NodeRows& node, const LiveColumns& columns, std::vector<double>& bound,
                              int thread) = 0;
    // Whether the first of two candidates that are tied within rounding is better in exact arithmetic.
    virtual bool better_exactly(const NodeRows& node, const Candidate& a, const Candidate& b, int thread) = 0;

    std::vector<Candidate> search_for_one(const NodeRows& node, const NodeContext& context, int thread);
    std::vector<Candidate> search_some(const NodeRows& node, const NodeContext& context, int thread);
    bool same_division(const NodeRows& node, const Candidate& a, const Candidate& best, Routing& best_routing) const;
    void drop_constant_columns(NodeRows& node) const;
};

}  // namespace ceiba::split
