// Shapley values of the tree that a Router holds.
#include "explain/shapley.hpp"

#include <nanobind/stl/optional.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>

#include "bindings.hpp"
#include "predict/router.hpp"

namespace ceiba::bindings {

namespace {

using Table2d = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::tuple shapley(const predict::Router& router, const Columns& columns, const Table2d& values,
                  const Array1<double>& share, nb::object background, nb::object weight, bool interactions,
                  int n_threads) {
    const tree::RoutingArrays& arrays = router.arrays();
    if (values.shape(0) != arrays.n_nodes() || share.shape(0) != arrays.branch_node.size())
        throw std::invalid_argument("values must have one row per node, share one number per branch");
    const Columns* const others = background.is_none() ? nullptr : nb::cast<const Columns*>(background);
    std::vector<double> weights;
    if (others) weights = to_vector(nb::cast<Array1<double>>(weight));
    if (others && weights.size() != others->table.n_rows)
        throw std::invalid_argument("weight must have one number per row of background");
    const explain::Shapley game(arrays, share.data(), {values.data(), values.shape(1)}, columns.table.columns.size(),
                                interactions);
    const std::size_t n = columns.table.n_rows, size = game.row_size();
    std::unique_ptr<double[]> out(new double[n * size]());
    interruptible([&](base::Interrupt& interrupt) {
        base::ThreadPool pool(n_threads);
        if (others)
            game.interventional(columns.table, others->table, weights.data(), out.get(), pool, interrupt);
        else
            game.path_dependent(columns.table, out.get(), pool, interrupt);
    });
    double* const data = out.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    return nb::make_tuple(nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<2>>(data, {n, size}, owner)),
                          to_numpy(game.expected()));
}

}  // namespace

void bind_explain(nb::module_& m) {
    m.def("shapley", &shapley, nb::arg("router"), nb::arg("columns"), nb::arg("values").noconvert(), nb::arg("share"),
          nb::arg("background").none() = nb::none(), nb::arg("weight").none() = nb::none(),
          nb::arg("interactions") = false, nb::arg("n_threads") = 1,
          "Return the Shapley values of each row (columns x outputs, flat), and the expected outputs under `share`.");
}

}  // namespace ceiba::bindings
