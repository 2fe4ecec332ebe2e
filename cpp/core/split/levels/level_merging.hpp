// CHAID's merging of the categories of a column (Kass 1980): the most similar pair of groups (largest p-value) is
// merged while that p-value is above alpha and more than two groups remain; then groups with too few rows are merged.
// In an ordered column only neighbours are merged; a floating category, the last one, may join any group. Ties go to
// the first pair.
#pragma once

#include "base/interrupt.hpp"

namespace ceiba::split {

enum class Merging { nominal, ordered, floating };
enum class PairTest { pearson, likelihood_ratio, f };

struct MergeStep {
    std::int32_t a, b;  // groups, identified by their first category; b joins a
    double p_value;
};

struct MergedLevels {
    std::vector<std::int32_t> group;  // per category: the first category of its group
    std::vector<MergeStep> steps;
};

// `cells`: categories x width. Class counts; for f: rows, sum and sum of squares of the (centred) target.
MergedLevels merge_levels(std::span<const double> cells, std::size_t width, Merging merging, PairTest test,
                          double alpha, double min_rows, base::Interrupt& interrupt);

// Whether no merging of a nominal column can reduce the logarithm of its adjusted p-value to the limit. False: unknown.
// Merging reduces the statistic, so r groups have at least the p-value of r groups with the statistic of all
// categories, and c categories become r groups in at least r^(c - r) ways. Merging 4,000 levels is slow, this check is
// fast.
bool merging_is_hopeless(std::span<const double> cells, std::size_t width, PairTest test, double log_limit,
                         double min_rows);

}  // namespace ceiba::split
