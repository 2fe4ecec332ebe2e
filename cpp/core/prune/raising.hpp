// Error-based pruning of C4.5 with subtree raising (Quinlan 1993, section 4.2; release 8 of the program).
//
// First, subtrees that make no fewer errors than a leaf collapse. Then, bottom up, a node becomes a leaf, or is
// replaced by its heaviest branch (which also gets the rows of the other branches), if that does not raise the
// pessimistic errors by more than 0.1. The replacement is pruned again. Fractional rows change the shares of the
// branches, so all of them are routed through the raised branch again.
#pragma once

#include "base/interrupt.hpp"
#include "tree/routing_arrays.hpp"

namespace ceiba::prune {

// The rows on which the tree was grown.
struct TrainingRows {
    const data::Table* table;
    std::span<const std::int32_t> label;
    std::span<const double> weight;
    std::size_t n_classes;
};

// Pessimistic errors: z is the quantile of the normal distribution at 1 - confidence.
struct Pessimism {
    double confidence = 0.25, z = 0.6744897501960817;

    // The number of errors added to the observed errors of a leaf.
    double added(double total, double errors) const;
};

struct ErrorPruning {
    std::optional<Pessimism> pessimism;  // none: only collapse subtrees that save no error
    bool raising = true;                 // only with `pessimism`
};

// The pruned tree: its leaves, which describe it if no branch was raised, and its nodes in pre-order.
struct ErrorPruned {
    bool raised = false;                // whether a branch replaced its node; otherwise nodes only became leaves
    std::vector<std::int32_t> leaves;   // original nodes
    std::vector<std::int32_t> content;  // the original node that has the split of each node
    std::vector<std::int32_t> parent;   // in the new numbering
    std::vector<std::uint8_t> leaf;
    std::vector<double> weight;  // weight of the rows
};

// `counts`: class weights of the nodes, n_nodes x n_classes. `rows` are read only if branches may be raised.
ErrorPruned prune_by_errors(tree::RoutingArrays tree, std::span<const double> counts, const TrainingRows& rows,
                            const ErrorPruning& options, base::Interrupt& interrupt);

}  // namespace ceiba::prune
