// A set of ranks 0 .. n-1 that finds the neighbours of a member. It is a hierarchical bitmap: each bit of a level says
// whether a word of the level below contains a member. A step to a neighbour is one shift and one count of zeros where
// the set is dense, and visits at most a few words where it is sparse.
#pragma once

#include "base/standard.hpp"

namespace ceiba::base {

class RankSet {
public:
    // Makes the set empty, or fills it with 0 .. n-1.
    void reset(std::size_t n, bool full) {
        n_levels_ = 0;
        for (std::size_t size = n;; size = (size + 63) / 64) {
            auto& level = level_[n_levels_++];
            level.assign(size / 64 + 1, full ? ~std::uint64_t{0} : 0);
            if (full) level.back() = (std::uint64_t{1} << (size % 64)) - 1;
            if (size <= 64) break;
        }
    }
    void insert(std::uint32_t r) {
        for (std::size_t l = 0; l < n_levels_; ++l, r /= 64)
            if (std::exchange(level_[l][r / 64], level_[l][r / 64] | bit(r)) != 0) return;
    }
    void erase(std::uint32_t r) {
        for (std::size_t l = 0; l < n_levels_; ++l, r /= 64)
            if ((level_[l][r / 64] &= ~bit(r)) != 0) return;
    }
    // The next member below or above r, or r itself if there is none. Both are computed, because the direction is
    // unpredictable and a branch would be slower.
    std::uint32_t neighbour(std::uint32_t r, bool downwards) const {
        const std::uint64_t word = level_[0][r / 64];
        const std::uint64_t under = word << (63 - r % 64) << 1, over = word >> (r % 64) >> 1;
        const auto down = r - 1 - static_cast<std::uint32_t>(std::countl_zero(under | 1)),
                   up = r + 1 + static_cast<std::uint32_t>(std::countr_zero(over | (std::uint64_t{1} << 63)));
        if ((downwards ? under : over) == 0) return downwards ? far_below(r) : far_above(r);
        return downwards ? down : up;
    }

private:
    static std::uint64_t bit(std::uint32_t r) { return std::uint64_t{1} << (r % 64); }

    std::uint32_t far_above(std::uint32_t r) const {
        std::uint32_t at = r / 64;
        for (std::size_t l = 1; l < n_levels_; ++l, at /= 64) {
            const std::uint64_t here = level_[l][at / 64] >> (at % 64) >> 1;
            if (here == 0) continue;
            at += 1 + static_cast<std::uint32_t>(std::countr_zero(here));
            while (l-- > 0) at = at * 64 + static_cast<std::uint32_t>(std::countr_zero(level_[l][at]));
            return at;
        }
        return r;
    }
    std::uint32_t far_below(std::uint32_t r) const {
        std::uint32_t at = r / 64;
        for (std::size_t l = 1; l < n_levels_; ++l, at /= 64) {
            const std::uint64_t here = level_[l][at / 64] << (63 - at % 64) << 1;
            if (here == 0) continue;
            at -= 1 + static_cast<std::uint32_t>(std::countl_zero(here));
            while (l-- > 0) at = at * 64 + 63 - static_cast<std::uint32_t>(std::countl_zero(level_[l][at]));
            return at;
        }
        return r;
    }

    std::array<std::vector<std::uint64_t>, 6> level_;  // 64^6 ranks exceed the number of rows
    std::size_t n_levels_ = 0;
};

}  // namespace ceiba::base
