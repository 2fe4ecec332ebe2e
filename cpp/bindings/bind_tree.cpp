// The arrays of a grown tree, each handed to numpy once and then gone from here.
#include "tree/tree_arrays.hpp"

#include "bindings.hpp"

namespace ceiba::bindings {

namespace {

nb::dict split_table(tree::SplitTable& s) {
    nb::dict out;
    out["kind"] = to_numpy(std::move(s.kind));
    out["column"] = to_numpy(std::move(s.column));
    out["cut"] = to_numpy(std::move(s.cut));
    out["low_branch"] = to_numpy(std::move(s.low_branch));
    out["level_start"] = to_numpy(std::move(s.level_start));
    out["level_code"] = to_numpy(std::move(s.level_code));
    out["level_branch"] = to_numpy(std::move(s.level_branch));
    return out;
}

}  // namespace

void bind_tree(nb::module_& m) {
    using tree::TreeArrays;
    nb::class_<TreeArrays>(m, "TreeArrays", "A grown tree as arrays in pre-order.")
        .def(
            "take",
            [](TreeArrays& t) {
                nb::dict out;
                out["parent"] = to_numpy(std::move(t.parent));
                out["branch_start"] = to_numpy(std::move(t.branch_start));
                out["branch_node"] = to_numpy(std::move(t.branch_node));
                out["splits"] = split_table(t.splits);
                out["default_branch"] = to_numpy(std::move(t.default_branch));
                out["n_rows"] = to_numpy(std::move(t.n_rows));
                out["weight"] = to_numpy(std::move(t.weight));
                out["impurity"] = to_numpy(std::move(t.impurity));
                out["gain"] = to_numpy(std::move(t.gain));
                out["value"] = to_numpy(std::move(t.value));
                out["sent_default"] = to_numpy(std::move(t.sent_default));
                out["surrogate_start"] = to_numpy(std::move(t.surrogate_start));
                out["surrogates"] = split_table(t.surrogates);
                out["agreement"] = to_numpy(std::move(t.agreement));
                out["adjusted"] = to_numpy(std::move(t.adjusted));
                out["surrogate_sent"] = to_numpy(std::move(t.surrogate_sent));
                out["competitor_start"] = to_numpy(std::move(t.competitor_start));
                out["competitors"] = split_table(t.competitors);
                out["competitor_gain"] = to_numpy(std::move(t.competitor_gain));
                return out;
            },
            "Hand all arrays over, once: the object is empty afterwards.");
}

}  // namespace ceiba::bindings
