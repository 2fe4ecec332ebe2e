// Bins of columns on a GPU: records of rows, and the range of values in each bin.
#pragma once

#include "shards/device/device.hpp"
#include "shards/rows/shard.hpp"

namespace ceiba::shards {

// The number of columns per plane of records. Their edges and ranges must fit into the shared memory of a block.
std::size_t columns_of_plane(const Device& device, std::size_t n_columns);

struct DeviceBins {
    std::vector<BinRanges> ranges;
    std::vector<std::uint64_t> n_missing;
};

// Bins the rows of `params` in the columns of one plane; without records, only the ranges are computed.
void bin_plane(Device& device, DeviceBuffer& tables, std::span<const device::Column> columns,
               std::span<const std::vector<double>> edges, std::size_t record_words, device::BinRows params,
               DeviceBins& out);

// For each cut (at most 254, ascending), the largest value below it (`least`) and the smallest above it (`most`).
BinRanges values_around(Device& device, const device::Column& column, std::size_t n_rows,
                        const std::vector<double>& cuts);

}  // namespace ceiba::shards
