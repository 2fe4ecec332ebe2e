// Bindings of the search for the best small tree. The GIL is released for the search and reacquired to report progress
// and to check for Ctrl-C, which ends the search with the best tree so far.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "bindings.hpp"
#include "optimal/optimal.hpp"

namespace ceiba::bindings {

namespace {

using optimal::Request;

nb::dict to_dict(optimal::TreeShape&& shape) {
    nb::dict splits;
    splits["kind"] = to_numpy(std::move(shape.splits.kind));
    splits["column"] = to_numpy(std::move(shape.splits.column));
    splits["cut"] = to_numpy(std::move(shape.splits.cut));
    splits["low_branch"] = to_numpy(std::move(shape.splits.low_branch));
    splits["level_start"] = to_numpy(std::move(shape.splits.level_start));
    splits["level_code"] = to_numpy(std::move(shape.splits.level_code));
    splits["level_branch"] = to_numpy(std::move(shape.splits.level_branch));
    nb::dict out;
    out["splits"] = splits;
    out["parent"] = to_numpy(std::move(shape.parent));
    out["default_branch"] = to_numpy(std::move(shape.default_branch));
    out["value"] = shape.value;
    return out;
}

const char* word_of(optimal::Status status) {
    switch (status) {
        case optimal::Status::proven:
            return "proven";
        case optimal::Status::within_gap:
            return "gap";
        case optimal::Status::out_of_time:
            return "time";
        case optimal::Status::interrupted:
            return "interrupted";
        case optimal::Status::out_of_memory:
            return "memory";
        case optimal::Status::heuristic:
            break;
    }
    return "lookahead";
}

nb::dict run(const Columns& columns, data::Target& target, const std::optional<Array1<double>>& weight,
             const std::optional<Array1<std::uint32_t>>& rows, const Request& request, const nb::object& progress) {
    if (target.n_rows != columns.table.n_rows || (weight && weight->shape(0) != target.n_rows))
        throw std::invalid_argument("columns, target and weight must have the same number of rows");
    if (weight) target.weight = weight->data();
    if (rows) {
        target.rows = {rows->data(), rows->shape(0)};
        for (std::uint32_t row : target.rows)
            if (row >= target.n_rows) throw std::invalid_argument("rows must contain indices of rows of the table");
    }
    bool failed = false;  // the progress function raised
    base::Interrupt interrupt([&] {
        const nb::gil_scoped_acquire gil;
        if (failed) return true;
        if (PyErr_CheckSignals() == 0) return false;
        PyErr_Clear();  // the best tree so far is the result
        return true;
    });
    double last_report = 0.0;
    nb::object error;
    optimal::Progress tell;
    if (!progress.is_none())
        tell = [&](double value, double lower, double seconds) {
            if (failed || seconds < last_report + 0.25) return;
            last_report = seconds;
            const nb::gil_scoped_acquire gil;
            try {
                progress(value, lower, seconds);
            } catch (nb::python_error& e) {
                error = nb::borrow(e.value());
                failed = true;
            }
        };
    optimal::Outcome outcome;
    {
        const nb::gil_scoped_release no_gil;
        outcome = optimal::search(columns.table, target, request, interrupt, tell);
    }
    if (failed) {
        PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
        throw nb::python_error();
    }
    nb::list alternatives;
    for (optimal::TreeShape& other : outcome.alternatives) alternatives.append(to_dict(std::move(other)));
    nb::dict out;
    out["best"] = to_dict(std::move(outcome.best));
    out["alternatives"] = alternatives;
    out["all_alternatives"] = outcome.all_alternatives;
    out["lower_bound"] = outcome.lower;
    out["status"] = word_of(outcome.status);
    out["exact_levels"] = outcome.exact_levels;
    out["evaluations"] = outcome.evaluations;
    out["seconds"] = outcome.seconds;
    out["needed"] = outcome.needed;
    return out;
}

}  // namespace

void bind_optimal(nb::module_& m) {
    nb::class_<Request>(m, "SearchRequest", "The objective and the limits of a search for the best tree.")
        .def(nb::init<>())
        .def_rw("loss", &Request::loss)
        .def_rw("cost", &Request::cost)
        .def_rw("max_depth", &Request::max_depth)
        .def_rw("max_leaves", &Request::max_leaves)
        .def_rw("min_rows", &Request::min_rows)
        .def_rw("penalty", &Request::penalty)
        .def_rw("horizon", &Request::horizon)
        .def_rw("last_stage", &Request::last_stage)
        .def_rw("time_limit", &Request::time_limit)
        .def_rw("gap", &Request::gap)
        .def_rw("memory", &Request::memory)
        .def_rw("learn_missing", &Request::learn_missing)
        .def_rw("n_threads", &Request::n_threads)
        .def_rw("within", &Request::within)
        .def_rw("n_alternatives", &Request::n_alternatives);
    m.def(
        "search_classes",
        [](const Columns& columns, const Array1<std::int32_t>& labels, int n_classes,
           std::optional<Array1<double>> weight, std::optional<Array1<std::uint32_t>> rows, const Request& request,
           nb::object progress) {
            data::Target target;
            target.n_rows = labels.shape(0);
            target.n_classes = {n_classes};
            target.labels = labels.data();
            return run(columns, target, weight, rows, request, progress);
        },
        nb::arg("columns"), nb::arg("labels").noconvert(), nb::arg("n_classes"), nb::arg("weight").none(),
        nb::arg("rows").none(), nb::arg("request"), nb::arg("progress").none() = nb::none(),
        "Search for the best classification tree; `labels` are class indices.");
    m.def(
        "search_numbers",
        [](const Columns& columns, const Array1<double>& numbers, std::optional<Array1<double>> weight,
           std::optional<Array1<std::uint32_t>> rows, const Request& request, nb::object progress) {
            data::Target target;
            target.n_rows = numbers.shape(0);
            target.numbers = numbers.data();
            return run(columns, target, weight, rows, request, progress);
        },
        nb::arg("columns"), nb::arg("numbers").noconvert(), nb::arg("weight").none(), nb::arg("rows").none(),
        nb::arg("request"), nb::arg("progress").none() = nb::none(), "Search for the best regression tree.");
}

}  // namespace ceiba::bindings
