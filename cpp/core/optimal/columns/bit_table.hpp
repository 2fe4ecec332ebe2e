// The cuts of columns with few ranks as bits: row after row, 64 cuts per word.
#pragma once

#include <unordered_set>

#include "optimal/columns/features.hpp"

namespace ceiba::optimal {

struct BitTable {
    struct Cut {
        std::uint32_t feature, lower;  // a bit is 1 if the rank is above `lower`
    };
    std::vector<Cut> cuts;
    std::size_t n_blocks = 0;         // words per row
    std::vector<std::uint64_t> bits;  // row after row

    bool is_one(std::uint32_t row, std::uint32_t cut) const { return bits[row * n_blocks + cut / 64] >> cut % 64 & 1; }
};

// A pseudorandom number per row. Sums of these numbers identify sets of rows.
inline std::uint64_t row_hash(std::uint64_t row, std::uint64_t seed) {
    std::uint64_t x = row * seed + 0x9E3779B97F4A7C15ull;  // splitmix64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

// Contains the features with at most `most_ranks` ranks. A cut that divides all rows like an earlier one can never win
// and is left out; duplicates are detected by a hash of the part that contains row 0.
inline BitTable bit_table(const Features& features, std::uint32_t most_ranks) {
    BitTable table;
    const std::size_t n = features.all.empty() ? 0 : features.all[0].rank.size();
    const auto can_be_asked = [&](const Feature& f) { return !f.bounds_only && f.n_ranks <= most_ranks; };
    std::unordered_set<std::uint64_t> seen;
    for (std::uint32_t f = 0; f < features.all.size(); ++f) {
        const std::vector<std::uint32_t>& rank = features.all[f].rank;
        if (!can_be_asked(features.all[f]) || std::find(rank.begin(), rank.end(), unranked) != rank.end()) continue;
        for (std::uint32_t lower = 0; lower + 1 < features.all[f].n_ranks; ++lower) {
            std::uint64_t hash[2] = {};
            for (std::size_t i = 0; i < n; ++i) hash[rank[i] > lower] += row_hash(i, 1);
            if (seen.insert(hash[rank[0] > lower]).second) table.cuts.push_back({f, lower});
        }
    }
    table.n_blocks = (table.cuts.size() + 63) / 64;
    table.bits.assign(n * table.n_blocks, 0);
    for (std::size_t c = 0; c < table.cuts.size(); ++c) {
        const std::vector<std::uint32_t>& rank = features.all[table.cuts[c].feature].rank;
        for (std::size_t i = 0; i < n; ++i)
            table.bits[i * table.n_blocks + c / 64] |= std::uint64_t{rank[i] > table.cuts[c].lower} << c % 64;
    }
    return table;
}

}  // namespace ceiba::optimal
