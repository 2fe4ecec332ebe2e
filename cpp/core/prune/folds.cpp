#include "prune/folds.hpp"

#include "base/random.hpp"

namespace ceiba::prune {

namespace {

// Each round changes a small network only a little, so it needs more rounds. With 24 rounds, 144,000 draws show no
// difference between the frequencies of all orders of 2 to 6 rows (cpp/tests/prune/folds.cpp).
std::uint64_t rounds_for(std::uint64_t size) { return size < 65536 ? 24 : 8; }

std::uint64_t mix(std::uint64_t x) { return base::Random(x).next(); }

// (part + a pseudorandom number below n derived from x) modulo n, where n is at most 2^32.
std::uint64_t shift(std::uint64_t part, std::uint64_t n, std::uint64_t x) {
    part += (mix(x) >> 32) * n >> 32;
    return part < n ? part : part - n;
}

void check_folds(std::uint64_t n_units, std::uint32_t n_folds, const char* units) {
    if (n_folds < 2) throw std::invalid_argument("n_folds must be at least 2, got " + std::to_string(n_folds) + ".");
    if (n_folds > n_units)
        throw std::invalid_argument("n_folds must be at most the number of " + std::string(units) + " (" +
                                    std::to_string(n_units) + "), got " + std::to_string(n_folds) + ".");
}

}  // namespace

Permutation::Permutation(std::uint64_t size, std::uint64_t key) : size_(size), key_(key) {
    while (n_left_ < size / n_left_ + (size % n_left_ != 0)) n_left_ *= 2;
    n_right_ = size / n_left_ + (size % n_left_ != 0);
}

std::uint64_t Permutation::operator()(std::uint64_t i) const {
    if (size_ < 2) return i;
    const std::uint64_t n_rounds = rounds_for(size_);
    do {
        std::uint64_t left = i / n_right_, right = i % n_right_;
        for (std::uint64_t round = 0; round < n_rounds; round += 2) {
            left = shift(left, n_left_, key_ + (round << 32) + right);
            right = shift(right, n_right_, key_ + ((round + 1) << 32) + left);
        }
        i = left * n_right_ + right;
    } while (i >= size_);
    return i;
}

FoldDealer::FoldDealer(std::span<const std::uint64_t> sizes, std::uint32_t n_folds, std::uint64_t seed,
                       std::uint64_t repeat)
    : n_folds_(n_folds) {
    std::uint64_t first = 0, key = mix(mix(seed) + repeat);
    for (const std::uint64_t size : sizes) {
        strata_.push_back({first, Permutation(size, key = mix(key))});
        first += size;
    }
    check_folds(first, n_folds, "rows");
}

std::vector<std::uint32_t> deal_folds(std::uint64_t n_rows, std::span<const std::uint32_t> strata,
                                      std::uint32_t n_folds, std::uint64_t seed, std::uint64_t repeat) {
    std::vector<std::uint64_t> sizes(strata.empty() ? 1 : *std::max_element(strata.begin(), strata.end()) + 1ull, 0);
    if (strata.empty()) sizes[0] = n_rows;
    for (const std::uint32_t stratum : strata) ++sizes[stratum];
    const FoldDealer dealer(sizes, n_folds, seed, repeat);
    std::vector<std::uint64_t> rank(sizes.size(), 0);
    std::vector<std::uint32_t> fold(static_cast<std::size_t>(n_rows));
    for (std::size_t i = 0; i < fold.size(); ++i) {
        const std::uint32_t stratum = strata.empty() ? 0 : strata[i];
        fold[i] = dealer.fold(stratum, rank[stratum]++);
    }
    return fold;
}

std::vector<std::uint32_t> deal_groups(std::span<const std::uint64_t> sizes, std::uint32_t n_folds, std::uint64_t seed,
                                       std::uint64_t repeat) {
    check_folds(sizes.size(), n_folds, "groups");
    const Permutation place(sizes.size(), mix(mix(seed) + repeat));
    std::vector<std::size_t> order(sizes.size());
    for (std::size_t g = 0; g < sizes.size(); ++g) order[place(g)] = g;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
    using Load = std::pair<std::uint64_t, std::uint32_t>;  // rows of a fold so far, and the fold
    std::priority_queue<Load, std::vector<Load>, std::greater<>> lightest;
    for (std::uint32_t f = 0; f < n_folds; ++f) lightest.emplace(0, f);
    std::vector<std::uint32_t> fold(sizes.size());
    for (const std::size_t g : order) {
        const auto [rows, lightest_fold] = lightest.top();
        lightest.pop();
        fold[g] = lightest_fold;
        lightest.emplace(rows + sizes[g], lightest_fold);
    }
    return fold;
}

}  // namespace ceiba::prune
