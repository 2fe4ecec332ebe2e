#include "predict/router.hpp"

#include <nanobind/stl/vector.h>

#include <cstdint>

#include "bindings.hpp"

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

}  // namespace

void bind_predict(nb::module_& m) {
    using predict::Router;
    nb::class_<Router>(m, "Router",
                       "A tree laid out for sending rows down it. The arrays must be those of a checked Tree.")
        .def(
            "__init__",
            [](Router* self, const Array1<std::int32_t>& branch_start, const Array1<std::int32_t>& branch_node,
               const nb::dict& splits, const Array1<std::int32_t>& default_branch,
               const Array1<std::int32_t>& majority_branch, nb::object surrogate_start, nb::object surrogates,
               bool unseen_is_missing, nb::object branch_share) {
                predict::RouterArrays a;
                a.branch_start = to_vector(branch_start);
                a.branch_node = to_vector(branch_node);
                a.default_branch = to_vector(default_branch);
                a.majority_branch = to_vector(majority_branch);
                a.splits = splits_from(splits);
                a.unseen_is_missing = unseen_is_missing;
                if (!surrogates.is_none()) {
                    a.surrogate_start = to_vector(nb::cast<Array1<std::int32_t>>(surrogate_start));
                    a.surrogates = splits_from(nb::cast<nb::dict>(surrogates));
                }
                new (self)
                    Router(std::move(a), branch_share.is_none() ? std::vector<double>{}
                                                                : to_vector(nb::cast<Array1<double>>(branch_share)));
            },
            nb::arg("branch_start"), nb::arg("branch_node"), nb::arg("splits"), nb::arg("default_branch"),
            nb::arg("majority_branch"), nb::arg("surrogate_start").none() = nb::none(),
            nb::arg("surrogates").none() = nb::none(), nb::arg("unseen_is_missing") = false,
            nb::arg("branch_share").none() = nb::none())
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
            nb::arg("columns"), nb::arg("n_threads") = 1, "The node in which each row ends.")
        .def(
            "spread",
            [](const Router& self, const Columns& columns) {
                predict::Spread s;
                {
                    const nb::gil_scoped_release no_gil;
                    s = self.spread(columns.table);
                }
                return nb::make_tuple(to_numpy(std::move(s.start)), to_numpy(std::move(s.node)),
                                      to_numpy(std::move(s.share)));
            },
            nb::arg("columns"),
            "Leaves and shares of each row (compressed rows), for trees that divide rows with missing values.");
}

}  // namespace ceiba::bindings
