// Common part of the bindings: one bind_<noun> per core folder, and the conversion of arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "base/interrupt.hpp"
#include "data/table.hpp"

namespace ceiba::bindings {

namespace nb = nanobind;

void bind_data(nb::module_& m);
void bind_tree(nb::module_& m);
void bind_grow(nb::module_& m);
void bind_predict(nb::module_& m);
void bind_prune(nb::module_& m);
void bind_explain(nb::module_& m);
void bind_optimal(nb::module_& m);
void bind_shards(nb::module_& m);

// A table from Python: views for the core, and references that keep the arrays alive.
struct Columns {
    data::Table table;
    std::vector<nb::object> owners;
};

template <class T>
using Array1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Moves a vector into a numpy array that owns the data.
template <class T, class Allocator>
nb::object to_numpy(std::vector<T, Allocator>&& values) {
    auto* held = new std::vector<T, Allocator>(std::move(values));
    nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T, Allocator>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(held->data(), {held->size()}, owner));
}

template <class T>
nb::object to_numpy(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
    auto* held = new std::vector<T>(std::move(values));
    nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(held->data(), shape, owner));
}

template <class T>
std::vector<T> to_vector(const Array1<T>& array) {
    return {array.data(), array.data() + array.shape(0)};
}

// Runs core code without the GIL. Ctrl-C interrupts it.
template <class Work>
void interruptible(const Work& work) {
    base::Interrupt interrupt([] {
        const nb::gil_scoped_acquire gil;
        return PyErr_CheckSignals() != 0;
    });
    try {
        const nb::gil_scoped_release no_gil;
        work(interrupt);
    } catch (const base::Interrupted&) {
        throw nb::python_error();
    }
}

}  // namespace ceiba::bindings
