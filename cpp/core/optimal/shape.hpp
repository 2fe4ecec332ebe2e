// A plan as the questions of a tree: nodes in pre-order with cuts, level sets and questions of presence.
#pragma once

#include "data/table.hpp"
#include "optimal/columns/features.hpp"
#include "optimal/columns/ranked.hpp"
#include "optimal/optimal.hpp"
#include "optimal/plan.hpp"

namespace ceiba::optimal {

// `rows`: the row of the table for each row of the problem.
Found shape_of(const data::Table& table, const Features& features, const RowData& data,
               const std::vector<std::uint32_t>& rows, const PlanPtr& plan);

}  // namespace ceiba::optimal
