// One table, its target and the trees grown from it, for programs without Python: columns in, arrays out.
//
// The definitions are those of the package: the search of `grow`, the alphas of `weakest_link`, the folds of `folds`,
// the losses of `held_out`. Every row weighs 1, and the tree has one output.
#pragma once

#include "grow/grow.hpp"
#include "predict/router.hpp"

namespace ceiba::wasm {

// An array that a caller may read, until the session changes; type: b int8, i int32, q int64, d double.
struct View {
    const void* data;
    std::size_t size;
    char type;
};

// The nested trees T(alpha), from the largest to the root, and their cross-validated risks.
struct Sequence {
    std::vector<double> alpha, risk, cv_risk, cv_se;
    std::vector<std::int32_t> n_leaves;
    std::vector<std::int32_t> chosen;  // the step of least risk, and that of the 1-SE rule; empty: not cross-validated
};

// The gain of every cut of one column at one node.
struct Curve {
    std::vector<double> cut, gain;
};

class Session {
public:
    explicit Session(std::size_t n_rows) { table_.n_rows = target_.n_rows = n_rows; }

    void add_numbers(const double* values);
    void add_levels(const std::int32_t* codes, std::int32_t n_levels);
    void set_classes(const std::int32_t* labels, std::int32_t n_classes);
    void set_numbers(const double* numbers);
    // An option of `grow::for_each_option` that is a number, by its name.
    void set_option(const std::string& name, double value);
    void set_criterion(const std::string& name) { options_.search.criterion = criteria::criterion_from(name); }

    // The tree of all rows and its pruning sequence; returns the number of nodes.
    int grow();
    // T(alpha), whose arrays begin with `pruned_`; returns the number of its nodes.
    int prune(double alpha);
    // Deals the rows to folds, classes spread evenly; returns how many there are.
    int deal_folds(std::uint32_t n_folds, std::uint64_t seed);
    // Grows the tree of the other rows and adds the losses of the held-out ones; the last fold completes the risks.
    void validate(std::uint32_t fold);
    // The best split of the rows of a node and at most so many runners-up: arrays that begin with `stump_`.
    int compare(std::int32_t node, int max_competitors);
    void draw_curve(std::int32_t node, std::int32_t column);
    // The node in which each row of the table ends.
    const std::vector<std::int32_t>& ends();

    View view(const std::string& name);

private:
    std::vector<std::uint32_t> rows_of(std::int32_t node);
    tree::TreeArrays grow_on(std::span<const std::uint32_t> rows, const grow::GrowOptions& options);

    data::Table table_;
    data::Target target_;
    grow::GrowOptions options_;
    tree::TreeArrays tree_, stump_, pruned_;
    std::vector<double> risk_, pruned_risk_, node_alpha_;  // R(t); the alpha at which each node collapses
    Sequence sequence_;
    Curve curve_;
    std::vector<std::uint32_t> fold_;
    std::uint32_t n_folds_ = 0, n_validated_ = 0;
    std::vector<double> first_, second_;  // sums of held-out errors and of their squares, by step
    std::vector<std::int32_t> ends_;
};

}  // namespace ceiba::wasm
