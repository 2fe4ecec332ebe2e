// Shards on a GPU. The GPU is a Python object that allocates, copies and launches (ceiba.shards.homes.gpu).
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "bindings.hpp"
#include "kernel_text.hpp"
#include "shards.hpp"
#include "shards/device/device_shard.hpp"
#include "shards/device/table.hpp"

namespace ceiba::bindings {

namespace {

class PythonDevice final : public shards::Device {
public:
    explicit PythonDevice(nb::object device) : device_(std::move(device)) {
        n_processors = nb::cast<std::size_t>(device_.attr("n_processors"));
        shared_bytes = nb::cast<std::size_t>(device_.attr("shared_bytes"));
    }

    std::uint64_t allocate(std::size_t n_bytes) override {
        return nb::cast<std::uint64_t>(device_.attr("allocate")(n_bytes));
    }
    void release(std::uint64_t address) override { device_.attr("release")(address); }
    void send(std::uint64_t to, const void* from, std::size_t n_bytes) override {
        device_.attr("send")(to, reinterpret_cast<std::uintptr_t>(from), n_bytes);
    }
    void fetch(void* to, std::uint64_t from, std::size_t n_bytes) override {
        device_.attr("fetch")(reinterpret_cast<std::uintptr_t>(to), from, n_bytes);
    }
    void fill(std::uint64_t to, int byte, std::size_t n_bytes) override { device_.attr("fill")(to, byte, n_bytes); }
    void launch(const char* kernel, std::size_t grid, std::size_t rows, std::size_t threads, std::size_t shared,
                const void* params, std::size_t n_bytes) override {
        device_.attr("launch")(kernel, grid, rows, threads, shared, nb::bytes(params, n_bytes));
    }
    std::uint64_t* answer_words(std::size_t n) override {
        return reinterpret_cast<std::uint64_t*>(nb::cast<std::uintptr_t>(device_.attr("answer_words")(n)));
    }

private:
    nb::object device_;
};

// Address, stride in bytes, type (data::Stored, then levels) and number of levels of a column.
using ColumnTuple = std::tuple<std::uint64_t, std::int64_t, std::uint32_t, std::uint32_t>;

shards::device::Column to_column(const ColumnTuple& column) {
    const auto& [address, stride, type, n_levels] = column;
    return {reinterpret_cast<const char*>(address), stride, type, n_levels};
}
std::vector<shards::device::Column> to_columns(const std::vector<ColumnTuple>& columns) {
    std::vector<shards::device::Column> out;
    for (const ColumnTuple& column : columns) out.push_back(to_column(column));
    return out;
}

struct OwningDeviceShard {
    OwningDeviceShard(const nb::object& object, shards::DeviceTable table, std::uint64_t number, std::size_t fetch_rows)
        : device(object), shard(shards::make_device_shard(device, std::move(table), number, fetch_rows)) {}

    PythonDevice device;
    std::unique_ptr<shards::DeviceShard> shard;
};

}  // namespace

void bind_device(nb::module_& m) {
    nb::class_<OwningDeviceShard>(m, "DeviceShard",
                                  "A shard whose rows are on a GPU; it answers the rounds of one tree at a time.")
        .def(
            "__init__",
            [](OwningDeviceShard* self, const nb::object& device, const std::vector<ColumnTuple>& columns,
               std::size_t n_rows, std::tuple<std::uint64_t, std::uint64_t, std::uint64_t> target, std::uint64_t number,
               std::size_t fetch_rows) {
                const auto& [labels, numbers, weights] = target;
                new (self) OwningDeviceShard(device, {to_columns(columns), n_rows, labels, numbers, weights}, number,
                                             fetch_rows);
            },
            nb::arg("device"), nb::arg("columns"), nb::arg("n_rows"), nb::arg("target"), nb::arg("number"),
            nb::arg("fetch_rows"))
        .def(
            "bin",
            [](OwningDeviceShard& self, const std::vector<std::vector<double>>& edges, std::uint64_t rows,
               std::size_t n_rows) {
                shards::DeviceBins bins = self.shard->bin(edges, rows, n_rows);
                nb::list out;
                for (shards::BinRanges& range : bins.ranges)
                    out.append(nb::make_tuple(to_numpy(std::move(range.least)), to_numpy(std::move(range.most))));
                return nb::make_tuple(out, bins.n_missing);
            },
            nb::arg("edges"), nb::arg("rows"), nb::arg("n_rows"),
            "Bin rows, and return the smallest and largest value in each bin and the missing count of each column.")
        .def(
            "begin_tree",
            [](OwningDeviceShard& self, std::uint64_t tree, const SharedLayout& layout) {
                self.shard->begin_tree(tree, layout.layout);
            },
            nb::arg("tree"), nb::arg("layout"), "Begin to grow a tree on the rows that were binned last.")
        .def(
            "answer",
            [](OwningDeviceShard& self, const Message& rounds) { return self.shard->answer(words_of(rounds)).size(); },
            nb::arg("rounds"), "Write the answer to the host memory of the device, and return its number of words.");
    m.def(
        "device_record_words",
        [](const nb::object& device, std::size_t n_columns) {
            return shards::record_words(PythonDevice(device), n_columns);
        },
        nb::arg("device"), nb::arg("n_columns"),
        "Return the number of words per record, for which kernels are compiled.");
    m.def(
        "device_sample",
        [](const nb::object& object, const std::vector<ColumnTuple>& columns, std::size_t n_rows, std::size_t n) {
            PythonDevice device(object);
            return to_numpy(shards::take_sample(device, to_columns(columns), n_rows, n), {columns.size(), n});
        },
        nb::arg("device"), nb::arg("columns"), nb::arg("n_rows"), nb::arg("n"),
        "Return the values of n equidistant rows for each column.");
    m.def(
        "device_values_around",
        [](const nb::object& object, const ColumnTuple& column, std::size_t n_rows, const std::vector<double>& cuts) {
            PythonDevice device(object);
            shards::BinRanges gaps = shards::values_around(device, to_column(column), n_rows, cuts);
            return nb::make_tuple(to_numpy(std::move(gaps.least)), to_numpy(std::move(gaps.most)));
        },
        nb::arg("device"), nb::arg("column"), nb::arg("n_rows"), nb::arg("cuts"),
        "Return the largest value up to each of some ascending cuts, and the smallest value above it.");
    m.def(
        "device_scan_numbers",
        [](const nb::object& object, const ColumnTuple& column, std::size_t n_rows) {
            PythonDevice device(object);
            const shards::NumberScan scan = shards::scan_numbers(device, to_column(column), n_rows);
            return nb::make_tuple(nb::make_tuple(scan.least, scan.most), nb::make_tuple(scan.lowest, scan.highest),
                                  scan.n_not_finite);
        },
        nb::arg("device"), nb::arg("column"), nb::arg("n_rows"),
        "Return the range and the bits (see bit_range) of a numeric column, and its number of non-finite values.");
    m.def(
        "device_count_labels",
        [](const nb::object& object, const ColumnTuple& column, std::size_t n_rows, std::int64_t low,
           std::size_t n_numbers) {
            PythonDevice device(object);
            return to_numpy(shards::count_labels(device, to_column(column), n_rows, low, n_numbers));
        },
        nb::arg("device"), nb::arg("column"), nb::arg("n_rows"), nb::arg("low"), nb::arg("n_numbers"),
        "Return the number of rows of each integer from `low` to below `low + n_numbers`.");
    m.def(
        "device_write_labels",
        [](const nb::object& object, const ColumnTuple& column, std::size_t n_rows, std::int64_t low,
           const std::vector<std::uint8_t>& code_of, std::uint64_t labels) {
            PythonDevice device(object);
            shards::write_labels(device, to_column(column), n_rows, low, code_of, labels);
        },
        nb::arg("device"), nb::arg("column"), nb::arg("n_rows"), nb::arg("low"), nb::arg("code_of"), nb::arg("labels"),
        "Write the class code of each row, `code_of[number - low]`, to the address `labels`.");
    m.def(
        "device_route_rows",
        [](const nb::object& object, const std::vector<ColumnTuple>& columns, std::size_t n_rows,
           const Array1<double>& cut, const Array1<std::int32_t>& column, const Array1<std::int32_t>& kind,
           const Array1<std::int32_t>& missing, const Array1<std::int32_t>& first,
           const Array1<std::int32_t>& branches, std::uint64_t out) {
            PythonDevice device(object);
            std::vector<shards::device::RouteNode> nodes;
            for (std::size_t i = 0; i < cut.shape(0); ++i)
                nodes.push_back(
                    {cut.data()[i], column.data()[i], kind.data()[i], missing.data()[i], first.data()[i]});
            shards::route_rows(device, to_columns(columns), n_rows, nodes, to_vector(branches), out);
        },
        nb::arg("device"), nb::arg("columns"), nb::arg("n_rows"), nb::arg("cut"), nb::arg("column"),
        nb::arg("kind"), nb::arg("missing"), nb::arg("first"), nb::arg("branches"), nb::arg("out"),
        "Write the end node of each row to the address `out`.\n\n"
        "For each node: its cut, column (-1: a leaf), kind, branch for missing values and first entry in `branches`.\n"
        "The entries of a split on levels are the nodes for missing values, for each level and for unknown levels.");
    m.def(
        "kernel_text",
        [] {
            std::string text;
            for (const char* const part : kernel_parts) text += part;
            return text;
        },
        "Return the CUDA source of all kernels.");
}

}  // namespace ceiba::bindings
