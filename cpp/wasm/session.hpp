// One table, its target and the trees grown from it, for programs without Python: columns in, arrays out.
//
// The definitions are those of the Python package: the search of `grow`, the alphas of `weakest_link`, the folds of
// `folds`, the losses of `held_out`. Each row weighs 1, and the tree has one output.
#pragma once

#include "grow/grow.hpp"
#include "predict/router.hpp"

namespace ceiba::wasm {

// An array that a caller may read until the session changes. Types: b int8, i int32, q int64, d double.
struct View {
    const void* data;
    std::size_t size;
    char type;
};

// The pruning sequence T(alpha), from the largest tree to the root, and the cross-validated risks.
struct Sequence {
    std::vector<double> alpha, risk, cv_risk, cv_se;
    std::vector<std::int32_t> n_leaves;
    std::vector<std::int32_t> chosen;  // steps of the least risk and of the 1-SE rule; empty: not cross-validated
};

// The gain of every cut of one column in one node.
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
    // Sets a numeric option of `grow::for_each_option` by its name.
    void set_option(const std::string& name, double value);
    void set_criterion(const std::string& name) { options_.search.criterion = criteria::criterion_from(name); }

    // Grows a tree from all rows and computes its pruning sequence. Returns the number of nodes.
    int grow();
    // Computes T(alpha), whose arrays have names that begin with `pruned_`. Returns the number of its nodes.
    int prune(double alpha);
    // Assigns the rows to folds, stratified by class. Returns the number of folds.
    int deal_folds(std::uint32_t n_folds, std::uint64_t seed);
    // Grows a tree without the rows of a fold and adds the losses of these rows. The last fold completes the risks.
    void validate(std::uint32_t fold);
    // Finds the best split of a node's rows and up to max_competitors competitors, as arrays named `stump_...`.
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
    std::vector<double> risk_, pruned_risk_, node_alpha_;  // R(t); alpha at which each node collapses
    Sequence sequence_;
    Curve curve_;
    std::vector<std::uint32_t> fold_;
    std::uint32_t n_folds_ = 0, n_validated_ = 0;
    std::vector<double> first_, second_;  // sums of held-out errors and of their squares, per step
    std::vector<std::int32_t> ends_;
};

}  // namespace ceiba::wasm
