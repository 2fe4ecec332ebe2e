// A shard whose rows are on a GPU: it answers the rounds of one tree at a time, with the same words as
// shards/rows/shard.hpp. It follows the same RoundPlan, converts it to flat arrays and runs kernels on them; a Device
// provides memory and launches.
#pragma once

#include "shards/device/bins.hpp"
#include "shards/rows/round_plan.hpp"

namespace ceiba::shards {

// Addresses of rows on the device; 0: none. Labels are bytes.
struct DeviceTable {
    std::vector<device::Column> columns;  // n_bins: number of levels, or 0
    std::size_t n_rows = 0;
    std::uint64_t labels = 0, numbers = 0, weights = 0;
};

class DeviceShard {
public:
    virtual ~DeviceShard() = default;

    // Bins rows of the table (given by their address; 0: the first n). Returns the ranges of all bins and the numbers
    // of rows without a value. These rows are those of the next tree.
    virtual DeviceBins bin(const std::vector<std::vector<double>>& edges, std::uint64_t rows, std::size_t n) = 0;
    virtual void begin_tree(std::uint64_t tree, std::shared_ptr<const Layout> layout) = 0;
    // Answers the round of the tree. The result is in memory of the Device and valid until the next round.
    virtual std::span<const std::uint64_t> answer(std::span<const std::uint64_t> rounds) = 0;
};

std::unique_ptr<DeviceShard> make_device_shard(Device& device, DeviceTable table, std::uint64_t number,
                                               std::size_t fetch_rows);
// The number of words per record, for which kernels are compiled.
inline std::size_t record_words(const Device& device, std::size_t n_columns) {
    return (columns_of_plane(device, n_columns) + 1 + 3) / 4;
}

}  // namespace ceiba::shards
