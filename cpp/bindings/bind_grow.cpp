// Growing. The GIL is released here, once, for the whole fit; it is taken back only to look for Ctrl-C.
#include "grow/grow.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "base/tails.hpp"
#include "bindings.hpp"
#include "criteria/node_summary.hpp"
#include "split/levels/level_merging.hpp"

namespace ceiba::bindings {

namespace {

using grow::GrowOptions;
template <class T>
using Array2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

split::Missing missing_from(const std::string& word) {
    if (word == "learn") return split::Missing::learn;
    if (word == "majority") return split::Missing::majority;
    if (word == "surrogate") return split::Missing::surrogate;
    if (word == "fractional") return split::Missing::fractional;
    if (word == "error") return split::Missing::error;
    throw std::invalid_argument("no missing rule is called '" + word + "'");
}

tree::TreeArrays run(const Columns& columns, data::Target& target, const std::optional<Array1<double>>& weight,
                     const std::optional<Array1<std::uint32_t>>& rows, const GrowOptions& options) {
    if (target.n_rows != columns.table.n_rows || (weight && weight->shape(0) != target.n_rows))
        throw std::invalid_argument("columns, target and weight have different numbers of rows");
    if (weight) target.weight = weight->data();
    if (rows) {
        target.rows = {rows->data(), rows->shape(0)};
        for (std::uint32_t row : target.rows)
            if (row >= target.n_rows) throw std::invalid_argument("rows names a row that is not in the table");
    }
    tree::TreeArrays grown;
    interruptible([&](base::Interrupt& interrupt) { grown = grow::grow(columns.table, target, options, interrupt); });
    return grown;
}

void bind_options(nb::module_& m) {
    auto c = nb::class_<GrowOptions>(m, "GrowOptions",
                                     "How a tree is grown; the words are those of ceiba.grow.GrowOptions.");
    c.def(nb::init<>())
        .def(nb::init<const GrowOptions&>(), nb::arg("other"))
        .def_rw("max_depth", &GrowOptions::max_depth)
        .def_rw("min_samples_split", &GrowOptions::min_samples_split)
        .def_rw("min_weight_split", &GrowOptions::min_weight_split)
        .def_rw("max_leaf_nodes", &GrowOptions::max_leaf_nodes)
        .def_rw("min_gain", &GrowOptions::min_gain)
        .def_rw("min_gain_ratio", &GrowOptions::min_gain_ratio)
        .def_rw("min_risk", &GrowOptions::min_risk)
        .def_rw("min_risk_ratio", &GrowOptions::min_risk_ratio)
        .def_rw("keep_zero_weights", &GrowOptions::keep_zero_weights)
        .def_rw("use_surrogate", &GrowOptions::use_surrogate)
        .def_rw("small_tables", &GrowOptions::small_tables)
        .def_rw("seed", &GrowOptions::seed)
        .def_rw("low", &GrowOptions::low)
        .def_rw("high", &GrowOptions::high)
        .def_rw("n_threads", &GrowOptions::n_threads);
    c.def_prop_rw(
        "max_surrogates", [](const GrowOptions& o) { return o.surrogates.max_surrogates; },
        [](GrowOptions& o, int v) { o.surrogates.max_surrogates = v; });
    c.def_prop_rw(
        "surrogate_style", [](const GrowOptions& o) { return o.surrogates.style; },
        [](GrowOptions& o, int v) { o.surrogates.style = v; });
    c.def_prop_rw(
        "class_cost", [](const GrowOptions& o) { return o.risk.class_cost; },
        [](GrowOptions& o, std::vector<double> v) { o.risk.class_cost = std::move(v); });
    c.def_prop_rw(
        "prior_events", [](const GrowOptions& o) { return o.risk.prior_events; },
        [](GrowOptions& o, double v) { o.risk.prior_events = v; });
    c.def_prop_rw(
        "like_rpart", [](const GrowOptions& o) { return o.search.like_rpart; },
        [](GrowOptions& o, bool v) { o.search.like_rpart = o.surrogates.like_rpart = v; });
    c.def_prop_rw(
        "min_samples_leaf", [](const GrowOptions& o) { return o.search.min_rows; },
        [](GrowOptions& o, std::size_t v) { o.search.min_rows = v; });
    c.def_prop_rw(
        "min_weight_leaf", [](const GrowOptions& o) { return o.search.min_weight; },
        [](GrowOptions& o, double v) { o.search.min_weight = v; });
    c.def_prop_rw(
        "small_node", [](const GrowOptions& o) { return o.search.small_node; },
        [](GrowOptions& o, std::size_t v) { o.search.small_node = v; });
    c.def_prop_rw(
        "max_bins", [](const GrowOptions& o) { return o.bins.max_bins; },
        [](GrowOptions& o, int v) { o.bins.max_bins = v; });
    c.def_prop_rw(
        "approximate", [](const GrowOptions& o) { return o.bins.approximate; },
        [](GrowOptions& o, bool v) { o.bins.approximate = v; });
    c.def_prop_rw(
        "max_features", [](const GrowOptions& o) { return o.search.max_features; },
        [](GrowOptions& o, int v) { o.search.max_features = v; });
    c.def_prop_rw(
        "max_competitors", [](const GrowOptions& o) { return o.search.max_competitors; },
        [](GrowOptions& o, int v) { o.search.max_competitors = v; });
    c.def_prop_rw(
        "random_splitter", [](const GrowOptions& o) { return o.search.random_cuts; },
        [](GrowOptions& o, bool v) { o.search.random_cuts = v; });
    c.def_prop_rw(
        "allow_zero_rate", [](const GrowOptions& o) { return o.search.allow_zero_rate; },
        [](GrowOptions& o, bool v) { o.search.allow_zero_rate = v; });
    c.def_prop_rw(
        "multiway", [](const GrowOptions& o) { return o.search.multiway; },
        [](GrowOptions& o, bool v) { o.search.multiway = v; });
    c.def_prop_rw(
        "empty_branches", [](const GrowOptions& o) { return o.search.empty_branches; },
        [](GrowOptions& o, bool v) { o.search.empty_branches = v; });
    c.def_prop_rw(
        "cuts_at_values", [](const GrowOptions& o) { return o.search.cuts_at_values; },
        [](GrowOptions& o, bool v) { o.search.cuts_at_values = v; });
    c.def_prop_rw(
        "min_branch", [](const GrowOptions& o) { return o.search.min_branch; },
        [](GrowOptions& o, double v) { o.search.min_branch = v; });
    c.def_prop_rw(
        "monotonic", [](const GrowOptions& o) { return o.search.monotone; },
        [](GrowOptions& o, std::vector<int> v) { o.search.monotone = o.surrogates.monotone = std::move(v); });
    c.def_prop_rw(
        "class_scale", [](const GrowOptions& o) { return o.search.class_scale; },
        [](GrowOptions& o, std::vector<double> v) { o.search.class_scale = std::move(v); });
    c.def_prop_rw(
        "column_cost", [](const GrowOptions& o) { return o.search.column_cost; },
        [](GrowOptions& o, std::vector<double> v) { o.search.column_cost = std::move(v); });
    c.def(
        "set_criterion",
        [](GrowOptions& o, const std::string& word) { o.search.criterion = criteria::criterion_from(word); },
        nb::arg("name"));
    c.def(
        "set_missing", [](GrowOptions& o, const std::string& word) { o.search.missing = missing_from(word); },
        nb::arg("rule"));
}

using Cells = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

split::PairTest pair_test(const std::string& statistic, const Cells& cells) {
    using split::PairTest;
    if (statistic == "f" && cells.shape(1) != 3)
        throw std::invalid_argument("an F test needs rows, sums and sums of squares");
    return statistic == "f" ? PairTest::f : statistic == "pearson" ? PairTest::pearson : PairTest::likelihood_ratio;
}

void bind_merging(nb::module_& m) {
    m.def("chi_square_tail", &base::chi_square_tail, nb::arg("x"), nb::arg("df"), "P(X > x) of chi-square.");
    m.def("f_tail", &base::f_tail, nb::arg("f"), nb::arg("df1"), nb::arg("df2"), "P(F > f).");
    m.def("log_chi_square_tail", &base::log_chi_square_tail, nb::arg("x"), nb::arg("df"), "Its logarithm.");
    m.def("log_f_tail", &base::log_f_tail, nb::arg("f"), nb::arg("df1"), nb::arg("df2"), "Its logarithm.");
    m.def(
        "merge_levels",
        [](const Cells& cells, const std::string& kind, const std::string& statistic, double alpha, double min_rows) {
            using split::Merging;
            const Merging merging = kind == "nominal"   ? Merging::nominal
                                    : kind == "ordered" ? Merging::ordered
                                                        : Merging::floating;
            const split::PairTest test = pair_test(statistic, cells);
            split::MergedLevels found;
            interruptible([&](base::Interrupt& interrupt) {
                found = split::merge_levels({cells.data(), cells.size()}, cells.shape(1), merging, test, alpha,
                                            min_rows, interrupt);
            });
            nb::list steps;
            for (const split::MergeStep& step : found.steps)
                steps.append(nb::make_tuple(step.a, step.b, step.p_value));
            return nb::make_tuple(to_numpy(std::move(found.group)), steps);
        },
        nb::arg("cells").noconvert(), nb::arg("kind"), nb::arg("statistic"), nb::arg("alpha"), nb::arg("min_rows"),
        "Merge the categories of a column as CHAID does: the first category of each one's group, and the steps.");
    m.def(
        "merging_is_hopeless",
        [](const Cells& cells, const std::string& statistic, double log_limit, double min_rows) {
            return split::merging_is_hopeless({cells.data(), cells.size()}, cells.shape(1), pair_test(statistic, cells),
                                              log_limit, min_rows);
        },
        nb::arg("cells").noconvert(), nb::arg("statistic"), nb::arg("log_limit"), nb::arg("min_rows"),
        "Whether no merging of nominal categories reaches an adjusted p-value of such a logarithm; False: not known.");
}

}  // namespace

void bind_grow(nb::module_& m) {
    m.def("counted_criteria", &split::counted_criteria, "The criteria that the search over bins knows.");
    bind_merging(m);
    bind_options(m);
    m.def(
        "grow_classes",
        [](const Columns& columns, const Array2<std::int32_t>& labels, std::vector<int> n_classes,
           std::optional<Array1<double>> weight, const GrowOptions& options,
           std::optional<Array1<std::uint32_t>> rows) {
            data::Target target;
            target.n_rows = labels.shape(0);
            target.n_outputs = static_cast<int>(labels.shape(1));
            target.n_classes = std::move(n_classes);
            target.labels = labels.data();
            return run(columns, target, weight, rows, options);
        },
        nb::arg("columns"), nb::arg("labels").noconvert(), nb::arg("n_classes"), nb::arg("weight").none(),
        nb::arg("options"), nb::arg("rows").none() = nb::none(),
        "Grow a classification tree; labels are class indices, rows x outputs; `rows` grows it on a part of the table "
        "only.");
    m.def(
        "grow_numbers",
        [](const Columns& columns, const Array2<double>& numbers, std::optional<Array1<double>> weight,
           const GrowOptions& options, std::optional<Array1<std::uint32_t>> rows,
           std::optional<Array1<double>> case_weight) {
            data::Target target;
            target.n_rows = numbers.shape(0);
            target.n_outputs = static_cast<int>(numbers.shape(1));
            target.numbers = numbers.data();
            if (case_weight && case_weight->shape(0) != target.n_rows)
                throw std::invalid_argument("case_weight has another number of rows");
            if (case_weight) target.case_weight = case_weight->data();
            return run(columns, target, weight, rows, options);
        },
        nb::arg("columns"), nb::arg("numbers").noconvert(), nb::arg("weight").none(), nb::arg("options"),
        nb::arg("rows").none() = nb::none(), nb::arg("case_weight").none() = nb::none(),
        "Grow a regression tree; numbers are rows x outputs; `rows` grows it on a part of the table only; "
        "`case_weight` sends rows\n"
        "with missing values (default: weight).");
}

}  // namespace ceiba::bindings
