#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/random.hpp"
#include "bindings.hpp"
#include "grow/grow.hpp"
#include "predict/router.hpp"
#include "prune/folds.hpp"
#include "prune/held_out.hpp"
#include "prune/raising.hpp"
#include "prune/weakest_link.hpp"
#include "split/missing/surrogates.hpp"
#include "tree/tree_arrays.hpp"

namespace ceiba::bindings {

namespace {

template <class T>
std::span<const T> view(const Array1<T>& array) {
    return {array.data(), array.shape(0)};
}

template <class T>
std::span<const T> view(const std::optional<Array1<T>>& array) {
    return array ? view(*array) : std::span<const T>{};
}

void check_length(std::size_t length, std::size_t expected) {
    if (length != expected) throw std::invalid_argument("arrays have inconsistent lengths");
}

prune::Loss loss_from(const std::string& word) {
    if (word == "squared_error") return prune::Loss::squared;
    if (word == "absolute_error") return prune::Loss::absolute;
    if (word == "pinball") return prune::Loss::pinball;
    if (word == "poisson") return prune::Loss::poisson;
    if (word == "poisson_sqrt") return prune::Loss::poisson_sqrt;
    throw std::invalid_argument("unknown loss: '" + word + "'");
}

// The path and the rows for both loss functions. The checks ensure that walking up the path stays inside its arrays.
struct HeldOutPath {
    HeldOutPath(const Array1<std::int32_t>& parent, const Array1<std::int32_t>& step, const Array1<std::int32_t>& end,
                const Array1<double>& weight, std::size_t n_steps)
        : path{view(parent), view(step), n_steps}, rows{view(end), view(weight)} {
        check_length(step.shape(0), parent.shape(0));
        check_length(weight.shape(0), end.shape(0));
        const auto inside = [&](std::int32_t node) {
            return node >= 0 && static_cast<std::size_t>(node) < path.parent.size();
        };
        if (n_steps == 0 || !std::all_of(rows.end.begin(), rows.end.end(), inside))
            throw std::invalid_argument("n_steps must be at least 1, and end must contain indices of nodes");
        for (std::size_t i = 0; i < path.parent.size(); ++i)
            if (path.parent[i] >= static_cast<std::int32_t>(i) || path.step[i] < 0)
                throw std::invalid_argument("nodes must be in pre-order, and steps must be at least 0");
    }
    prune::Path path;
    prune::HeldOutRows rows;
};

nb::tuple pair(prune::Losses&& losses) {
    return nb::make_tuple(to_numpy(std::move(losses.first)), to_numpy(std::move(losses.second)));
}

void bind_losses(nb::module_& m) {
    m.def(
        "class_losses",
        [](const Array1<std::int32_t>& parent, const Array1<std::int32_t>& step, const Array1<std::int32_t>& end,
           const Array1<double>& weight, const Array1<std::int32_t>& label, const Array1<std::int32_t>& answer,
           const Array1<double>& cost, std::size_t n_classes, std::size_t n_steps) {
            const HeldOutPath held_out(parent, step, end, weight, n_steps);
            check_length(label.shape(0), end.shape(0));
            check_length(answer.shape(0), parent.shape(0));
            check_length(cost.shape(0), n_classes * n_classes);
            const auto is_class = [&](std::int32_t k) { return k >= 0 && static_cast<std::size_t>(k) < n_classes; };
            if (!std::all_of(view(label).begin(), view(label).end(), is_class) ||
                !std::all_of(view(answer).begin(), view(answer).end(), is_class))
                throw std::invalid_argument("label and answer must contain class indices");
            prune::Losses out;
            {
                const nb::gil_scoped_release no_gil;
                out =
                    prune::class_losses(held_out.path, held_out.rows, view(label), view(answer), view(cost), n_classes);
            }
            return pair(std::move(out));
        },
        nb::arg("parent"), nb::arg("step"), nb::arg("end"), nb::arg("weight"), nb::arg("label"), nb::arg("answer"),
        nb::arg("cost"), nb::arg("n_classes"), nb::arg("n_steps"),
        "Return the sums of weight x cost and of weight x cost^2 over held-out rows at each step of a pruning "
        "sequence.");
    m.def(
        "number_losses",
        [](const Array1<std::int32_t>& parent, const Array1<std::int32_t>& step, const Array1<std::int32_t>& end,
           const Array1<double>& weight, const Array1<double>& number, std::optional<Array1<double>> scale,
           const Array1<double>& value, const std::string& loss, std::size_t n_steps, double level) {
            const HeldOutPath held_out(parent, step, end, weight, n_steps);
            check_length(number.shape(0), end.shape(0));
            if (scale) check_length(scale->shape(0), end.shape(0));
            check_length(value.shape(0), parent.shape(0));
            const prune::Loss chosen = loss_from(loss);
            prune::Losses out;
            {
                const nb::gil_scoped_release no_gil;
                out = prune::number_losses(held_out.path, held_out.rows, view(number), view(scale), view(value), chosen,
                                           level);
            }
            return pair(std::move(out));
        },
        nb::arg("parent"), nb::arg("step"), nb::arg("end"), nb::arg("weight"), nb::arg("number"),
        nb::arg("scale").none(), nb::arg("value"), nb::arg("loss"), nb::arg("n_steps"), nb::arg("level") = 0.5,
        "Return the sums of weight x loss and of weight x loss^2 over held-out rows at each step of a pruning "
        "sequence.\n\n"
        "The loss is 'squared_error', 'absolute_error', 'pinball' (of `level`), 'poisson' or 'poisson_sqrt', times the "
        "row's `scale`.");
}

nb::dict arrays_of(const split::GivenSplitSurrogates& result) {
    tree::SplitTable splits;
    std::vector<double> agreement, adjusted;
    std::vector<std::int64_t> sent;
    for (const split::Surrogate& s : result.surrogates) {
        splits.push(s.kind, s.column, s.cut, s.low_branch, s.levels);
        agreement.push_back(s.agreement);
        adjusted.push_back(s.adjusted);
        sent.push_back(s.sent);
    }
    nb::dict out, table;
    table["kind"] = to_numpy(std::move(splits.kind));
    table["column"] = to_numpy(std::move(splits.column));
    table["cut"] = to_numpy(std::move(splits.cut));
    table["low_branch"] = to_numpy(std::move(splits.low_branch));
    table["level_start"] = to_numpy(std::move(splits.level_start));
    table["level_code"] = to_numpy(std::move(splits.level_code));
    table["level_branch"] = to_numpy(std::move(splits.level_branch));
    out["splits"] = table;
    out["agreement"] = to_numpy(std::move(agreement));
    out["adjusted"] = to_numpy(std::move(adjusted));
    out["sent"] = to_numpy(std::move(sent));
    out["branch"] = to_numpy(std::vector<std::uint16_t>(result.branch));
    return out;
}

template <class T>
using Array2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::dict prune_by_errors(const predict::Router& router, const Columns& columns, const Array1<std::int32_t>& label,
                         const Array1<double>& weight, const Array2<double>& counts,
                         const std::optional<std::pair<double, double>>& pessimism, bool raising) {
    check_length(counts.shape(0), router.arrays().n_nodes());
    if (raising) {
        check_length(label.shape(0), columns.table.n_rows);
        check_length(weight.shape(0), columns.table.n_rows);
        for (const std::int32_t k : view(label))
            if (k < 0 || static_cast<std::size_t>(k) >= counts.shape(1))
                throw std::invalid_argument("label must contain class indices");
    }
    const prune::TrainingRows rows{&columns.table, view(label), view(weight), counts.shape(1)};
    prune::ErrorPruning options{std::nullopt, raising};
    if (pessimism) options.pessimism = {pessimism->first, pessimism->second};
    prune::ErrorPruned pruned;
    interruptible([&](base::Interrupt& interrupt) {
        pruned = prune::prune_by_errors(router.arrays(), {counts.data(), counts.size()}, rows, options, interrupt);
    });
    nb::dict out;
    out["leaves"] = to_numpy(std::move(pruned.leaves));
    if (!pruned.raised) return out;
    out["content"] = to_numpy(std::move(pruned.content));
    out["parent"] = to_numpy(std::move(pruned.parent));
    out["leaf"] = to_numpy(std::move(pruned.leaf));
    out["weight"] = to_numpy(std::move(pruned.weight));
    return out;
}

void bind_raising(nb::module_& m) {
    m.def(
        "added_errors",
        [](double total, double errors, double confidence, double z) {
            return prune::Pessimism{confidence, z}.added(total, errors);
        },
        nb::arg("total"), nb::arg("errors"), nb::arg("confidence"), nb::arg("z"),
        "Return the number of errors that C4.5 adds to those of a leaf; z is the normal quantile at 1 - confidence.");
    m.def("prune_by_errors", &prune_by_errors, nb::arg("router"), nb::arg("columns"), nb::arg("label").noconvert(),
          nb::arg("weight").noconvert(), nb::arg("counts").noconvert(), nb::arg("pessimism").none(), nb::arg("raising"),
          "Prune by pessimistic errors, after collapsing subtrees that save no error, and return the leaves that "
          "remain.\n\n"
          "`pessimism`: the confidence, and the normal quantile at 1 - confidence; None: only collapse. If branches "
          "were raised, the result contains all nodes in pre-order and the node whose split each has.");
}

nb::dict stand_ins(const Columns& columns, data::Target& target, const std::optional<Array1<double>>& weight,
                   const Array1<std::uint32_t>& rows, const Array1<std::uint16_t>& branch, std::int32_t column,
                   const grow::GrowOptions& options) {
    check_length(columns.table.n_rows, target.n_rows);
    check_length(branch.shape(0), target.n_rows);
    if (weight) check_length(weight->shape(0), target.n_rows);
    if (weight) target.weight = weight->data();
    target.rows = view(rows);
    for (const std::uint32_t row : target.rows)
        if (row >= target.n_rows) throw std::invalid_argument("rows must contain indices of rows of the table");
    return arrays_of(split::surrogates_of_given_split(columns.table, target, view(branch), column, options.search,
                                                      options.surrogates, options.use_surrogate > 0));
}

std::vector<std::uint32_t> deal_folds(std::uint64_t n_rows, std::uint32_t n_folds, std::uint64_t seed,
                                      std::uint64_t repeat, const std::optional<Array1<std::uint32_t>>& strata,
                                      const std::optional<Array1<std::uint32_t>>& groups) {
    if (strata && groups) throw std::invalid_argument("Pass strata or groups, not both.");
    if (strata) check_length(strata->shape(0), n_rows);
    if (!groups) return prune::deal_folds(n_rows, view(strata), n_folds, seed, repeat);
    check_length(groups->shape(0), n_rows);
    std::vector<std::uint64_t> sizes;
    for (const std::uint32_t group : view(groups)) {
        if (group >= sizes.size()) sizes.resize(group + std::size_t{1}, 0);
        ++sizes[group];
    }
    const std::vector<std::uint32_t> fold_of = prune::deal_groups(sizes, n_folds, seed, repeat);
    std::vector<std::uint32_t> fold;
    for (const std::uint32_t group : view(groups)) fold.push_back(fold_of[group]);
    return fold;
}

void bind_by_hand(nb::module_& m) {
    m.def("branch_seed", &base::branch_seed, nb::arg("seed"), nb::arg("branch"),
          "Return the seed of a branch of a node with this seed.");
    m.def(
        "stand_ins_classes",
        [](const Columns& columns, const Array2<std::int32_t>& labels, std::vector<int> n_classes,
           std::optional<Array1<double>> weight, const Array1<std::uint32_t>& rows, const Array1<std::uint16_t>& branch,
           std::int32_t column, const grow::GrowOptions& options) {
            data::Target target;
            target.n_rows = labels.shape(0);
            target.n_outputs = static_cast<int>(labels.shape(1));
            target.n_classes = std::move(n_classes);
            target.labels = labels.data();
            return stand_ins(columns, target, weight, rows, branch, column, options);
        },
        nb::arg("columns"), nb::arg("labels").noconvert(), nb::arg("n_classes"), nb::arg("weight").none(),
        nb::arg("rows"), nb::arg("branch"), nb::arg("column"), nb::arg("options"),
        "Return the surrogates of a given split in a classification tree, and the branch of each row.");
    m.def(
        "stand_ins_numbers",
        [](const Columns& columns, const Array2<double>& numbers, std::optional<Array1<double>> weight,
           const Array1<std::uint32_t>& rows, const Array1<std::uint16_t>& branch, std::int32_t column,
           const grow::GrowOptions& options) {
            data::Target target;
            target.n_rows = numbers.shape(0);
            target.n_outputs = static_cast<int>(numbers.shape(1));
            target.numbers = numbers.data();
            return stand_ins(columns, target, weight, rows, branch, column, options);
        },
        nb::arg("columns"), nb::arg("numbers").noconvert(), nb::arg("weight").none(), nb::arg("rows"),
        nb::arg("branch"), nb::arg("column"), nb::arg("options"),
        "Return the surrogates of a given split in a regression tree, and the branch of each row.");
}

}  // namespace

void bind_prune(nb::module_& m) {
    m.def(
        "collapse_alphas",
        [](const Array1<std::int32_t>& parent, const Array1<double>& risk, double whole, double tolerance,
           std::optional<Array1<double>> split) {
            check_length(risk.shape(0), parent.shape(0));
            if (split) check_length(split->shape(0), parent.shape(0));
            return to_numpy(prune::collapse_alphas(view(parent), view(risk), {whole, tolerance, view(split)}));
        },
        nb::arg("parent"), nb::arg("risk"), nb::arg("whole") = 1.0, nb::arg("tolerance") = 0.0,
        nb::arg("split").none() = nb::none(),
        "Return the alpha at which each node or its ancestor collapses (in units of risk / whole), or infinity for "
        "leaves.");
    m.def(
        "deal_folds",
        [](std::uint64_t n_rows, std::uint32_t n_folds, std::uint64_t seed, std::uint64_t repeat,
           std::optional<Array1<std::uint32_t>> strata, std::optional<Array1<std::uint32_t>> groups) {
            return to_numpy(deal_folds(n_rows, n_folds, seed, repeat, strata, groups));
        },
        nb::arg("n_rows"), nb::arg("n_folds"), nb::arg("seed"), nb::arg("repeat") = 0,
        nb::arg("strata").none() = nb::none(), nb::arg("groups").none() = nb::none(),
        "Assign rows to folds at random, and return the fold of each row.\n\n"
        "The sizes of the folds differ by at most one, in total and in each stratum. With `groups`, whole groups are\n"
        "assigned, the largest first, each to the fold with the fewest rows.");
    bind_losses(m);
    bind_raising(m);
    bind_by_hand(m);
}

}  // namespace ceiba::bindings
