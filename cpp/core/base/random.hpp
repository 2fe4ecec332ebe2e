// A small counter-based generator (splitmix64). The numbers of a node depend only on the seed and on the node's
// position in the tree, so max_features and random cuts give the same tree for any number of threads.
#pragma once

#include "base/standard.hpp"

namespace ceiba::base {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15ull;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    // Sufficiently uniform for choosing columns: the modulus bias is below bound / 2^64.
    std::uint64_t below(std::uint64_t bound) { return next() % bound; }

private:
    std::uint64_t state_;
};

// The seed of the b-th branch of a node with this seed.
inline std::uint64_t branch_seed(std::uint64_t seed, std::uint64_t branch) {
    return Random(seed ^ (0xD1B54A32D192ED03ull * (branch + 1))).next();
}

}  // namespace ceiba::base
