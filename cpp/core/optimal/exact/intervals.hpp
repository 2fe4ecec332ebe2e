// The open cuts of a node, as intervals between evaluated cuts, in one best-first queue over all features.
//
// Let L(t) and R(t) be the least losses left and right of cut t. L increases and R decreases with t. For cuts t between
// the evaluated cuts a and b
//
//   L(t) + R(t) >= L(a) + R(b)                                    the key of the interval
//   L(t) + R(t) >= L(a) + R(a) - cap(a, t), and the same for b    cap: the caps of the rows between (losses.hpp)
//
// so the head of the queue is a lower bound of all open cuts, and cuts close to a bad cut are dropped (Mazumder, Meng
// and Wang 2022; Brita, van der Linden and Demirovic 2025).
#pragma once

#include "optimal/columns/bit_table.hpp"
#include "optimal/search.hpp"

namespace ceiba::optimal {

struct Interval {
    double key = 0.0;
    std::uint32_t feature = 0;
    std::int64_t low = 0, high = -1;              // open cuts of the feature
    double left = 0.0, right = 0.0;               // L at `from`, R at `to`
    double below = -infinite, above = -infinite;  // L + R at `from` and `to`
    std::int64_t from = -1, to = -1;              // nearest evaluated cuts; cuts in between may be dropped

    std::int64_t middle() const { return low + (high - low) / 2; }
    bool operator<(const Interval& o) const {  // std::priority_queue pops the largest element first
        if (key != o.key) return key > o.key;
        if (feature != o.feature) return feature > o.feature;
        return low > o.low;
    }
};

// The sum of the caps of all rows left of each cut of a feature. Null: each row has cap 1.
using CapSums = std::vector<double> (*)(const Node& node, const LossRule& rule, std::size_t f,
                                        const std::vector<std::uint32_t>& cuts);

template <class Loss>
std::vector<double> cap_sums(const Node& node, const LossRule& rule, std::size_t f,
                             const std::vector<std::uint32_t>& cuts) {
    const std::uint32_t* const e = node.entries(f);
    double sum = 0.0, weight = 0.0, total = 0.0, missing = 0.0;
    for (std::size_t i = 0; i < node.n_present[f]; ++i) total += node.data.weight_of(e[i] & row_mask);
    for (std::size_t i = node.n_present[f]; i < node.n_rows(); ++i)
        missing += Loss::cap(rule, node.data, e[i] & row_mask);
    std::vector<double> out;
    out.reserve(cuts.size());
    std::size_t i = 0;
    for (std::uint32_t position : cuts) {
        for (; i <= position; ++i) {
            sum += Loss::cap(rule, node.data, e[i] & row_mask);
            weight += node.data.weight_of(e[i] & row_mask);
        }
        out.push_back(sum + (weight < total - weight ? 0.0 : missing));
    }
    return out;
}

class OpenCuts {
public:
    OpenCuts(const Node& node, const LossRule& rule, CapSums cap_sums)
        : rule_(rule), cap_sums_(cap_sums), cap_(cap_sums ? node.n_features() : 0) {
        cuts_.reserve(node.n_features());
        for (std::size_t f = 0; f < node.n_features(); ++f) cuts_.push_back(node.cuts(f));
    }

    const std::vector<std::uint32_t>& cuts(std::size_t f) const { return cuts_[f]; }
    std::uint32_t position(const Interval& i, std::int64_t cut) const { return cuts_[i.feature][cut]; }

    // Drops the cuts that cannot cost less than `bound`, by bisection over the ascending cap sums: O(log cuts). Returns
    // whether any were dropped.
    bool shrink(const Node& node, Interval& i, double bound) {
        const std::int64_t low = i.low, high = i.high;
        if (i.below > bound) {
            const double reach = cap(node, i.feature, i.from) + i.below - bound;
            if (std::isfinite(reach) && cap(node, i.feature, i.low) <= reach)
                i.low = 1 + last_holding(i.low, i.high + 1,
                                         [&](std::int64_t cut) { return cap(node, i.feature, cut) <= reach; });
        }
        if (i.above > bound && i.low <= i.high) {
            const double reach = cap(node, i.feature, i.to) - (i.above - bound);
            if (std::isfinite(reach) && cap(node, i.feature, i.high) >= reach)
                i.high = last_holding(i.low - 1, i.high,
                                      [&](std::int64_t cut) { return cap(node, i.feature, cut) < reach; });
        }
        return i.low != low || i.high != high;
    }

    void push(const Interval& i) {
        if (i.low <= i.high) queue_.push(i);
    }
    bool empty() const { return queue_.empty(); }
    const Interval& top() const { return queue_.top(); }
    Interval pop() {
        Interval i = queue_.top();
        queue_.pop();
        return i;
    }

private:
    // The sum of the caps of all rows left of a cut.
    double cap(const Node& node, std::size_t f, std::int64_t cut) {
        if (cap_sums_) {
            if (cap_[f].empty()) cap_[f] = cap_sums_(node, rule_, f, cuts_[f]);
            return cap_[f][cut];
        }
        const std::uint32_t position = cuts_[f][cut];
        const bool heavier = 2 * (position + 1) >= node.n_present[f];
        return position + 1.0 + (heavier ? static_cast<double>(node.n_rows() - node.n_present[f]) : 0.0);
    }
    // The last position in [from, to) at which the condition holds. It must hold at `from`, and once it fails it stays
    // false.
    template <class Condition>
    static std::int64_t last_holding(std::int64_t from, std::int64_t to, Condition holds) {
        while (to - from > 1) {
            const std::int64_t middle = from + (to - from) / 2;
            (holds(middle) ? from : to) = middle;
        }
        return from;
    }

    const LossRule& rule_;
    CapSums cap_sums_;
    std::vector<std::vector<std::uint32_t>> cuts_;
    std::vector<std::vector<double>> cap_;
    std::priority_queue<Interval> queue_;
};

// A cache of results for sets of rows, within a budget of bytes.
//
// A set is identified by the sums of two 64-bit numbers per row: one sum is the hash, the other sum and the size verify
// the match. Two generations approximate least-recently-used: when the young one has used half of the budget, it
// replaces the old one. A lost entry only costs time.
struct CacheEntry {
    double relaxed = 0.0;  // lower bound of all trees of this depth with leaves of any size
    double value = std::numeric_limits<double>::infinity();   // value of the best tree, if it was found
    double tried = -std::numeric_limits<double>::infinity();  // no tree costs less, as far as the search went
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

    static std::array<std::uint64_t, 2> row_hash(std::uint64_t row) {
        return {optimal::row_hash(row, 1), optimal::row_hash(row, 0xD1342543DE82EF95ull)};
    }

    static Key key(const Node& node, int depth, int leaves) {
        Key key{0, 0, static_cast<std::uint32_t>(node.n_rows()), depth, leaves};
        for (std::uint32_t row : node.data.row) {
            const auto [find, verify] = row_hash(row);
            key.find += find, key.verify += verify;
        }
        return key;
    }

    const CacheEntry* find(const Key& key) {
        if (const auto at = young_.find(key); at != young_.end()) return &at->second;
        const auto at = old_.find(key);
        if (at == old_.end()) return nullptr;
        CacheEntry entry = std::move(at->second);
        old_.erase(at);
        return &keep(key, std::move(entry));
    }
    CacheEntry& keep(const Key& key, CacheEntry entry) {
        if (young_.size() >= budget_) {
            old_ = std::move(young_);
            young_.clear();
        }
        return young_[key] = std::move(entry);
    }

private:
    // An entry, its plan with a few splits, and the overhead of the map.
    static constexpr std::size_t entry_bytes = 384;
    struct Hash {
        std::size_t operator()(const Key& k) const {
            return static_cast<std::size_t>(k.find ^ (static_cast<std::uint64_t>(k.depth) << 57) ^
                                            (static_cast<std::uint64_t>(k.leaves) << 49));
        }
    };
    std::size_t budget_;
    std::unordered_map<Key, CacheEntry, Hash> young_, old_;
};

}  // namespace ceiba::optimal
