// Rows dealt to the folds of a cross-validation, by integers alone.
//
// The fold of a row follows from its stratum and from how many rows of that stratum come before it: its place in a
// keyed permutation of the stratum, modulo the number of folds. No row needs to know another, so pieces of a table are
// dealt one by one, in any order, and their folds are those of the whole table.
#pragma once

#include "base/standard.hpp"

namespace ceiba::prune {

// A pseudorandom permutation of 0, ..., size - 1: an unbalanced Feistel network over pairs (i / n_right, i % n_right),
// followed until it ends below `size` (Black and Rogaway 2002).
class Permutation {
public:
    Permutation(std::uint64_t size, std::uint64_t key);
    std::uint64_t operator()(std::uint64_t i) const;

private:
    std::uint64_t size_, key_, n_left_ = 1, n_right_ = 1;
};

class FoldDealer {
public:
    // Sizes of the strata; `repeat` numbers several deals of one seed.
    FoldDealer(std::span<const std::uint64_t> sizes, std::uint32_t n_folds, std::uint64_t seed, std::uint64_t repeat);

    // The fold of the row that has `rank` rows of its stratum before it. Folds of a stratum, and of all rows, differ by
    // at most one row.
    std::uint32_t fold(std::uint32_t stratum, std::uint64_t rank) const {
        const Stratum& own = strata_[stratum];
        return static_cast<std::uint32_t>((own.first + own.order(rank)) % n_folds_);
    }

private:
    struct Stratum {
        std::uint64_t first;  // rows of the strata before
        Permutation order;
    };
    std::vector<Stratum> strata_;
    std::uint32_t n_folds_;
};

// The fold of each of n rows; `strata` (empty: one) holds a number from 0 for each row.
std::vector<std::uint32_t> deal_folds(std::uint64_t n_rows, std::span<const std::uint32_t> strata,
                                      std::uint32_t n_folds, std::uint64_t seed, std::uint64_t repeat);

// The fold of each group of rows: groups in random order, the largest first, each into the fold with the fewest rows.
std::vector<std::uint32_t> deal_groups(std::span<const std::uint64_t> sizes, std::uint32_t n_folds, std::uint64_t seed,
                                       std::uint64_t repeat);

}  // namespace ceiba::prune
