#include "shards/device/table.hpp"

#include "shards/cells.hpp"

namespace ceiba::shards {

using namespace device;

namespace {

std::size_t grid_for(const Device& device, std::size_t n_rows, std::size_t threads, std::size_t each) {
    return std::min(device.n_processors * each, (n_rows + threads - 1) / threads);
}

}  // namespace

std::vector<double> take_sample(Device& device, const std::vector<Column>& columns, std::size_t n_rows, std::size_t n) {
    std::vector<double> out(columns.size() * n);
    DeviceBuffer tables(device), values(device);
    Sample params{nullptr, values.get<double>(out.size() + 1), n_rows, n};
    send_tables(device, tables, Table{columns, params.columns});
    launch(device, "take_sample", (n + 255) / 256, 256, 0, params, columns.size());
    if (!out.empty()) device.fetch(out.data(), address_of(params.out), out.size() * sizeof(double));
    return out;
}

NumberScan scan_numbers(Device& device, const Column& column, std::size_t n_rows) {
    constexpr int bias = 1 << 12;
    std::array<u64, 5> out{~u64{0}, 0, ~u64{0}, 0, 0};
    DeviceBuffer buffer(device);
    const Target params{.column = column, .n = n_rows, .out = buffer.get<u64>(out.size())};
    device.send(address_of(params.out), out.data(), sizeof(out));
    launch(device, "scan_numbers", grid_for(device, n_rows, 512, 4), 512, 0, params);
    device.fetch(out.data(), address_of(params.out), sizeof(out));
    NumberScan scan{.n_not_finite = out[4]};
    if (out[0] <= out[1]) scan.least = number_of(out[0]), scan.most = number_of(out[1]);
    if (out[3] > 0) scan.lowest = static_cast<int>(out[2]) - bias, scan.highest = static_cast<int>(out[3]) - bias;
    return scan;
}

std::vector<std::uint64_t> count_labels(Device& device, const Column& column, std::size_t n_rows, std::int64_t low,
                                        std::size_t n_numbers) {
    std::vector<std::uint64_t> counts(n_numbers, 0);
    DeviceBuffer buffer(device);
    const Target params{.column = column, .n = n_rows, .low = low, .out = buffer.get<u64>(n_numbers),
                        .n_numbers = narrow(n_numbers)};
    device.fill(address_of(params.out), 0, n_numbers * sizeof(u64));
    launch(device, "count_labels", grid_for(device, n_rows, 512, 4), 512, n_numbers * 128, params);
    device.fetch(counts.data(), address_of(params.out), n_numbers * sizeof(u64));
    return counts;
}

void write_labels(Device& device, const Column& column, std::size_t n_rows, std::int64_t low,
                  const std::vector<std::uint8_t>& code_of, std::uint64_t labels) {
    DeviceBuffer buffer(device);
    Target params{.column = column, .n = n_rows, .low = low, .labels = at<u8>(labels)};
    send_tables(device, buffer, Table{code_of, params.code_of});
    launch(device, "write_labels", grid_for(device, n_rows, 512, 8), 512, 0, params);
}

void route_rows(Device& device, const std::vector<Column>& columns, std::size_t n_rows,
                const std::vector<RouteNode>& nodes, const std::vector<int>& branches, std::uint64_t out) {
    DeviceBuffer buffer(device);
    RouteRows params{nullptr, nullptr, nullptr, at<int>(out), n_rows, narrow(nodes.size()), 0};
    send_tables(device, buffer, Table{columns, params.columns}, Table{nodes, params.nodes},
                Table{branches, params.branches});
    const std::size_t bytes = nodes.size() <= shared_nodes ? nodes.size() * sizeof(RouteNode) : 0;
    launch(device, "route_rows", grid_for(device, n_rows, 512, 4), 512, bytes, params);
}

}  // namespace ceiba::shards
