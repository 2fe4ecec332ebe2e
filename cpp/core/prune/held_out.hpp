// Cross-validation of a pruning sequence in one walk per held-out row (Breiman et al. 1984, section 3.4).
//
// As alpha increases, the leaf of a row moves up its path, so the error of the row is a step function of alpha with at
// most one step per ancestor. Each row adds its steps to an array of differences, and one cumulative sum gives the
// risks.
#pragma once

#include "base/standard.hpp"

namespace ceiba::prune {

// A tree, and for each node the index of the first alpha at which it is collapsed (n_steps if there is none).
struct Path {
    std::span<const std::int32_t> parent, step;
    std::size_t n_steps;
};

// The held-out rows with their weights and their leaves in the unpruned tree.
struct HeldOutRows {
    std::span<const std::int32_t> end;
    std::span<const double> weight;
};

// Sums over the rows of weight x error and of weight x error squared, at each alpha of the grid.
struct Losses {
    std::vector<double> first, second;
};

// The error is cost[label * n_classes + class of the node].
Losses class_losses(const Path& path, const HeldOutRows& rows, std::span<const std::int32_t> label,
                    std::span<const std::int32_t> answer, std::span<const double> cost, std::size_t n_classes);

enum class Loss { squared, absolute, pinball, poisson, poisson_sqrt };

// The error between a number and the value of the node, times the scale of the row (empty: 1). Poisson: half the
// deviance, or half the squared difference of the square roots. Pinball: at this quantile level.
Losses number_losses(const Path& path, const HeldOutRows& rows, std::span<const double> number,
                     std::span<const double> scale, std::span<const double> value, Loss loss, double level);

}  // namespace ceiba::prune
