#include "prune/weakest_link.hpp"

#include <cstdint>
#include <stdexcept>

#include "bindings.hpp"

namespace ceiba::bindings {

void bind_prune(nb::module_& m) {
    m.def(
        "collapse_alphas",
        [](const Array1<std::int32_t>& parent, const Array1<double>& risk) {
            if (parent.shape(0) != risk.shape(0)) throw std::invalid_argument("parent and risk have different lengths");
            return to_numpy(prune::collapse_alphas({parent.data(), parent.shape(0)}, {risk.data(), risk.shape(0)}));
        },
        nb::arg("parent"), nb::arg("risk"),
        "For each node the alpha at which it collapses (or an ancestor does), in units of the given risk; infinity for leaves.");
}

}  // namespace ceiba::bindings
