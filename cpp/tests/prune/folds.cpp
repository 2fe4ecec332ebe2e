// Tests folds: all orders are equally likely, sizes are equal, and parts of a table get the same folds.
#include "prune/folds.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "check.hpp"

namespace ceiba::tests {

namespace {

using Counts = std::vector<std::uint64_t>;
using prune::deal_folds, prune::deal_groups, prune::FoldDealer, prune::Permutation;

void permutations_hold_every_number_once() {
    for (const std::uint64_t n : {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 1000, 4096, 65537}) {
        const Permutation place(n, 42 + n);
        std::vector<char> seen(static_cast<std::size_t>(n), 0);
        for (std::uint64_t i = 0; i < n; ++i) seen[place(i)] = 1;
        check(std::count(seen.begin(), seen.end(), 1) == static_cast<std::ptrdiff_t>(n), "a permutation");
    }
    const std::uint64_t most = ~std::uint64_t{0};
    check(Permutation(most, 1)(most - 1) < most, "of as many rows as 64 bits count");
}

// The chi-square of the frequencies of all orders is within five standard deviations of its mean.
void orders_are_equally_likely() {
    for (const std::uint64_t n : {2, 3, 4, 5, 6}) {
        std::uint64_t n_orders = 1;
        for (std::uint64_t i = 2; i <= n; ++i) n_orders *= i;
        const std::uint64_t n_draws = 200 * n_orders;
        std::map<Counts, double> times;
        for (std::uint64_t key = 0; key < n_draws; ++key) {
            const Permutation place(n, key * 0x9E3779B97F4A7C15ull);
            Counts order;
            for (std::uint64_t i = 0; i < n; ++i) order.push_back(place(i));
            ++times[order];
        }
        check(times.size() == n_orders, "every order occurs");
        double chi_square = 0.0;
        for (const auto& [order, count] : times) chi_square += (count - 200.0) * (count - 200.0) / 200.0;
        const double freedom = static_cast<double>(n_orders) - 1.0;
        check((chi_square - freedom) * (chi_square - freedom) < 25.0 * 2.0 * freedom, "about equally often");
    }
}

Counts sizes_of(const std::vector<std::uint32_t>& fold, std::uint32_t n_folds) {
    Counts sizes(n_folds, 0);
    for (const std::uint32_t f : fold) ++sizes[f];
    return sizes;
}
std::uint64_t spread(const Counts& sizes) {
    return *std::max_element(sizes.begin(), sizes.end()) - *std::min_element(sizes.begin(), sizes.end());
}

void strata_are_spread_evenly() {
    Numbers numbers(5);
    for (const std::uint32_t n_folds : {2u, 3u, 10u}) {
        std::vector<std::uint32_t> strata(997);
        for (std::uint32_t& s : strata) s = std::min(numbers.below(4), numbers.below(4)) * 2;  // odd strata are empty
        const std::vector<std::uint32_t> fold = deal_folds(strata.size(), strata, n_folds, 7, 0);
        check(spread(sizes_of(fold, n_folds)) <= 1, "folds of all rows");
        for (std::uint32_t s = 0; s < 8; s += 2) {
            std::vector<std::uint32_t> members;
            for (std::size_t i = 0; i < fold.size(); ++i)
                if (strata[i] == s) members.push_back(fold[i]);
            check(spread(sizes_of(members, n_folds)) <= 1, "folds of a stratum");
        }
        check(fold == deal_folds(strata.size(), strata, n_folds, 7, 0), "the same again");
        check(fold != deal_folds(strata.size(), strata, n_folds, 8, 0), "another seed");
        check(fold != deal_folds(strata.size(), strata, n_folds, 7, 1), "another repeat");
    }
}

// A part needs the sizes of the strata, and the number of rows of each that precede it.
void pieces_are_dealt_as_the_whole() {
    Numbers numbers(6);
    std::vector<std::uint32_t> strata(500);
    for (std::uint32_t& s : strata) s = numbers.below(3);
    Counts sizes(3, 0), before(3, 0);
    for (const std::uint32_t s : strata) ++sizes[s];
    const std::vector<std::uint32_t> whole = deal_folds(strata.size(), strata, 5, 3, 2);
    const FoldDealer dealer(sizes, 5, 3, 2);
    for (std::size_t i = 0; i < 123; ++i) ++before[strata[i]];
    for (std::size_t i = 123; i < 456; ++i)
        check(dealer.fold(strata[i], before[strata[i]]++) == whole[i], "the fold of a row in a piece");
}

void groups_fill_folds_evenly() {
    Numbers numbers(7);
    Counts sizes(40);
    for (std::uint64_t& size : sizes) size = 1 + numbers.below(20);
    const std::vector<std::uint32_t> fold = deal_groups(sizes, 6, 1, 0);
    Counts load(6, 0);
    for (std::size_t g = 0; g < sizes.size(); ++g) load[fold[g]] += sizes[g];
    check(spread(load) <= *std::max_element(sizes.begin(), sizes.end()), "by at most one group");
    check(fold != deal_groups(sizes, 6, 2, 0), "another seed");
    const Counts equal(12, 5);
    check(spread(sizes_of(deal_groups(equal, 4, 1, 0), 4)) == 0, "groups of one size");
}

template <class F>
bool is_rejected(F f) {
    try {
        f();
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

void wrong_numbers_of_folds_are_rejected() {
    check(is_rejected([] { deal_folds(3, {}, 4, 0, 0); }), "more folds than rows");
    check(is_rejected([] { deal_folds(3, {}, 1, 0, 0); }), "one fold");
    check(is_rejected([] { deal_groups(Counts(2, 9), 3, 0, 0); }), "more folds than groups");
}

const Suite suite("folds", [] {
    permutations_hold_every_number_once();
    orders_are_equally_likely();
    strata_are_spread_evenly();
    pieces_are_dealt_as_the_whole();
    groups_fill_folds_evenly();
    wrong_numbers_of_folds_are_rejected();
});

}  // namespace

}  // namespace ceiba::tests
