// What is known of sets of rows that were searched before, within a budget of bytes.
//
// A set is known by the sums of two 64-bit numbers per row: one finds it, the other and the size verify it. Two
// generations stand for least-recently-used: when the young one has half of the budget it becomes the old one, and the
// old one is forgotten. Forgetting costs time only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>

#include "optimal/columns/ranked.hpp"
#include "optimal/plan.hpp"

namespace ceiba::optimal {

struct Known {
    double relaxed = 0.0;  // no tree of this depth, whatever the size of its leaves, costs less
    double value = std::numeric_limits<double>::infinity();   // of the best tree, if it was found
    double tried = -std::numeric_limits<double>::infinity();  // no tree costs less than this, as far as was searched
    PlanPtr plan;
};

class Cache {
public:
    explicit Cache(std::size_t bytes) : budget_(bytes / 2 / entry_bytes) {}

    struct Key {
        std::uint64_t find, verify;
        std::uint32_t n_rows;
        std::int32_t depth, leaves;
        bool operator==(const Key&) const = default;
    };

    bool enabled() const { return budget_ > 0; }

    static Key key(const Node& node, int depth, int leaves) {
        Key key{0, 0, static_cast<std::uint32_t>(node.n_rows()), depth, leaves};
        for (std::uint32_t row : node.data.row) {
            key.find += mix(row + 0x9E3779B97F4A7C15ull);
            key.verify += mix(row * 0xD1342543DE82EF95ull + 0x2545F4914F6CDD1Dull);
        }
        return key;
    }

    const Known* find(const Key& key) {
        if (const auto at = young_.find(key); at != young_.end()) return &at->second;
        const auto at = old_.find(key);
        if (at == old_.end()) return nullptr;
        Known known = std::move(at->second);
        old_.erase(at);
        return &keep(key, std::move(known));
    }
    Known& keep(const Key& key, Known known) {
        if (young_.size() >= budget_) {
            old_ = std::move(young_);
            young_.clear();
        }
        return young_[key] = std::move(known);
    }

private:
    // An entry, its plan of a few questions, and what the map needs.
    static constexpr std::size_t entry_bytes = 384;
    static std::uint64_t mix(std::uint64_t x) {  // splitmix64
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
        return x ^ (x >> 31);
    }
    struct Hash {
        std::size_t operator()(const Key& k) const {
            return static_cast<std::size_t>(k.find ^ (static_cast<std::uint64_t>(k.depth) << 57) ^
                                            (static_cast<std::uint64_t>(k.leaves) << 49));
        }
    };
    std::size_t budget_;
    std::unordered_map<Key, Known, Hash> young_, old_;
};

}  // namespace ceiba::optimal
