// Sends rows of a table down a finished tree.
//
// Two ways. A tree of plain cuts over float64 columns takes the fast one: nodes of 16 bytes, the two branches of a node next to each
// other, eight rows under way at once so that their cache misses overlap. Everything else (levels, surrogates, rows that
// stay behind, several branches) takes the general one.
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread_pool.hpp"
#include "data/table.hpp"
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

    // A row that a split cannot place goes down all branches, each with its share of the weight (C4.5).
    Spread spread(const data::Table& table) const;

    std::size_t n_nodes() const { return arrays_.branch_start.size() - 1; }

private:
    struct FastNode {
        double cut;
        std::int32_t column;        // 0 in leaves: any valid column, the comparison leads back to the leaf
        std::uint32_t first_child;  // bit 31: missing goes to the second branch
    };

    int branch_of(const tree::SplitTable& splits, std::size_t split, const data::Table& table, std::size_t row,
                  bool& known) const;
    int branch_at(std::size_t node, const data::Table& table, std::size_t row) const;
    std::int32_t end_of(const data::Table& table, std::size_t row) const;
    void make_fast();
    template <class T>
    void apply_fast(const data::Table& table, std::size_t begin, std::size_t end, std::int32_t* out) const;

    RouterArrays arrays_;
    std::vector<double> branch_share_;   // per branch (as branch_node), for spread()
    std::vector<FastNode> fast_;         // empty: the tree is not simple
    std::vector<std::int32_t> fast_id_;  // node id of each fast node
    int fast_depth_ = 0;
};

}  // namespace ceiba::predict
