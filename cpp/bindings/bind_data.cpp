#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/phases.hpp"
#include "base/processor/wide_registers.hpp"
#include "bindings.hpp"
#include "data/ranges.hpp"

namespace ceiba::bindings {

namespace {

template <class T>
using Strided1 = nb::ndarray<const T, nb::ndim<1>, nb::device::cpu>;
// The element type is looked up at run time; otherwise a function would be compiled for each type.
using AnyArray = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using AnyMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;

// Calls f with a null pointer of the element type, for all types in which a column may be stored.
template <class F>
auto with_type(const nb::dlpack::dtype& type, F f) {
    std::optional<decltype(f(static_cast<const double*>(nullptr)))> out;
    const auto call = [&]<class... T>() {
        return ((type == nb::dtype<T>() && (out = f(static_cast<const T*>(nullptr)), true)) || ...);
    };
    if (!call.template operator()<double, float, std::int64_t, std::int32_t, std::int16_t, std::int8_t, std::uint32_t,
                                  std::uint16_t, std::uint8_t>())
        throw nb::type_error("numbers must be float64, float32, or integers of at most 64 bits (unsigned: 32)");
    return std::move(*out);
}

void check_length(const Columns& self, std::size_t n) {
    if (n != self.table.n_rows) throw std::invalid_argument("a column must have as many rows as the table");
}

template <class T>
void add_numeric(Columns& self, const Strided1<T>& values) {
    check_length(self, values.shape(0));
    self.table.columns.push_back(
        data::Column::numeric(values.data(), values.stride(0) * static_cast<std::ptrdiff_t>(sizeof(T))));
    self.owners.push_back(nb::cast(values));
}

Columns from_matrix(const AnyMatrix& matrix) {
    const data::Stored stored = with_type(matrix.dtype(), []<class T>(const T*) { return data::stored_as<T>(); });
    const auto size = static_cast<std::ptrdiff_t>(matrix.itemsize());
    Columns out;
    out.table.n_rows = matrix.shape(0);
    out.table.columns.reserve(matrix.shape(1));
    for (std::size_t c = 0; c < matrix.shape(1); ++c)
        out.table.columns.push_back(data::Column::numeric(
            static_cast<const char*>(matrix.data()) + static_cast<std::ptrdiff_t>(c) * matrix.stride(1) * size,
            matrix.stride(0) * size, stored));
    out.owners.push_back(nb::cast(matrix));
    return out;
}

data::SparseMatrix::Type sparse_type(const nb::dlpack::dtype& type) {
    using Type = data::SparseMatrix::Type;
    if (type == nb::dtype<double>()) return Type::float64;
    if (type == nb::dtype<float>()) return Type::float32;
    if (type == nb::dtype<std::int64_t>()) return Type::int64;
    throw nb::type_error("the numbers of a sparse matrix must be float64, float32 or int64");
}

// Views of the arrays of a scipy matrix in canonical form.
data::SparseMatrix sparse_view(const AnyArray& values, const AnyArray& indices, const AnyArray& starts,
                               std::size_t n_rows, std::size_t n_columns, bool by_rows) {
    const bool wide = indices.dtype() == nb::dtype<std::int64_t>();
    if (indices.dtype() != starts.dtype() || (!wide && indices.dtype() != nb::dtype<std::int32_t>()))
        throw nb::type_error("indices and starts of a sparse matrix must be both int32 or both int64");
    if (starts.shape(0) != (by_rows ? n_rows : n_columns) + 1 || values.shape(0) != indices.shape(0))
        throw std::invalid_argument("the lengths of the arrays of a sparse matrix must match its shape");
    return {n_rows, n_columns,     by_rows,        sparse_type(values.dtype()),
            wide,   values.data(), indices.data(), starts.data()};
}

Columns from_sparse(const AnyArray& values, const AnyArray& indices, const AnyArray& starts, std::size_t n_rows,
                    std::size_t n_columns, bool by_rows) {
    Columns out;
    out.table.n_rows = n_rows;
    out.table.sparse =
        std::make_shared<const data::SparseMatrix>(sparse_view(values, indices, starts, n_rows, n_columns, by_rows));
    out.table.columns.reserve(n_columns);
    for (std::size_t c = 0; c < n_columns; ++c) out.table.columns.push_back(data::Column::sparse(*out.table.sparse, c));
    out.owners = {nb::cast(values), nb::cast(indices), nb::cast(starts)};
    return out;
}

nb::tuple as_tuple(data::Ranges&& ranges, std::size_t n_columns) {
    const bool is_finite = ranges.is_finite;
    return nb::make_tuple(to_numpy(std::move(ranges.values), {3, n_columns}), is_finite);
}

nb::tuple sparse_ranges(const AnyArray& values, const AnyArray& indices, const AnyArray& starts, std::size_t n_rows,
                        std::size_t n_columns, bool by_rows) {
    const data::SparseMatrix view = sparse_view(values, indices, starts, n_rows, n_columns, by_rows);
    data::Ranges ranges;
    {
        const nb::gil_scoped_release no_gil;
        ranges = data::ranges_of(view);
    }
    return as_tuple(std::move(ranges), n_columns);
}

// The ranges of a matrix and the classes of an integer target, which a fit needs (see data/ranges.hpp).
nb::tuple matrix_ranges(const AnyMatrix& matrix, int n_threads) {
    data::Ranges ranges = with_type(matrix.dtype(), [&]<class T>(const T*) {
        const data::MatrixView<T> view{static_cast<const T*>(matrix.data()), matrix.shape(0), matrix.shape(1),
                                       matrix.stride(0), matrix.stride(1)};
        const nb::gil_scoped_release no_gil;
        base::ThreadPool pool(n_threads);
        return data::ranges_of(view, &pool);
    });
    return as_tuple(std::move(ranges), matrix.shape(1));
}

nb::object code_integers(const Strided1<std::int64_t>& values, int n_threads) {
    std::optional<data::Coded> coded;
    {
        const nb::gil_scoped_release no_gil;
        base::ThreadPool pool(n_threads);
        coded = data::code_integers(values.data(), values.shape(0), values.stride(0), &pool);
    }
    if (!coded) return nb::none();
    return nb::make_tuple(to_numpy(std::move(coded->classes)), to_numpy(std::move(coded->codes)));
}

}  // namespace

void bind_data(nb::module_& m) {
    auto columns = nb::class_<Columns>(m, "Columns", "Typed columns of the same length, viewed without a copy.");
    columns
        .def(
            "__init__",
            [](Columns* self, std::size_t n_rows) {
                new (self) Columns{};
                self->table.n_rows = n_rows;
            },
            nb::arg("n_rows"))
        .def_static("from_matrix", &from_matrix, nb::arg("matrix").noconvert(),
                    "Return views of the columns of a numeric matrix.")
        .def_static("from_sparse", &from_sparse, nb::arg("values").noconvert(), nb::arg("indices").noconvert(),
                    nb::arg("starts").noconvert(), nb::arg("n_rows"), nb::arg("n_columns"), nb::arg("by_rows"),
                    "Return views of the columns of a sparse matrix in canonical form.")
        .def("add_numeric", &add_numeric<double>, nb::arg("values").noconvert(),
             "Add a column of float64 numbers, in which NaN is missing.")
        .def("add_numeric", &add_numeric<float>, nb::arg("values").noconvert(),
             "Add a column of float32 numbers, in which NaN is missing.")
        .def(
            "add_levels",
            [](Columns& self, const Strided1<std::int32_t>& codes, std::int32_t n_levels, bool ordered) {
                check_length(self, codes.shape(0));
                self.table.columns.push_back(data::Column::levels(
                    codes.data(), codes.stride(0) * static_cast<std::ptrdiff_t>(sizeof(std::int32_t)), n_levels,
                    ordered));
                self.owners.push_back(nb::cast(codes));
            },
            nb::arg("codes").noconvert(), nb::arg("n_levels"), nb::arg("ordered") = false,
            "Add a column of level codes: -1 is missing, and codes from n_levels on are unseen levels.")
        .def_prop_ro("n_rows", [](const Columns& self) { return self.table.n_rows; })
        .def_prop_ro("n_columns", [](const Columns& self) { return self.table.columns.size(); });
    m.def("matrix_ranges", &matrix_ranges, nb::arg("matrix").noconvert(), nb::arg("n_threads") = 1,
          "Return the missing count, minimum and maximum of each column, and whether no value is infinite.");
    m.def("sparse_ranges", &sparse_ranges, nb::arg("values").noconvert(), nb::arg("indices").noconvert(),
          nb::arg("starts").noconvert(), nb::arg("n_rows"), nb::arg("n_columns"), nb::arg("by_rows"),
          "Return the results of matrix_ranges for a sparse matrix.");
    m.def(
        "allow_wide_registers",
        [](bool allowed) {
            base::wide_registers_allowed = allowed;
            return base::has_wide_registers();
        },
        nb::arg("allowed"),
        "Allow (the default) or forbid 512-bit registers, and return whether they are now in use.\n\n"
        "The results do not depend on them; this is for tests and benchmarks.");
    m.def(
        "phase_seconds",
        [](bool measured) {
            base::Phases::measured = measured;
            nb::dict seconds;
            for (std::size_t p = 0; p < base::phase_names.size(); ++p)
                seconds[base::phase_names[p]] = 1e-9 * static_cast<double>(base::Phases::nanoseconds[p].exchange(0));
            return seconds;
        },
        nb::arg("measured"),
        "Return the wall time in seconds of each phase of growing since the last call, and turn timing on or off.");
    m.def("code_integers", &code_integers, nb::arg("values").noconvert(), nb::arg("n_threads") = 1,
          "Return the sorted distinct values and the code of each row, or None if their range is too large for a "
          "table.");
}

}  // namespace ceiba::bindings
