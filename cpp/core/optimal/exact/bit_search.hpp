// The exact search for classification errors and columns with few cuts: each cut is a binary column with one bit per
// row.
//
// The last two levels are solved at once from the counts of all pairs (pair_counts.hpp). Above them the columns are
// tried in their order, the larger part first. Two kinds of lower bounds rule out columns before their parts are
// searched: bounds of the same rows (from the cache) and bounds of similar sets of rows. A row changes the number of
// errors by at most one, so
//
//   OPT(S) >= OPT(T) - |T \ S|
//
// for the parts S of a column and the parts T of every column tried before it in the node. min_samples_leaf breaks this
// property, so the bound is not used with it.
#pragma once

#include "optimal/exact/intervals.hpp"
#include "optimal/exact/pair_counts.hpp"

namespace ceiba::optimal {

class BitSearch {
public:
    // Whether the search supports these columns. The loss must be the number of errors.
    static bool applies(const Features& features);

    BitSearch(const Features& features, const Rules& rules, Clock& clock, Cache& cache);

    // See Search::solve.
    Solution solve(const Node& node, int depth, int leaves, double bound, Observer* observer);

private:
    struct Part {
        BitRows rows;
        std::uint64_t find = 0, verify = 0;  // hashes of the rows
        double leaf = 0.0;                   // loss as a leaf
        double floor = 0.0;                  // lower bound of the loss of all trees
    };
    struct Level {
        std::array<Part, 2> part;
        NodeBits bits;
        std::array<std::vector<double>, 2> least;  // per column: lower bounds of its two parts
    };

    Solution solve(const Part& node, int depth, int leaves, double bound, Observer* observer);
    Solution search(const Part& node, int depth, int leaves, double bound, Observer* observer);
    Solution stump(const Part& node, double bound);
    Solution two_levels(const Part& node, int leaves, double bound);
    Solution deeper(const Part& node, int depth, int leaves, double bound, Observer* observer);
    Solution below_cut(Level& level, int depth, int leaves, double limit, std::array<double, 2>& least);

    double split_bound(const Part& node, int leaves) const;
    double known_bound(const Part& node, int depth, int leaves);
    void bound_similar(Level& level, std::size_t tried, std::size_t n_rows) const;
    void divide(const Part& node, std::uint32_t cut, std::array<Part, 2>& part) const;
    void finish(Part& part) const;
    // The best stump, as the index of its column among those of the node. Ties go to the first column.
    std::size_t best_stump(const Part& node, const NodeBits& bits, std::int32_t& right) const;
    PlanPtr stump_of(const Part& node);
    PlanPtr plan_of(const Part& node, std::uint32_t cut, PlanPtr left, PlanPtr right) const;
    Level& level(int depth);
    // The lower bound that a computed value implies. Integers are exact; other values have the tolerance as error.
    double below(double value) const { return whole_ ? value : value - rules_.tolerance; }

    const Features& features_;
    const Rules rules_;
    Clock& clock_;
    Cache& cache_;
    bool whole_;      // values are integers
    bool remembers_;  // trees are deep enough for the cache
    BitTable table_;
    std::vector<double> row_floor_;  // loss that no tree can avoid (RowData)
    std::vector<std::array<std::uint64_t, 2>> row_hash_;
    PairCounts pairs_;
    std::vector<std::unique_ptr<Level>> levels_;
};

}  // namespace ceiba::optimal
