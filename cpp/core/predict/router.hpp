// Routes rows of a table down a finished tree, by one of three methods. Trees of plain cuts over numeric columns use
// the fastest one (cut_tree.hpp), all others the next one (general_tree.hpp). Very large tables of levels, sparse
// matrices, and columns of another kind than in the tree are routed node by node (tree/route_rows.hpp).
#pragma once

#include "base/thread_pool.hpp"
#include "predict/cut_tree.hpp"
#include "predict/general_tree.hpp"

namespace ceiba::predict {

// The leaves that each row reaches, with its share, as compressed rows; for trees that send rows down several branches.
struct Spread {
    std::vector<std::int64_t> start;
    std::vector<std::int32_t> node;
    std::vector<double> share;
    std::vector<std::int64_t> n_rows;  // per node: number of rows that pass it
};

class Router {
public:
    explicit Router(tree::RoutingArrays arrays);

    // Writes the final node of each row.
    void apply(const data::Table& table, std::int32_t* out, int n_threads) const;

    // The final node of a row of numbers that are `column_step` bytes apart; -1: the tree has other splits than cuts.
    template <class T>
    std::int32_t end_of_numbers(const char* row, std::ptrdiff_t column_step) const {
        return cuts_.empty() ? -1 : cuts_.end_of<T>(row, column_step);
    }

    // Writes the values of that node for each row: `width` values of type double or int64 per node.
    template <class T>
    void gather(const data::Table& table, const T* values, std::size_t width, T* out, int n_threads) const;

    // A row that a split cannot place goes down all branches, each with its share of the weight (C4.5).
    // `counted`: the rows that n_rows counts; empty: all.
    Spread spread(const data::Table& table, std::span<const std::uint8_t> counted = {}) const;

    const tree::RoutingArrays& arrays() const { return arrays_; }

private:
    enum class Method { cuts, general, by_node };
    Method method(const data::Table& table) const;
    void ends(const data::Table& table, std::size_t begin, std::size_t end, Method method, std::int32_t* out) const;
    template <class Body>
    void each_block(std::size_t n_rows, int n_threads, Body body) const;
    std::int32_t end_of(const data::Table& table, std::size_t row) const;
    void make_cuts();

    tree::RoutingArrays arrays_;
    CutTree cuts_;         // empty: the tree has other splits than cuts
    GeneralTree general_;  // empty: the tree has only cuts, or is too large
};

}  // namespace ceiba::predict
