#include "predict/router.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>

#include "bindings.hpp"
#include "predict/paths.hpp"

namespace ceiba::bindings {

namespace {

template <class T>
std::vector<T> field(const nb::dict& arrays, const char* name) {
    return to_vector(nb::cast<Array1<T>>(arrays[name]));
}

tree::SplitTable splits_from(const nb::dict& arrays) {
    tree::SplitTable out;
    out.kind = field<std::int8_t>(arrays, "kind");
    out.column = field<std::int32_t>(arrays, "column");
    out.cut = field<double>(arrays, "cut");
    out.low_branch = field<std::int8_t>(arrays, "low_branch");
    out.level_start = field<std::int64_t>(arrays, "level_start");
    out.level_code = field<std::int32_t>(arrays, "level_code");
    out.level_branch = field<std::int32_t>(arrays, "level_branch");
    return out;
}

template <class T>
using Table2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::object gather(const predict::Router& self, const Columns& columns, const Table2<T>& values, int n_threads) {
    if (values.shape(0) != self.arrays().n_nodes()) throw std::invalid_argument("values must have one row per node");
    const std::size_t n = columns.table.n_rows, width = values.shape(1);
    std::unique_ptr<T[]> out(new T[n * width]);  // every value is written
    {
        const nb::gil_scoped_release no_gil;
        self.gather(columns.table, values.data(), width, out.get(), n_threads);
    }
    T* const data = out.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<2>>(data, {n, width}, owner));
}

// A fast path for a single row, as in a service: reading the buffer takes a tenth of the time of an ndarray. Returns -1
// if the array is not supported.
std::int32_t end_of_only_row(const predict::Router& self, std::size_t n_columns, nb::handle matrix) {
    Py_buffer view;
    if (PyObject_GetBuffer(matrix.ptr(), &view, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
        PyErr_Clear();
        return -1;
    }
    std::int32_t end = -1;
    const auto aligned = [&](std::size_t size) {
        return (reinterpret_cast<std::uintptr_t>(view.buf) | static_cast<std::uintptr_t>(view.strides[1])) % size == 0;
    };
    if (view.ndim == 2 && view.shape[0] == 1 && static_cast<std::size_t>(view.shape[1]) == n_columns && view.format &&
        view.format[0] != '\0' && view.format[1] == '\0') {
        const char* const row = static_cast<const char*>(view.buf);
        if (view.format[0] == 'd' && aligned(sizeof(double)))
            end = self.end_of_numbers<double>(row, view.strides[1]);
        else if (view.format[0] == 'f' && aligned(sizeof(float)))
            end = self.end_of_numbers<float>(row, view.strides[1]);
    }
    PyBuffer_Release(&view);
    return end;
}

// Uses 32-bit indices where they suffice; scipy would convert them in another pass.
nb::tuple node_paths(const Array1<std::int32_t>& parent, const Array1<std::int32_t>& end) {
    const std::span<const std::int32_t> parents{parent.data(), parent.shape(0)}, ends{end.data(), end.shape(0)};
    for (const std::int32_t node : ends)
        if (node < 0 || static_cast<std::size_t>(node) >= parents.size())
            throw std::invalid_argument("end must contain indices of nodes");
    const std::vector<std::int32_t> depth = predict::node_depths(parents);
    std::int64_t total = 0;
    for (const std::int32_t node : ends) total += depth[node] + 1;
    const auto paths_as = [&]<class Index>(Index) {
        predict::Paths<Index> paths;
        {
            const nb::gil_scoped_release no_gil;
            paths = predict::paths_to<Index>(parents, depth, ends);
        }
        return nb::make_tuple(to_numpy(std::move(paths.start)), to_numpy(std::move(paths.node)));
    };
    return total <= std::numeric_limits<std::int32_t>::max() ? paths_as(std::int32_t{}) : paths_as(std::int64_t{});
}

}  // namespace

void bind_predict(nb::module_& m) {
    using predict::Router;
    m.def("node_paths", &node_paths, nb::arg("parent"), nb::arg("end"),
          "Return the nodes from the root to each end node in CSR form: the start of each row, and the nodes.");
    nb::class_<Router>(m, "Router",
                       "A tree in a layout for routing rows; its arrays must be those of a validated Tree.")
        .def(
            "__init__",
            [](Router* self, const Array1<std::int32_t>& branch_start, const Array1<std::int32_t>& branch_node,
               const nb::dict& splits, const Array1<std::int32_t>& default_branch,
               const Array1<std::int32_t>& majority_branch, nb::object surrogate_start, nb::object surrogates,
               bool unseen_is_missing, nb::object branch_share) {
                tree::RoutingArrays a;
                a.branch_start = to_vector(branch_start);
                a.branch_node = to_vector(branch_node);
                a.default_branch = to_vector(default_branch);
                a.majority_branch = to_vector(majority_branch);
                a.splits = splits_from(splits);
                a.cut_start = field<std::int64_t>(splits, "cut_start");
                a.cuts = field<double>(splits, "cuts");
                a.unseen_is_missing = unseen_is_missing;
                if (!surrogates.is_none()) {
                    a.surrogate_start = to_vector(nb::cast<Array1<std::int32_t>>(surrogate_start));
                    a.surrogates = splits_from(nb::cast<nb::dict>(surrogates));
                }
                if (!branch_share.is_none()) a.branch_share = to_vector(nb::cast<Array1<double>>(branch_share));
                new (self) Router(std::move(a));
            },
            nb::arg("branch_start"), nb::arg("branch_node"), nb::arg("splits"), nb::arg("default_branch"),
            nb::arg("majority_branch"), nb::arg("surrogate_start").none() = nb::none(),
            nb::arg("surrogates").none() = nb::none(), nb::arg("unseen_is_missing") = false,
            nb::arg("branch_share").none() = nb::none())
        .def_static(
            "of_grown",
            [](const tree::TreeArrays& grown, bool unseen_is_missing, bool fractional) {
                tree::RoutingArrays arrays = tree::routing_arrays(grown, fractional);
                arrays.unseen_is_missing = unseen_is_missing;
                return Router(std::move(arrays));
            },
            nb::arg("grown"), nb::arg("unseen_is_missing"), nb::arg("fractional"),
            "Return the router of a grown tree that does not use surrogates.")
        .def(
            "apply",
            [](const Router& self, const Columns& columns, int n_threads) {
                std::vector<std::int32_t> out(columns.table.n_rows);
                {
                    const nb::gil_scoped_release no_gil;
                    self.apply(columns.table, out.data(), n_threads);
                }
                return to_numpy(std::move(out));
            },
            nb::arg("columns"), nb::arg("n_threads") = 1, "Return the node in which each row ends.")
        .def("end_of_only_row", &end_of_only_row, nb::arg("n_columns"), nb::arg("matrix"),
             "Return the end node of the only row of a float matrix, or -1 if only `apply` supports the matrix or the "
             "tree.")
        .def("gather", &gather<double>, nb::arg("columns"), nb::arg("values").noconvert(), nb::arg("n_threads") = 1,
             "Return the row of `values` (nodes x width) for the node in which each row ends.")
        .def("gather", &gather<std::int64_t>, nb::arg("columns"), nb::arg("values").noconvert(),
             nb::arg("n_threads") = 1,
             "Return the row of `values` (nodes x width) for the node in which each row ends.")
        .def(
            "spread",
            [](const Router& self, const Columns& columns, const std::optional<Array1<std::uint8_t>>& counted) {
                if (counted && counted->shape(0) != columns.table.n_rows)
                    throw std::invalid_argument("counted must have one value per row of the table");
                predict::Spread s;
                {
                    const nb::gil_scoped_release no_gil;
                    s = self.spread(columns.table, counted ? std::span(counted->data(), counted->shape(0))
                                                           : std::span<const std::uint8_t>{});
                }
                return nb::make_tuple(to_numpy(std::move(s.start)), to_numpy(std::move(s.node)),
                                      to_numpy(std::move(s.share)), to_numpy(std::move(s.n_rows)));
            },
            nb::arg("columns"), nb::arg("counted").none() = nb::none(),
            "Return the leaves of each row with its shares, in CSR form, and the number of rows that pass each "
            "node.\n\n"
            "This is for trees that send a row down several branches. Only the `counted` rows (default: all) add to "
            "the number.");
}

}  // namespace ceiba::bindings
