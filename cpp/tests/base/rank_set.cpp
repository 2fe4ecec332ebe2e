// Tests the set of ranks against std::set.
#include "base/rank_set.hpp"

#include <set>

#include "check.hpp"

namespace ceiba::tests {

namespace {

std::uint32_t neighbour(const std::set<std::uint32_t>& members, std::uint32_t r, bool downwards) {
    if (downwards) {
        const auto at = members.lower_bound(r);
        return at == members.begin() ? r : *std::prev(at);
    }
    const auto at = members.upper_bound(r);
    return at == members.end() ? r : *at;
}

void run() {
    Numbers numbers(6);
    for (std::uint32_t n : {1u, 2u, 63u, 64u, 65u, 128u, 4095u, 4096u, 4097u, 262144u, 300000u}) {
        for (bool full : {false, true}) {
            base::RankSet set;
            set.reset(n, full);
            std::set<std::uint32_t> members;
            for (std::uint32_t r = 0; full && r < n; ++r) members.insert(members.end(), r);
            // A full set is partly emptied, an empty one is filled; then both change randomly, in clusters.
            for (int step = 0; step < 3000; ++step) {
                const std::uint32_t centre = numbers.below(n);
                const std::uint32_t r = step % 3 ? centre : std::min(n - 1, centre / 64 * 64 + numbers.below(64));
                if (numbers.bits() & 1)
                    set.insert(r), members.insert(r);
                else
                    set.erase(r), members.erase(r);
                const std::uint32_t asked = numbers.below(n);
                for (bool downwards : {false, true})
                    check(set.neighbour(asked, downwards) == neighbour(members, asked, downwards), "neighbour");
            }
            // A nearly empty set has distant neighbours.
            for (std::uint32_t r : std::set<std::uint32_t>(members)) set.erase(r);
            members.clear();
            for (std::uint32_t r : {0u, n / 2, n - 1}) set.insert(r), members.insert(r);
            for (std::uint32_t asked : {0u, n / 4, n / 2, n - 1 - n / 4, n - 1})
                for (bool downwards : {false, true})
                    check(set.neighbour(asked, downwards) == neighbour(members, asked, downwards), "far neighbour");
        }
    }
}

const Suite suite("rank_set", run);

}  // namespace

}  // namespace ceiba::tests
