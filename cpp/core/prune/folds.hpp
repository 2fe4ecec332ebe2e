// Assignment of rows to cross-validation folds with integer arithmetic only.
//
// The fold of a row depends only on its stratum and on the number of preceding rows in that stratum: it is the row's
// position in a keyed permutation of the stratum, modulo the number of folds. Pieces of a table can therefore be
// assigned in any order and get the same folds as the complete table.
#pragma once

#include "base/standard.hpp"

namespace ceiba::prune {

// A pseudorandom permutation of 0, ..., size - 1: an unbalanced Feistel network over pairs (i / n_right, i % n_right),
// applied repeatedly until the result is below `size` (cycle walking, Black and Rogaway 2002).
class Permutation {
public:
    Permutation(std::uint64_t size, std::uint64_t key);
    std::uint64_t operator()(std::uint64_t i) const;

private:
    std::uint64_t size_, key_, n_left_ = 1, n_right_ = 1;
};

class FoldDealer {
public:
    // `sizes`: sizes of the strata. `repeat`: number of the assignment, for several assignments with one seed.
    FoldDealer(std::span<const std::uint64_t> sizes, std::uint32_t n_folds, std::uint64_t seed, std::uint64_t repeat);

    // The fold of a row that has `rank` preceding rows in its stratum. Fold sizes differ by at most one row, within a
    // stratum and in total.
    std::uint32_t fold(std::uint32_t stratum, std::uint64_t rank) const {
        const Stratum& entry = strata_[stratum];
        return static_cast<std::uint32_t>((entry.first + entry.order(rank)) % n_folds_);
    }

private:
    struct Stratum {
        std::uint64_t first;  // number of rows in the preceding strata
        Permutation order;
    };
    std::vector<Stratum> strata_;
    std::uint32_t n_folds_;
};

// The fold of each of n rows. `strata` contains the stratum of each row (from 0), or is empty for a single stratum.
std::vector<std::uint32_t> deal_folds(std::uint64_t n_rows, std::span<const std::uint32_t> strata,
                                      std::uint32_t n_folds, std::uint64_t seed, std::uint64_t repeat);

// The fold of each group of rows. Groups are assigned in random order, the largest first, each to the fold with the
// fewest rows.
std::vector<std::uint32_t> deal_groups(std::span<const std::uint64_t> sizes, std::uint32_t n_folds, std::uint64_t seed,
                                       std::uint64_t repeat);

}  // namespace ceiba::prune
