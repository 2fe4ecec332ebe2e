// The arrays of a grown tree as numpy sees them: views that keep the tree alive.
#include "tree/tree_arrays.hpp"

#include "bindings.hpp"

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
    out["level_start"] = view(s.level_start, owner);
    out["level_code"] = view(s.level_code, owner);
    out["level_branch"] = view(s.level_branch, owner);
    return out;
}

}  // namespace

void bind_tree(nb::module_& m) {
    using tree::TreeArrays;
    nb::class_<TreeArrays>(m, "TreeArrays", "A grown tree as arrays in pre-order.")
        .def("left_by_first_column", &TreeArrays::left_by_first_column,
             "The share of the root's impurity that its column leaves, asked once or twice.")
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
