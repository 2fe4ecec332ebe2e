// Targets, weights and predictions of rows on a GPU.
#pragma once

#include "shards/device/device.hpp"

namespace ceiba::shards {

// Returns n values of each column, from equidistant rows; column by column.
std::vector<double> take_sample(Device& device, const std::vector<device::Column>& columns, std::size_t n_rows,
                                std::size_t n);

// The range of a numeric column that must be finite, and the bits of its values.
struct NumberScan {
    double least = 0.0, most = 0.0;
    int lowest = 0, highest = 0;
    std::uint64_t n_not_finite = 0;
};
NumberScan scan_numbers(Device& device, const device::Column& column, std::size_t n_rows);

// Counts the rows of each integer from `low` to below low + n_numbers.
std::vector<std::uint64_t> count_labels(Device& device, const device::Column& column, std::size_t n_rows,
                                        std::int64_t low, std::size_t n_numbers);
// Writes the code of each row's number to `labels`.
void write_labels(Device& device, const device::Column& column, std::size_t n_rows, std::int64_t low,
                  const std::vector<std::uint8_t>& code_of, std::uint64_t labels);

// Writes the final node of each row (int32) to `out`.
void route_rows(Device& device, const std::vector<device::Column>& columns, std::size_t n_rows,
                const std::vector<device::RouteNode>& nodes, const std::vector<int>& branches, std::uint64_t out);

}  // namespace ceiba::shards
