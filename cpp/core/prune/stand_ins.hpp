// Surrogates of a split that was given, not searched for: what `set_split` needs beside the routing of its rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/table.hpp"
#include "data/target.hpp"
#include "split/finder.hpp"
#include "split/missing/surrogates.hpp"

namespace ceiba::prune {

struct StandIns {
    std::vector<split::Surrogate> surrogates;
    // per row of the table: as given, or where a surrogate sends the row; split::unplaced
    std::vector<std::uint16_t> branch;
};

// `branch` holds 0, 1 or split::unplaced for every row of the table; only target.rows (all, if empty) are looked at.
StandIns stand_ins(const data::Table& table, const data::Target& target, std::span<const std::uint16_t> branch,
                   std::int32_t primary_column, const split::SearchOptions& search,
                   const split::SurrogateOptions& options, bool keep_zero_weights, bool use);

}  // namespace ceiba::prune
