#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "base/processor/wide_registers.hpp"
#include "bindings.hpp"
#include "data/ranges.hpp"

namespace ceiba::bindings {

namespace {

template <class T>
using Strided1 = nb::ndarray<const T, nb::ndim<1>, nb::device::cpu>;
template <class T>
using Strided2 = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

void check_length(const Columns& self, std::size_t n) {
    if (n != self.table.n_rows) throw std::invalid_argument("a column has another number of rows than the table");
}

template <class T>
void add_numeric(Columns& self, const Strided1<T>& values) {
    check_length(self, values.shape(0));
    self.table.columns.push_back(
        data::Column::numeric(values.data(), values.stride(0) * static_cast<std::ptrdiff_t>(sizeof(T))));
    self.owners.push_back(nb::cast(values));
}

template <class T>
Columns from_matrix(const Strided2<T>& matrix) {
    Columns out;
    out.table.n_rows = matrix.shape(0);
    out.table.columns.reserve(matrix.shape(1));
    for (std::size_t c = 0; c < matrix.shape(1); ++c)
        out.table.columns.push_back(
            data::Column::numeric(matrix.data() + static_cast<std::ptrdiff_t>(c) * matrix.stride(1),
                                  matrix.stride(0) * static_cast<std::ptrdiff_t>(sizeof(T))));
    out.owners.push_back(nb::cast(matrix));
    return out;
}

template <class T>
constexpr data::SparseMatrix::Type type_of() {
    using Type = data::SparseMatrix::Type;
    return std::is_same_v<T, double> ? Type::float64 : std::is_same_v<T, float> ? Type::float32 : Type::int64;
}

// The arrays of a scipy matrix in canonical form.
template <class T, class I>
data::SparseMatrix sparse_view(const Array1<T>& values, const Array1<I>& indices, const Array1<I>& starts,
                               std::size_t n_rows, std::size_t n_columns, bool by_rows) {
    if (starts.shape(0) != (by_rows ? n_rows : n_columns) + 1 || values.shape(0) != indices.shape(0))
        throw std::invalid_argument("the arrays of the sparse matrix do not fit its shape");
    return {n_rows,        n_columns,      by_rows,      type_of<T>(), std::is_same_v<I, std::int64_t>,
            values.data(), indices.data(), starts.data()};
}

template <class T, class I>
Columns from_sparse(const Array1<T>& values, const Array1<I>& indices, const Array1<I>& starts, std::size_t n_rows,
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

template <class T, class I>
nb::tuple sparse_ranges(const Array1<T>& values, const Array1<I>& indices, const Array1<I>& starts, std::size_t n_rows,
                        std::size_t n_columns, bool by_rows) {
    const data::SparseMatrix view = sparse_view(values, indices, starts, n_rows, n_columns, by_rows);
    data::Ranges ranges;
    {
        const nb::gil_scoped_release no_gil;
        ranges = data::ranges_of(view);
    }
    return as_tuple(std::move(ranges), n_columns);
}

template <class T, class I>
void bind_sparse(nb::module_& m, nb::class_<Columns>& columns) {
    columns.def_static("from_sparse", &from_sparse<T, I>, nb::arg("values").noconvert(), nb::arg("indices").noconvert(),
                       nb::arg("starts").noconvert(), nb::arg("n_rows"), nb::arg("n_columns"), nb::arg("by_rows"),
                       "View a sparse matrix in canonical form.");
    m.def("sparse_ranges", &sparse_ranges<T, I>, nb::arg("values").noconvert(), nb::arg("indices").noconvert(),
          nb::arg("starts").noconvert(), nb::arg("n_rows"), nb::arg("n_columns"), nb::arg("by_rows"),
          "The same as matrix_ranges of a sparse matrix.");
}

// What fitting must know of a matrix, and the classes of a target of whole numbers: see data/ranges.hpp.
template <class T>
nb::tuple ranges_of(const Strided2<T>& matrix) {
    const data::MatrixView<T> view{matrix.data(), matrix.shape(0), matrix.shape(1), matrix.stride(0), matrix.stride(1)};
    data::Ranges ranges;
    {
        const nb::gil_scoped_release no_gil;
        ranges = data::ranges_of(view);
    }
    return as_tuple(std::move(ranges), matrix.shape(1));
}

// A matrix of one type of integers is read where it is.
template <class T>
void bind_integers(nb::module_& m, nb::class_<Columns>& columns) {
    columns.def_static("from_matrix", &from_matrix<T>, nb::arg("matrix").noconvert());
    m.def("matrix_ranges", &ranges_of<T>, nb::arg("matrix").noconvert());
}

nb::object code_integers(const Strided1<std::int64_t>& values) {
    std::optional<data::Coded> coded;
    {
        const nb::gil_scoped_release no_gil;
        coded = data::code_integers(values.data(), values.shape(0), values.stride(0));
    }
    if (!coded) return nb::none();
    return nb::make_tuple(to_numpy(std::move(coded->classes)), to_numpy(std::move(coded->codes)));
}

}  // namespace

void bind_data(nb::module_& m) {
    auto columns = nb::class_<Columns>(m, "Columns", "Typed columns of one length, viewed, not copied.");
    columns
        .def(
            "__init__",
            [](Columns* self, std::size_t n_rows) {
                new (self) Columns{};
                self->table.n_rows = n_rows;
            },
            nb::arg("n_rows"))
        .def_static("from_matrix", &from_matrix<double>, nb::arg("matrix").noconvert())
        .def_static("from_matrix", &from_matrix<float>, nb::arg("matrix").noconvert())
        .def("add_numeric", &add_numeric<double>, nb::arg("values").noconvert(), "Add float64 numbers; NaN is missing.")
        .def("add_numeric", &add_numeric<float>, nb::arg("values").noconvert(), "Add float32 numbers; NaN is missing.")
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
            "Add level codes; -1 is missing, n_levels or more a level not seen before.")
        .def_prop_ro("n_rows", [](const Columns& self) { return self.table.n_rows; })
        .def_prop_ro("n_columns", [](const Columns& self) { return self.table.columns.size(); });
    bind_sparse<double, std::int32_t>(m, columns);
    bind_sparse<double, std::int64_t>(m, columns);
    bind_sparse<float, std::int32_t>(m, columns);
    bind_sparse<float, std::int64_t>(m, columns);
    bind_sparse<std::int64_t, std::int32_t>(m, columns);
    bind_sparse<std::int64_t, std::int64_t>(m, columns);
    const char* const about = "Missing values, minimum and maximum of each column, and whether all values are finite.";
    m.def("matrix_ranges", &ranges_of<double>, nb::arg("matrix").noconvert(), about);
    m.def("matrix_ranges", &ranges_of<float>, nb::arg("matrix").noconvert(), about);
    bind_integers<std::int64_t>(m, columns);
    bind_integers<std::int32_t>(m, columns);
    bind_integers<std::int16_t>(m, columns);
    bind_integers<std::int8_t>(m, columns);
    bind_integers<std::uint32_t>(m, columns);
    bind_integers<std::uint16_t>(m, columns);
    bind_integers<std::uint8_t>(m, columns);
    m.def(
        "allow_wide_registers",
        [](bool allowed) {
            base::wide_registers_allowed = allowed;
            return base::has_wide_registers();
        },
        nb::arg("allowed"),
        "Use registers of 512 bits where the processor has them (the default) or not, with the same results: for tests "
        "and\nbenchmarks. Whether they are used now.");
    m.def("code_integers", &code_integers, nb::arg("values").noconvert(),
          "The sorted distinct values and the code of each row; None if they are spread too widely for a table.");
}

}  // namespace ceiba::bindings
