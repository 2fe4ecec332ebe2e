// The search through the columns of a node whose rows are sorted: which columns are searched, in what order, and whose
// best split wins. It is independent of statistic and criterion; presort_finder.hpp searches one column.
#pragma once

#include "split/finder.hpp"
#include "split/scan/merit.hpp"
#include "split/store/sparse_entries.hpp"

namespace ceiba::split {

// Its steps serve finders that treat numbers in another way, too (bins/bounded_finder.hpp): first the node is announced
// (thread -1: to all threads), then its columns may be searched one by one, and the candidates ranked.
class ColumnFinder : public SplitFinder {
public:
    explicit ColumnFinder(const SearchOptions& options) : options_(options) {}

    std::vector<Candidate> find(NodeRows& node, const NodeContext& context, base::ThreadPool* pool,
                                int thread) override;

    virtual void begin_node(int thread) = 0;
    // The best split of one column; one with a gain below `floor` need not be found.
    virtual Candidate search_column(const NodeRows& node, std::size_t column, const NodeContext& context, double floor,
                                    int thread) = 0;
    // A bound of the merit of a column of levels; infinite where there is none.
    virtual double bound_levels(const NodeRows& node, std::size_t column, int thread) = 0;
    // Best first. Ties go to the lowest column: a later one must be better, however little.
    std::vector<Candidate> ranked(const NodeRows& node, std::vector<Candidate> found, int thread);

protected:
    double cost(const Candidate& c) const { return cost_of(static_cast<std::size_t>(c.column), options_); }

    // A cut at random between the least and the largest number of a column; at position 0 there is none, as they are
    // the same.
    struct RandomCut {
        double cut = 0.0;
        std::size_t position = 0;  // entries on the left
    };
    RandomCut random_cut(const NodeRows& node, std::size_t c, const Entry* entries, const NodeContext& context) const;
    // The cut between an entry and the next.
    double cut_after(const NodeRows& node, std::size_t c, const Entry* entry) const;
    // The cut after so many rows in the order of all rows, zeros included.
    double sparse_cut_after(const NodeRows& node, std::size_t c, const SparseColumn& column, std::size_t n_left) const;

    const SearchOptions options_;

private:
    // Rough bounds of the merits of columns. False: the criterion has none.
    virtual bool rough_bounds(const NodeRows& node, const LiveColumns& columns, std::vector<double>& bound,
                              int thread) = 0;
    // Of two candidates that are tied as far as rounded gains tell: is the first one better?
    virtual bool better_exactly(const NodeRows& node, const Candidate& a, const Candidate& b, int thread) = 0;

    std::vector<Candidate> search_for_one(const NodeRows& node, const NodeContext& context, int thread);
    std::vector<Candidate> search_some(const NodeRows& node, const NodeContext& context, int thread);
    bool same_division(const NodeRows& node, const Candidate& a, const Candidate& best, Routing& best_routing) const;
    void drop_constant_columns(NodeRows& node) const;
};

}  // namespace ceiba::split
