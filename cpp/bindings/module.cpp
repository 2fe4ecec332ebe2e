// The extension module: one line per noun.
#include <nanobind/nanobind.h>

#include "bindings.hpp"

NB_MODULE(_core, m) {
    // A tree that is still referenced when Python exits (a global, a cache) is not a leak, so no warning is printed.
    nanobind::set_leak_warnings(false);
    m.doc() = "The C++ core of ceiba: growing, routing and collapsing trees.";
    ceiba::bindings::bind_data(m);
    ceiba::bindings::bind_tree(m);
    ceiba::bindings::bind_grow(m);
    ceiba::bindings::bind_predict(m);
    ceiba::bindings::bind_prune(m);
    ceiba::bindings::bind_explain(m);
    ceiba::bindings::bind_optimal(m);
    ceiba::bindings::bind_shards(m);
}
