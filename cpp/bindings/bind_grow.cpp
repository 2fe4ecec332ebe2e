// Bindings of growing. The GIL is released once for a fit and reacquired only to check for Ctrl-C.
#include "grow/grow.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "base/probability/largest_chi_square.hpp"
#include "base/probability/permuted_separation.hpp"
#include "base/probability/tails.hpp"
#include "bindings.hpp"
#include "criteria/node_summary.hpp"
#include "data/ranges.hpp"
#include "split/levels/level_merging.hpp"
#include "tree/cut_digits.hpp"

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
    throw std::invalid_argument("unknown rule for missing values: '" + word + "'");
}

void refuse_foreign(std::span<const std::uint32_t> rows, std::size_t n_rows) {
    for (std::uint32_t row : rows)
        if (row >= n_rows) throw std::invalid_argument("rows must contain indices of rows of the table");
}

tree::TreeArrays grow_tree(const Columns& columns, const data::Target& target, const GrowOptions& options,
                           base::Interrupt& interrupt) {
    tree::TreeArrays grown = grow::grow(columns.table, target, options, interrupt);
    for (tree::SplitTable* splits : {&grown.splits, &grown.surrogates, &grown.competitors})
        splits->digits = tree::cut_digits(columns.table, target.rows, splits->column, splits->cut, options.n_threads);
    return grown;
}

tree::TreeArrays run(const Columns& columns, data::Target& target, const std::optional<Array1<double>>& weight,
                     const std::optional<Array1<std::uint32_t>>& rows, const GrowOptions& options) {
    if (target.n_rows != columns.table.n_rows || (weight && weight->shape(0) != target.n_rows))
        throw std::invalid_argument("columns, target and weight must have the same number of rows");
    if (weight) target.weight = weight->data();
    if (rows) target.rows = {rows->data(), rows->shape(0)};
    refuse_foreign(target.rows, target.n_rows);
    tree::TreeArrays grown;
    interruptible([&](base::Interrupt& interrupt) { grown = grow_tree(columns, target, options, interrupt); });
    return grown;
}

using Labels = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

// Larger tables are read by several threads, and the time outside the search does not matter.
constexpr std::size_t most_plain_values = 40'000;

// Reads, checks and grows in one call, because each array that Python creates or passes on takes as long as a tenth of
// the search. Returns nothing where the general path raises an error, warns or treats values in a special way.
template <class T>
std::optional<nb::tuple> grow_plain(const Matrix<T>& X, const Labels& y, const GrowOptions& options) {
    const std::size_t n = X.shape(0), k = X.shape(1);
    const auto is_aligned = []<class V>(const V* p) { return reinterpret_cast<std::uintptr_t>(p) % alignof(V) == 0; };
    if (n == 0 || k == 0 || n * k > most_plain_values || y.shape(0) != n || !is_aligned(X.data()) ||
        !is_aligned(y.data()))
        return std::nullopt;
    const data::MatrixView<T> view{X.data(), n, k, X.stride(0), X.stride(1)};
    data::Ranges ranges = data::ranges_of(view, nullptr);
    const bool missing = std::any_of(ranges.values.begin(), ranges.values.begin() + static_cast<std::ptrdiff_t>(k),
                                     [](double count) { return count > 0.0; });
    if (missing || !ranges.is_finite) return std::nullopt;
    std::optional<data::Coded> coded = data::code_integers(y.data(), n, y.stride(0), nullptr);
    if (!coded || 2 * coded->classes.size() > n) return std::nullopt;
    Columns columns;
    columns.table.n_rows = n;
    columns.table.columns.reserve(k);
    constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(T));
    for (std::size_t c = 0; c < k; ++c)
        columns.table.columns.push_back(data::Column::numeric(X.data() + static_cast<std::ptrdiff_t>(c) * X.stride(1),
                                                              X.stride(0) * size));
    data::Target target;
    target.n_rows = n;
    target.n_outputs = 1;
    target.n_classes = {static_cast<int>(coded->classes.size())};
    target.labels = coded->codes.data();
    tree::TreeArrays grown;
    interruptible([&](base::Interrupt& interrupt) { grown = grow_tree(columns, target, options, interrupt); });
    return nb::make_tuple(std::move(grown), to_numpy(std::move(coded->classes)),
                          to_numpy(std::move(ranges.values), {3, k}));
}

std::optional<nb::tuple> grow_if_plain(nb::handle X, nb::handle y, const GrowOptions& options) {
    Labels labels;
    Matrix<double> doubles;
    Matrix<float> floats;
    if (!nb::try_cast(y, labels, false)) return std::nullopt;
    if (nb::try_cast(X, doubles, false)) return grow_plain(doubles, labels, options);
    if (nb::try_cast(X, floats, false)) return grow_plain(floats, labels, options);
    return std::nullopt;
}

// Grows one tree per part: part i contains ends[i] - ends[i - 1] of the rows.
std::vector<tree::TreeArrays> run_each(const Columns& columns, data::Target& target, const GrowOptions& options,
                                       const Array1<std::uint32_t>& rows, const Array1<std::int64_t>& ends) {
    const std::span<const std::uint32_t> all(rows.data(), rows.shape(0));
    if (target.n_rows != columns.table.n_rows)
        throw std::invalid_argument("columns and target must have the same number of rows");
    refuse_foreign(all, target.n_rows);
    std::vector<tree::TreeArrays> grown;
    interruptible([&](base::Interrupt& interrupt) {
        std::size_t start = 0;
        for (std::size_t i = 0; i < ends.shape(0); ++i) {
            const auto end = static_cast<std::size_t>(ends.data()[i]);
            if (end <= start || end > all.size())
                throw std::invalid_argument("ends must be ascending and at most the number of rows");
            target.rows = all.subspan(start, end - start);
            grown.push_back(grow_tree(columns, target, options, interrupt));
            start = end;
        }
    });
    return grown;
}

data::Target class_target(const Array2<std::int32_t>& labels, std::vector<int> n_classes) {
    data::Target target;
    target.n_rows = labels.shape(0);
    target.n_outputs = static_cast<int>(labels.shape(1));
    target.n_classes = std::move(n_classes);
    target.labels = labels.data();
    return target;
}

data::Target number_target(const Array2<double>& numbers) {
    data::Target target;
    target.n_rows = numbers.shape(0);
    target.n_outputs = static_cast<int>(numbers.shape(1));
    target.numbers = numbers.data();
    return target;
}

std::span<const std::int64_t> ascending(const Array1<std::int64_t>& ends, std::int64_t n_rows) {
    const std::span<const std::int64_t> cuts(ends.data(), ends.shape(0));
    for (std::size_t i = 0; i < cuts.size(); ++i)
        if (cuts[i] <= (i == 0 ? 0 : cuts[i - 1]) || cuts[i] >= n_rows)
            throw std::invalid_argument("ends must be ascending, positive and below the number of rows");
    return cuts;
}

base::LargestChiSquare largest_chi_square(double limit, std::int64_t n_ones, std::int64_t n_rows,
                                          const Array1<std::int64_t>& ends, std::int64_t n_missing) {
    if (n_missing < 0 || n_missing >= n_rows || n_ones <= 0 || n_ones >= n_rows || !(limit >= 0.0))
        throw std::invalid_argument("limit must be at least 0, and the rows must have two classes and a value");
    return {limit, n_ones, n_rows, ascending(ends, n_rows - n_missing), n_missing};
}

base::PermutedSeparation permuted_separation(const Array2<double>& values, const Array1<std::int64_t>& ends,
                                             std::int64_t n_missing, bool between_groups) {
    const auto n_rows = static_cast<std::int64_t>(values.shape(0));
    if (values.shape(1) == 0 || n_missing < 0 || n_missing >= n_rows || (between_groups && n_missing > 0))
        throw std::invalid_argument("values must have columns, and n_missing must be below n_rows (0 between groups)");
    return {{values.data(), values.size()},
            values.shape(1),
            ascending(ends, n_rows - n_missing),
            static_cast<std::size_t>(n_missing),
            between_groups};
}

void bind_options(nb::module_& m) {
    auto c = nb::class_<GrowOptions>(m, "GrowOptions",
                                     "Options of growing in the units of the core (see ceiba.grow.GrowOptions).");
    c.def(nb::init<>()).def(nb::init<const GrowOptions&>(), nb::arg("other"));
    grow::for_each_option([&c](const char* name, auto field) {
        using Value = std::decay_t<decltype(field(std::declval<GrowOptions&>()))>;
        c.def_prop_rw(
            name, [field](const GrowOptions& o) -> Value { return field(o); },
            [field](GrowOptions& o, Value value) { field(o) = std::move(value); });
    });
    c.def_prop_rw(
        "like_rpart", [](const GrowOptions& o) { return o.search.conventions == split::rpart_conventions; },
        [](GrowOptions& o, bool v) { o.search.conventions = v ? split::rpart_conventions : split::Conventions{}; });
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
        throw std::invalid_argument("an F test requires counts, sums and sums of squares");
    return statistic == "f" ? PairTest::f : statistic == "pearson" ? PairTest::pearson : PairTest::likelihood_ratio;
}

void bind_merging(nb::module_& m) {
    m.def("chi_square_tail", &base::chi_square_tail, nb::arg("x"), nb::arg("df"),
          "Return P(X > x) for a chi-square variable X.");
    m.def("f_tail", &base::f_tail, nb::arg("f"), nb::arg("df1"), nb::arg("df2"),
          "Return P(X > f) for a variable X with an F distribution.");
    m.def("log_chi_square_tail", &base::log_chi_square_tail, nb::arg("x"), nb::arg("df"),
          "Return log P(X > x) for a chi-square variable X.");
    m.def("log_f_tail", &base::log_f_tail, nb::arg("f"), nb::arg("df1"), nb::arg("df2"),
          "Return log P(X > f) for a variable X with an F distribution.");
    m.def(
        "log_largest_chi_square_tail",
        [](double limit, std::int64_t n_ones, std::int64_t n_rows, const Array1<std::int64_t>& ends,
           std::int64_t n_missing, double most_steps) {
            base::LargestChiSquare largest = largest_chi_square(limit, n_ones, n_rows, ends, n_missing);
            nb::gil_scoped_release release;
            return largest.log_tail(most_steps);
        },
        nb::arg("limit"), nb::arg("n_ones"), nb::arg("n_rows"), nb::arg("ends"), nb::arg("n_missing"),
        nb::arg("most_steps"),
        "Return log P(largest chi-square of all divisions >= limit) for two classes, or NaN if it takes too many "
        "steps.");
    m.def(
        "log_chi_square_tail_sum",
        [](double limit, std::int64_t n_ones, std::int64_t n_rows, const Array1<std::int64_t>& sizes,
           const Array1<double>& factors) {
            if (sizes.shape(0) != factors.shape(0))
                throw std::invalid_argument("sizes and factors must have the same length");
            const base::LargestChiSquare largest(limit, n_ones, n_rows, {}, 0);
            return largest.log_weighted_sum({sizes.data(), sizes.shape(0)}, {factors.data(), factors.shape(0)});
        },
        nb::arg("limit"), nb::arg("n_ones"), nb::arg("n_rows"), nb::arg("sizes"), nb::arg("factors"),
        "Return the log of the sum of factor x P(chi-square >= limit) over divisions with `sizes` rows on one side, "
        "for two classes.");
    m.def(
        "separation",
        [](const Array2<double>& values, const Array1<std::int64_t>& ends, std::int64_t n_missing, bool between) {
            return permuted_separation(values, ends, n_missing, between).observed();
        },
        nb::arg("values"), nb::arg("ends"), nb::arg("n_missing"), nb::arg("between_groups"),
        "Return the separation of the rows by the best division, or between all groups.");
    m.def(
        "permuted_separations",
        [](const Array2<double>& values, const Array1<std::int64_t>& ends, std::int64_t n_missing, bool between,
           std::uint64_t seed, std::uint64_t first, std::size_t n_draws) {
            base::PermutedSeparation permuted = permuted_separation(values, ends, n_missing, between);
            std::vector<double> result(n_draws);
            {
                nb::gil_scoped_release release;
                permuted.draw(seed, first, result);
            }
            return to_numpy(std::move(result));
        },
        nb::arg("values"), nb::arg("ends"), nb::arg("n_missing"), nb::arg("between_groups"), nb::arg("seed"),
        nb::arg("first"), nb::arg("n_draws"), "Return the separation after each of n_draws permutations of the rows.");
    m.def(
        "merge_levels",
        [](const Cells& cells, const std::string& kind, const std::string& statistic, double alpha, double min_rows) {
            using split::Merging;
            const Merging merging = kind == "nominal"   ? Merging::nominal
                                    : kind == "ordered" ? Merging::ordered
                                                        : Merging::floating;
            const split::PairTest test = pair_test(statistic, cells);
            split::MergedLevels merged;
            interruptible([&](base::Interrupt& interrupt) {
                merged = split::merge_levels({cells.data(), cells.size()}, cells.shape(1), merging, test, alpha,
                                             min_rows, interrupt);
            });
            nb::list steps;
            for (const split::MergeStep& step : merged.steps)
                steps.append(nb::make_tuple(step.a, step.b, step.p_value));
            return nb::make_tuple(to_numpy(std::move(merged.group)), steps);
        },
        nb::arg("cells").noconvert(), nb::arg("kind"), nb::arg("statistic"), nb::arg("alpha"), nb::arg("min_rows"),
        "Merge categories as CHAID does; return the first category of the group of each category, and the steps.");
    m.def(
        "merging_is_hopeless",
        [](const Cells& cells, const std::string& statistic, double log_limit, double min_rows) {
            return split::merging_is_hopeless({cells.data(), cells.size()}, cells.shape(1), pair_test(statistic, cells),
                                              log_limit, min_rows);
        },
        nb::arg("cells").noconvert(), nb::arg("statistic"), nb::arg("log_limit"), nb::arg("min_rows"),
        "Whether a bound shows that no merging of nominal categories reaches this log of the adjusted p-value.");
}

}  // namespace

void bind_grow(nb::module_& m) {
    m.def("counted_criteria", &split::counted_criteria,
          "Return the names of the criteria that the search over bins supports.");
    bind_merging(m);
    bind_options(m);
    m.def(
        "grow_classes",
        [](const Columns& columns, const Array2<std::int32_t>& labels, std::vector<int> n_classes,
           std::optional<Array1<double>> weight, const GrowOptions& options,
           std::optional<Array1<std::uint32_t>> rows) {
            data::Target target = class_target(labels, std::move(n_classes));
            return run(columns, target, weight, rows, options);
        },
        nb::arg("columns"), nb::arg("labels").noconvert(), nb::arg("n_classes"), nb::arg("weight").none(),
        nb::arg("options"), nb::arg("rows").none() = nb::none(),
        "Grow a classification tree on all rows or on `rows`; `labels` are class indices (rows x outputs).");
    m.def(
        "grow_numbers",
        [](const Columns& columns, const Array2<double>& numbers, std::optional<Array1<double>> weight,
           const GrowOptions& options, std::optional<Array1<std::uint32_t>> rows,
           std::optional<Array1<double>> case_weight, std::optional<Array1<std::uint32_t>> event_rank) {
            data::Target target = number_target(numbers);
            if (event_rank && event_rank->shape(0) != target.n_rows)
                throw std::invalid_argument("event_rank must have one value per row");
            if (event_rank) target.event_rank = event_rank->data();
            if (case_weight && case_weight->shape(0) != target.n_rows)
                throw std::invalid_argument("case_weight must have one value per row");
            if (case_weight) target.case_weight = case_weight->data();
            return run(columns, target, weight, rows, options);
        },
        nb::arg("columns"), nb::arg("numbers").noconvert(), nb::arg("weight").none(), nb::arg("options"),
        nb::arg("rows").none() = nb::none(), nb::arg("case_weight").none() = nb::none(),
        nb::arg("event_rank").none() = nb::none(),
        "Grow a regression tree on all rows or on `rows`; `numbers` is the target (rows x outputs).\n\n"
        "`case_weight` (default: `weight`) is the weight that determines majority branches and surrogates.\n"
        "`event_rank` is the number of event times up to that of each row, for the log-rank test.");
    m.def("grow_if_plain", &grow_if_plain, nb::arg("X"), nb::arg("y"), nb::arg("options"),
          "Grow a classification tree on a matrix of finite floats and a vector of int64 classes. Return the tree, the "
          "classes and the ranges of the columns, or None if the data require another path.");
    m.def(
        "grow_on_each",
        [](const Columns& columns, const Array2<std::int32_t>& labels, std::vector<int> n_classes,
           const GrowOptions& options, const Array1<std::uint32_t>& rows, const Array1<std::int64_t>& ends) {
            data::Target target = class_target(labels, std::move(n_classes));
            return run_each(columns, target, options, rows, ends);
        },
        nb::arg("columns"), nb::arg("labels").noconvert(), nb::arg("n_classes"), nb::arg("options"), nb::arg("rows"),
        nb::arg("ends"),
        "Grow a classification tree on each of several parts of `rows`; `ends` contains the end of each part.");
    m.def(
        "grow_on_each",
        [](const Columns& columns, const Array2<double>& numbers, const GrowOptions& options,
           const Array1<std::uint32_t>& rows, const Array1<std::int64_t>& ends) {
            data::Target target = number_target(numbers);
            return run_each(columns, target, options, rows, ends);
        },
        nb::arg("columns"), nb::arg("numbers").noconvert(), nb::arg("options"), nb::arg("rows"), nb::arg("ends"),
        "Grow a regression tree on each of several parts of `rows`; `ends` contains the end of each part.");
}

}  // namespace ceiba::bindings
