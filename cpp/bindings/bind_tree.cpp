// The arrays of a grown tree as numpy views that keep the tree alive.
#include "tree/tree_arrays.hpp"

#include <nanobind/stl/optional.h>

#include <cmath>
#include <optional>
#include <stdexcept>
#include <thread>

#include "base/thread_pool.hpp"
#include "bindings.hpp"
#include "tree/collapse.hpp"
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
    if (column.shape(0) != cut.shape(0)) throw std::invalid_argument("column and cut must have the same length");
    for (std::size_t i = 0; i < column.shape(0); ++i)
        if (column.data()[i] < 0 || static_cast<std::size_t>(column.data()[i]) >= columns.table.columns.size())
            throw std::invalid_argument("column must contain indices of columns of the table");
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
                    throw std::invalid_argument("rows must contain indices of rows of the table");
            std::vector<std::int8_t> digits;
            {
                const nb::gil_scoped_release no_gil;
                digits =
                    tree::cut_digits(columns.table, some, {column.data(), column.shape(0)}, {cut.data(), cut.shape(0)});
            }
            return to_numpy(std::move(digits));
        },
        nb::arg("columns"), nb::arg("column").noconvert(), nb::arg("cut").noconvert(), nb::arg("rows").none(),
        "Return the number of digits at which each printed cut separates the values of its column as the exact cut "
        "does.");
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
        "Return the largest value of its column up to each cut, and the smallest value above it.");
    m.def(
        "gap_digits",
        [](const Array1<double>& cut, const Array1<double>& below, const Array1<double>& above) {
            if (below.shape(0) != cut.shape(0) || above.shape(0) != cut.shape(0))
                throw std::invalid_argument("cut, below and above must have the same length");
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
        "Return the number of digits at which each printed cut still lies between the values below and above it.");
}

}  // namespace

void bind_tree(nb::module_& m) {
    using tree::TreeArrays;
    bind_cut_digits(m);
    nb::class_<TreeArrays>(m, "TreeArrays", "A grown tree as arrays in pre-order.")
        .def("left_by_first_column", &TreeArrays::left_by_first_column,
             "Return the share of the root's impurity that remains after one or two splits on the root's column.")
        .def(
            "best_classes",
            [](const TreeArrays& self) -> nb::object {
                if (!self.limited.empty()) return nb::none();
                for (const double count : self.value)
                    if (count != std::floor(count)) return nb::none();
                return to_numpy(self.best_classes());
            },
            "Return the most probable class of each node, or None if the tree has monotonic limits or fractional "
            "counts.")
        .def(
            "collapse",
            [](const TreeArrays& self, const Array1<bool>& nodes) {
                if (nodes.shape(0) != self.n_nodes()) throw std::invalid_argument("nodes must have one value per node");
                return tree::collapse(self, {nodes.data(), nodes.shape(0)});
            },
            nb::arg("nodes").noconvert(), "Return the tree in which these nodes (a mask) are leaves.")
        .def_prop_ro("n_nodes", &TreeArrays::n_nodes)
        .def_prop_ro(
            "value", [](nb::handle_t<TreeArrays> owner) { return view(nb::inst_ptr<TreeArrays>(owner)->value, owner); },
            "A read-only view of the class weights, or of the values, of all nodes.")
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
            "Return read-only views of all arrays by name.");
}

}  // namespace ceiba::bindings
