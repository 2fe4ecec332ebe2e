// The arrays of a grown tree as numpy sees them: views that keep the tree alive.
#include "tree/tree_arrays.hpp"

#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>
#include <thread>

#include "base/thread_pool.hpp"
#include "bindings.hpp"
#include "tree/cut_digits.hpp"

namespace ceiba::bindings {

namespace {

template <class T>
nb::object view(const std::vector<T>& values, nb::handle owner) {
    return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(values.data(), {values.size()}, owner));
}

nb::dict split_table(const tree::SplitTable& s, nb::handle owner) {
    nb::dict out;
    out["kind"] = view(s.kind, owner);
    out["column"] = view(s.column, owner);
    out["cut"] = view(s.cut, owner);
    out["low_branch"] = view(s.low_branch, owner);
    out["digits"] = view(s.digits, owner);
    out["level_start"] = view(s.level_start, owner);
    out["level_code"] = view(s.level_code, owner);
    out["level_branch"] = view(s.level_branch, owner);
    return out;
}

void check_cuts(const Columns& columns, const Array1<std::int32_t>& column, const Array1<double>& cut) {
    if (column.shape(0) != cut.shape(0)) throw std::invalid_argument("each cut has a column");
    for (std::size_t i = 0; i < column.shape(0); ++i)
        if (column.data()[i] < 0 || static_cast<std::size_t>(column.data()[i]) >= columns.table.columns.size())
            throw std::invalid_argument("a cut has a column that is not in the table");
}

void bind_cut_digits(nb::module_& m) {
    m.def(
        "cut_digits",
        [](const Columns& columns, const Array1<std::int32_t>& column, const Array1<double>& cut,
           const std::optional<Array1<std::uint32_t>>& rows) {
            check_cuts(columns, column, cut);
            std::span<const std::uint32_t> some;
            if (rows) some = {rows->data(), rows->shape(0)};
            for (const std::uint32_t row : some)
                if (row >= columns.table.n_rows)
                    throw std::invalid_argument("rows names a row that is not in the table");
            std::vector<std::int8_t> digits;
            {
                const nb::gil_scoped_release no_gil;
                digits =
                    tree::cut_digits(columns.table, some, {column.data(), column.shape(0)}, {cut.data(), cut.shape(0)});
            }
            return to_numpy(std::move(digits));
        },
        nb::arg("columns"), nb::arg("column").noconvert(), nb::arg("cut").noconvert(), nb::arg("rows").none(),
        "The digits of printed cuts that keep every value of their columns on its side.");
    m.def(
        "cut_gaps",
        [](const Columns& columns, const Array1<std::int32_t>& column, const Array1<double>& cut) {
            check_cuts(columns, column, cut);
            std::vector<double> ends;
            for (const tree::CutGap& gap :
                 tree::cut_gaps(columns.table, {}, {column.data(), column.shape(0)}, {cut.data(), cut.shape(0)})) {
                ends.push_back(gap.below);
                ends.push_back(gap.above);
            }
            const std::size_t n = cut.shape(0);
            return to_numpy(std::move(ends), {n, 2});
        },
        nb::arg("columns"), nb::arg("column").noconvert(), nb::arg("cut").noconvert(),
        "The values of its column next to each cut: the largest that is not above it, and the smallest that is.");
    m.def(
        "gap_digits",
        [](const Array1<double>& cut, const Array1<double>& below, const Array1<double>& above) {
            if (below.shape(0) != cut.shape(0) || above.shape(0) != cut.shape(0))
                throw std::invalid_argument("each cut has a gap");
            std::vector<std::int8_t> digits(cut.shape(0));
            {
                const nb::gil_scoped_release no_gil;
                const std::size_t n_threads = std::min<std::size_t>(base::n_blocks(digits.size()),
                                                                    std::thread::hardware_concurrency());
                base::ThreadPool pool(static_cast<int>(std::max<std::size_t>(1, n_threads)));
                base::for_blocks(&pool, digits.size(), [&](std::size_t, std::size_t from, std::size_t to, int) {
                    for (std::size_t i = from; i < to; ++i)
                        digits[i] = tree::digits_for(cut.data()[i], {below.data()[i], above.data()[i]});
                });
            }
            return to_numpy(std::move(digits));
        },
        nb::arg("cut").noconvert(), nb::arg("below").noconvert(), nb::arg("above").noconvert(),
        "The digits of printed cuts that keep the values next to them on their sides.");
}

}  // namespace

void bind_tree(nb::module_& m) {
    using tree::TreeArrays;
    bind_cut_digits(m);
    nb::class_<TreeArrays>(m, "TreeArrays", "A grown tree as arrays in pre-order.")
        .def("left_by_first_column", &TreeArrays::left_by_first_column,
             "The share of the root's impurity that its column leaves, asked once or twice.")
        .def(
            "set_digits",
            [](TreeArrays& self, const Array1<std::int8_t>& splits, const Array1<std::int8_t>& surrogates,
               const Array1<std::int8_t>& competitors) {
                self.splits.digits = to_vector(splits);
                self.surrogates.digits = to_vector(surrogates);
                self.competitors.digits = to_vector(competitors);
            },
            nb::arg("splits"), nb::arg("surrogates"), nb::arg("competitors"),
            "Set the digits of the cuts of each table; views of earlier digits become invalid.")
        .def(
            "views",
            [](nb::handle_t<TreeArrays> owner) {
                const TreeArrays& t = *nb::inst_ptr<TreeArrays>(owner);
                nb::dict out;
                out["parent"] = view(t.parent, owner);
                out["branch_start"] = view(t.branch_start, owner);
                out["branch_node"] = view(t.branch_node, owner);
                out["splits"] = split_table(t.splits, owner);
                out["default_branch"] = view(t.default_branch, owner);
                out["n_rows"] = view(t.n_rows, owner);
                out["weight"] = view(t.weight, owner);
                out["impurity"] = view(t.impurity, owner);
                out["gain"] = view(t.gain, owner);
                out["value"] = view(t.value, owner);
                out["limited"] = view(t.limited, owner);
                out["sent_default"] = view(t.sent_default, owner);
                out["surrogate_start"] = view(t.surrogate_start, owner);
                out["surrogates"] = split_table(t.surrogates, owner);
                out["agreement"] = view(t.agreement, owner);
                out["adjusted"] = view(t.adjusted, owner);
                out["surrogate_sent"] = view(t.surrogate_sent, owner);
                out["competitor_start"] = view(t.competitor_start, owner);
                out["competitors"] = split_table(t.competitors, owner);
                out["competitor_gain"] = view(t.competitor_gain, owner);
                return out;
            },
            "All arrays, read-only, without a copy.");
}

}  // namespace ceiba::bindings
