// The merit of a split (its gain over the cost of its column), and the options of cuts, for all finders of exact
// splits.
#pragma once

#include "split/search_options.hpp"
#include "split/store/row_store.hpp"

namespace ceiba::split {

inline double cost_of(std::size_t column, const SearchOptions& options) {
    return options.column_cost.empty() ? 1.0 : options.column_cost[column];
}

// Slightly less than a merit, so that ties with it are still examined.
inline double lowered(double merit) { return merit - std::fabs(merit) * 0x1p-40; }

inline double floor_of(const Candidate& c, const SearchOptions& options) {
    return lowered((c.gain.value() - c.tolerance) / cost_of(static_cast<std::size_t>(c.column), options));
}

// The limits of a division by this column.
inline Limits limits_of(std::size_t column, const SearchOptions& options, const NodeContext& context) {
    return {options.min_rows, options.min_weight, options.min_events,
            options.monotone.empty() ? 0 : options.monotone[column], context.low, context.high};
}

// Whether the cuts of this column are just below the midpoint.
inline bool cuts_below(const NodeRows& node, std::size_t column, const SearchOptions& options) {
    return options.conventions.cuts_below_midpoint &&
           node.store->table->columns[column].kind() != data::ColumnKind::ordered;
}

}  // namespace ceiba::split
