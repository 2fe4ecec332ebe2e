// Sends rows of a table down a finished tree.
//
// Two ways. A tree of plain cuts over columns of numbers takes the fast one, see cut_tree.hpp. Everything else (levels,
// surrogates, rows that stay behind, several branches) takes the general one.
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread_pool.hpp"
#include "data/table.hpp"
#include "predict/cut_tree.hpp"
#include "tree/tree_arrays.hpp"

namespace ceiba::predict {

struct RouterArrays {
    std::vector<std::int32_t> branch_start, branch_node, default_branch, majority_branch;
    tree::SplitTable splits;
    std::vector<std::int32_t> surrogate_start;  // empty: no surrogates
    tree::SplitTable surrogates;
    bool unseen_is_missing = false;  // a level that the node does not know: missing, or to the majority branch
};

// Leaves reached by each row, with its share, as compressed rows; for trees that send rows down several branches.
struct Spread {
    std::vector<std::int64_t> start;
    std::vector<std::int32_t> node;
    std::vector<double> share;
};

class Router {
public:
    explicit Router(RouterArrays arrays, std::vector<double> branch_share = {});

    // The node in which each row ends.
    void apply(const data::Table& table, std::int32_t* out, int n_threads) const;

    // What that node says: `width` values of each node, of type double or int64, for each row.
    template <class T>
    void gather(const data::Table& table, const T* values, std::size_t width, T* out, int n_threads) const;

    // A row that a split cannot place goes down all branches, each with its share of the weight (C4.5).
    Spread spread(const data::Table& table) const;

    std::size_t n_nodes() const { return arrays_.branch_start.size() - 1; }

private:
    int branch_of(const tree::SplitTable& splits, std::size_t split, const data::Table& table, std::size_t row,
                  bool& known) const;
    int branch_at(std::size_t node, const data::Table& table, std::size_t row) const;
    void ends(const data::Table& table, std::size_t begin, std::size_t end, bool by_cuts, std::int32_t* out) const;
    template <class Body>
    void each_block(std::size_t n_rows, int n_threads, Body body) const;
    std::int32_t end_of(const data::Table& table, std::size_t row) const;
    void make_cuts();

    RouterArrays arrays_;
    std::vector<double> branch_share_;  // per branch (as branch_node), for spread()
    CutTree cuts_;                      // empty: the tree asks for more than cuts
};

}  // namespace ceiba::predict
