// Exact Shapley values of a tree for many rows.
//
// There are two games. *Path-dependent* (Lundberg et al. 2020): at a split on an unknown column the row takes every
// branch, in proportion to the training shares. A row with a known value is routed as usual, by surrogates or the
// default branch if it is missing. *Interventional*: unknown columns have the values of a background row, and the
// result is the mean over the background.
#pragma once

#include "base/interrupt.hpp"
#include "base/thread_pool.hpp"
#include "explain/game_tree.hpp"

namespace ceiba::explain {

// `share`: the share of each branch, in the order of branch_node. `values`: nodes x width.
class Shapley {
public:
    Shapley(const tree::RoutingArrays& arrays, const double* share, Values values, std::size_t n_columns,
            bool interactions)
        : arrays_(arrays),
          values_(values),
          n_columns_(n_columns),
          interactions_(interactions),
          tree_(game_tree(arrays, share)) {}

    // Length of an output row: columns (x columns for interactions) x width.
    std::size_t row_size() const { return (interactions_ ? n_columns_ * n_columns_ : n_columns_) * values_.width; }

    // Adds to `out` (rows x row_size), which must be zero on entry.
    void path_dependent(const data::Table& table, double* out, base::ThreadPool& pool,
                        base::Interrupt& interrupt) const;
    // `weight`: weights of the background rows, with sum 1.
    void interventional(const data::Table& table, const data::Table& background, const double* weight, double* out,
                        base::ThreadPool& pool, base::Interrupt& interrupt) const;

    // The prediction with all columns unknown, from the training shares.
    std::vector<double> expected() const;

private:
    Cover chosen_cover(std::size_t n_rows) const;
    std::vector<Unit> make_units(const Cover& cover, const LeafTable& leaf_table, base::ThreadPool& pool) const;
    template <class Add>
    void each_block(const data::Table& table, double* out, base::ThreadPool& pool, base::Interrupt& interrupt,
                    Add add) const;
    void mirror(double* row) const;

    const tree::RoutingArrays& arrays_;
    Values values_;
    std::size_t n_columns_;
    bool interactions_;
    GameTree tree_;
};

}  // namespace ceiba::explain
