// Columns on a GPU in bins: records of rows, and the range of values in each bin.
#pragma once

#include "shards/device/device.hpp"
#include "shards/rows/shard.hpp"

namespace ceiba::shards {

// Columns of one plane of records: as many as have their edges and ranges in the shared memory of a block.
std::size_t columns_of_plane(const Device& device, std::size_t n_columns);

struct DeviceBins {
    std::vector<BinRanges> ranges;
    std::vector<std::uint64_t> n_missing;
};

// Bins the rows of `params` in the columns of one plane; without records, only the ranges are wanted.
void bin_plane(Device& device, DeviceBuffer& tables, std::span<const device::Column> columns,
               std::span<const std::vector<double>> edges, std::size_t record_words, device::BinRows params,
               DeviceBins& out);

// For each cut of a column, the largest value below it (`least`) and the smallest above; cuts ascend, at most 254.
BinRanges values_around(Device& device, const device::Column& column, std::size_t n_rows,
                        const std::vector<double>& cuts);

}  // namespace ceiba::shards
