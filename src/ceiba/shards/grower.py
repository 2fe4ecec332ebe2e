"""Grow trees on tables in shards, by sending rounds of requests to the shards.

Unsupported options are rejected before any pass over the data. Up to `trees_at_once` trees of
cross-validation folds are grown in the same rounds, and the shards route held-out rows.

With `max_bins`, cuts are at the edges of quantile bins only. In memory, these edges come from a
sample of the tree's rows. The positions of the sampled rows depend only on the number of rows
(`cpp/core/split/bins/binning.cpp`), so the same rows are collected from the shards. A column with
at most `max_bins` values has one bin per value, and its cuts are between the values of a node. In
other columns, the search uses bin numbers instead of values. Every bin then has a single value, so
no bin needs to be zoomed or fetched.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.errors import DataError, OptionError
from ceiba.grow import (
    GrowOptions,
    Problem,
    SubtreeContext,
    check_combinations,
    core_options,
    merge_equal_siblings,
    set_sizes,
    set_survival_options,
    survival_rates,
    tree_from_arrays,
    with_survival_figures,
)
from ceiba.shards.shard import Arrays, ShardLayout, tree_layouts, with_rates
from ceiba.shards.table import ShardedTable, ShardedTarget
from ceiba.table import Target, exact_sum, round_digit_sums
from ceiba.table.targets import HazardTarget
from ceiba.task import Task
from ceiba.tree import Tree
from ceiba.tree.routing import RowEnds
from ceiba.tree.splits import SplitKind

_CRITERIA: Final = {
    Task.CLASSIFICATION: ("gini", "entropy", "log_loss", "error", "hellinger"),
    Task.REGRESSION: ("squared_error", "friedman_mse", "poisson"),
    Task.SURVIVAL: ("exponential",),
}
#: "fractional" is supported only for tables without missing values.
_MISSING: Final = ("learn", "majority", "error", "fractional")
#: Growing options that are supported for tables in shards.
_SUPPORTED: Final = frozenset(
    {
        "task",
        "criterion",
        "missing",
        "max_depth",
        "max_leaf_nodes",
        "max_bins",
        "min_samples_split",
        "min_samples_leaf",
        "min_weight_fraction_leaf",
        "min_impurity_decrease",
        "class_prior",
        "cost_matrix",
        "column_cost",
        "interaction_cst",
        "monotonic_cst",
        "categorical_splits",
        "unseen",
        "n_jobs",
        "seed",
    }
)
_ROUND_TEXTS: Final = {
    "count": "counting",
    "zoom": "counting in smaller bins",
    "fetch": "fetching values",
    "neighbours": "placing cuts",
    "gather": "finishing small nodes",
    "describe": "describing nodes",
}


def check_supported(options: GrowOptions) -> None:
    """Raise an error for options that are not supported for tables in shards."""
    criteria = options.task.lookup(_CRITERIA, "A table larger than memory")
    _refuse_value("criterion", options.criterion_name, criteria)
    _refuse_value("missing", options.missing_rule, _MISSING)
    for name, value in options.non_default.items():
        if name not in _SUPPORTED:
            raise unsupported_error(name, value)
    if options.value_rules.empty_branches and not options.task.has_classes:
        raise unsupported_error("categorical_splits", options.categorical_splits)


def check_parameters(params: Mapping[str, Any], allowed: frozenset[str]) -> None:
    """Raise an error for estimator parameters that are neither supported nor in `allowed`."""
    for name, value in params.items():
        if name not in allowed and name not in _SUPPORTED and name != "random_state":
            raise unsupported_error(name, value)


def unsupported_error(name: str, value: Any) -> OptionError:
    """Return the error for an option that is not supported for tables in shards."""
    return OptionError(
        f"{name}={value!r} is not supported for scans, dask or GPU tables. Remove it, or read the "
        "table or a sample of it into memory."
    )


def _refuse_value(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise OptionError(
            f"{name}={value!r} is not supported for scans, dask or GPU tables. Allowed values: "
            f"{', '.join(map(repr, allowed))}."
        )


@dataclass(frozen=True)
class TreeRows:
    """The number and total weight of the rows on which a tree is grown, over all shards.

    Tree 0 is grown on all rows, and tree v + 1 on the rows that fold v does not hold out.
    `n_learned` of the rows have a weight above 0. Survival trees also require `rows` (None: all).
    """

    tree: int
    n_rows: int
    n_learned: int
    weight: float
    rows: npt.NDArray[np.intp] | None = None


def grow_over_shards(problem: Problem, rows: object, subtree: SubtreeContext | None) -> Tree:
    """Grow a tree on a table in shards."""
    table = problem.table
    assert isinstance(table, ShardedTable)
    if rows is not None or subtree is not None:
        raise OptionError("Growing on a subset of the rows requires a table in memory.")
    tree_rows = TreeRows(0, table.n_rows, table.n_rows, float(table.n_rows))
    if table.weight_totals is not None:
        tree_rows = TreeRows(0, table.n_rows, table.weight_totals.n_rows, table.weight_totals.total)
    return _grow_in_rounds(problem, [tree_rows])[0]


def grow_trees(problem: Problem, parts: Sequence[TreeRows]) -> list[Tree]:
    """Grow a tree on each set of rows; up to `trees_at_once` trees share the same requests."""
    table = problem.table
    assert isinstance(table, ShardedTable)
    check_combinations(table, problem.target, problem.options, problem.weight)
    trees: list[Tree] = []
    for first in range(0, len(parts), table.trees_at_once):
        trees += _grow_in_rounds(problem, parts[first : first + table.trees_at_once])
    return (
        trees if problem.options.monotonic_cst is None else list(map(merge_equal_siblings, trees))
    )


def _grow_in_rounds(problem: Problem, parts: Sequence[TreeRows]) -> list[Tree]:
    table, target = problem.table, problem.target
    assert isinstance(table, ShardedTable)
    assert isinstance(target, ShardedTarget)
    check_supported(problem.options)
    _refuse_missing(problem)
    layouts = [table.layout] * len(parts)
    if problem.options.max_bins is not None:
        layouts = choose_bins(table, [part.tree for part in parts], problem.options.max_bins)
    growers = [
        _make_grower(problem, table, part, layout, len(parts))
        for part, layout in zip(parts, layouts, strict=True)
    ]
    # Each round takes one pass over the data for all unfinished trees, so the number of passes is
    # the number of rounds of the slowest tree.
    with _contradictions_as_data_errors():
        while open_ones := [k for k, grower in enumerate(growers) if not grower.done]:
            if table.watch is not None:
                table.watch("progress", _progress([growers[k] for k in open_ones]))
            _ask_round(table, [(parts[k].tree, growers[k]) for k in open_ones])
    trees = [tree_from_arrays(grower.tree(), problem, target.units, None) for grower in growers]
    if problem.options.task is Task.SURVIVAL:
        pairs = zip(trees, parts, strict=True)
        return [_as_survival_tree(tree, problem, table, part) for tree, part in pairs]
    return trees


def _as_survival_tree(tree: Tree, problem: Problem, table: ShardedTable, part: TreeRows) -> Tree:
    """Convert a tree of event rates to a survival tree by routing the rows of all shards."""
    rows = np.arange(part.n_rows) if part.rows is None else part.rows
    unused = np.empty(0)
    node = _route_rows(table, [tree])[rows]
    ends = RowEnds(unused, unused, unused, rows, node, problem.hazard.cases[rows])
    tree = replace(tree, default_branch=_heavier_branches(tree, ends))
    return with_survival_figures(tree, problem, ends)


def _heavier_branches(tree: Tree, ends: RowEnds) -> npt.NDArray[np.int32]:
    """Return the default branch of each node, which is the branch with more row weight."""
    # In nodes without missing values, "learn" chooses the last of equally heavy branches.
    digits = np.asarray(_core.sum_digits(ends.weight, ends.node, tree.n_nodes))
    running = np.cumsum(digits.reshape(tree.n_nodes, -1), axis=0, dtype=np.uint64)
    running = np.concatenate([np.zeros_like(running[:1]), running])
    weight = round_digit_sums((running[tree.subtree_end] - running[:-1]).ravel())
    default = tree.default_branch.copy()
    learned = (tree.sent_default > 0) | (tree.splits.kind == SplitKind.PRESENCE)
    for node in np.flatnonzero(~tree.is_leaf & ~learned).tolist():
        branches = tree.branch_node[tree.branch_start[node] : tree.branch_start[node + 1]]
        heaviest = np.flatnonzero(weight[branches] == weight[branches].max())
        default[node] = heaviest[-1 if tree.missing == "learn" else 0]
    return default


def _route_rows(table: ShardedTable, trees: list[Tree]) -> npt.NDArray[np.int32]:
    """Return the end node of each row in the tree of its fold, or in the only tree."""
    # Shards store zero-weight rows as rows without values, and missing="error" rejects such rows.
    trees = [replace(t, missing="learn") if t.missing == "error" else t for t in trees]
    routes = np.frombuffer(pickle.dumps(trees), np.uint8)
    table.exchange.scatter("routes", [(routes,)] * table.n_shards)
    return np.concatenate([nodes for (nodes,) in table.exchange.collect("ends")])


@contextmanager
def _contradictions_as_data_errors() -> Iterator[None]:
    """Raise a `DataError` if results of shards are contradictory because the table changed."""
    try:
        yield
    except _core.Contradiction as error:
        raise DataError(
            f"The table changed during the fit: {error}. Fit again when it no longer changes."
        ) from error


def _refuse_missing(problem: Problem) -> None:
    """Raise an error if these options do not support missing values for tables in shards."""
    # Shards weight the rows of survival trees by time, but these options require the row weights.
    options, refused = problem.options, ""
    if options.missing_rule == "fractional":
        refused, advice = "missing='fractional'", "missing='learn' or 'majority'"
    elif options.task is Task.SURVIVAL and options.missing_rule == "majority":
        refused, advice = "missing='majority'", "missing='learn'"
    elif options.task is Task.SURVIVAL and options.categorical_splits != "binary":
        refused, advice = "categorical_splits='multiway'", "categorical_splits='binary'"
    for info in problem.table.schema.columns if refused else ():
        if info.n_missing:
            raise OptionError(
                f"Column {info.name!r}: missing values are not supported with {refused} for "
                f"{options.task} trees on scans, dask or GPU tables, got {info.n_missing:,}. "
                f"Use {advice}."
            )


def _make_grower(
    problem: Problem, table: ShardedTable, part: TreeRows, layout: ShardLayout, n_together: int
) -> _core.LevelGrower:
    core = core_options(table, problem.options, None, problem.scales, None)
    if problem.options.missing_rule == "fractional":  # equivalent if no value is missing
        core.set_missing("majority")
    core.approximate = False  # the layout already has the bins of `max_bins`
    set_sizes(core, problem.options, part.n_rows, part.weight)
    if problem.options.task is Task.SURVIVAL:
        _, _, exposure, cases = survival_rates(problem.hazard)
        rows = slice(None) if part.rows is None else part.rows
        set_survival_options(core, exposure[rows], cases[rows])
    types = [(info.kind.value, info.n_levels) for info in table.schema.columns]
    sizes = table.sizes
    return _core.LevelGrower(
        core, layout.core, types, part.n_learned,
        sizes.gather_rows, sizes.fetch_rows, sizes.zoom_bits,
        max(1, table.values_in_memory // n_together),
    )  # fmt: skip


def _ask_round(table: ShardedTable, growers: Sequence[tuple[int, _core.LevelGrower]]) -> None:
    """Send the next requests of all trees together, and add the results to each tree."""
    rounds = _core.join_rounds(growers)
    answers = _core.split_answers(table.exchange.ask(rounds))
    for (_, grower), answer in zip(growers, answers, strict=True):
        grower.take(answer)


def _progress(growers: Sequence[_core.LevelGrower]) -> str:
    rows = sum(grower.rows_open for grower in growers)
    first = growers[0]
    trees = "" if len(growers) == 1 else f"{len(growers)} trees, "
    return f"{trees}level {first.level}: {_ROUND_TEXTS[first.asks]}, {rows:,} rows open"


def choose_bins(table: ShardedTable, trees: Sequence[int], max_bins: int) -> list[ShardLayout]:
    """Choose bins for each tree, send them to the shards, and return the layout of each tree."""
    exchange, n_shards = table.exchange, table.n_shards
    exchange.scatter("trees", [(np.array(trees), np.array([max_bins]))] * n_shards)
    distinct = exchange.collect("distinct")
    single = distinct[0][1]
    k = len(single)
    if not k:
        return [table.layout] * len(trees)
    parts = [np.split(values, ends[:-1]) for _, _, ends, values in distinct]
    places = _sample_places([n_rows for n_rows, *_ in distinct])
    exchange.scatter("places", places)
    samples = exchange.collect("sample")
    values = _split_by_tree([arrays[0] for arrays in samples], [k * ends for ends, _ in places])
    weights = None
    if table.weight_totals is not None:
        weights = _split_by_tree([arrays[1] for arrays in samples], [ends for ends, _ in places])
    coarse, numbers = [], []
    for t in range(len(trees)):
        sample = np.concatenate([block.reshape(k, -1) for block in values[t]], axis=1)
        weight = None if weights is None else np.concatenate(weights[t])
        for j in range(k):
            few = reduce(np.union1d, [block[t * k + j] for block in parts], np.empty(0))
            coarse.append(len(few) > max_bins)
            if coarse[-1]:
                few = np.asarray(_core.place_edges(sample[j], max_bins, bool(single[j]), weight))
            numbers.append(few)
    bins = (
        np.array(trees),
        np.array(coarse),
        np.tile(single, len(trees)),
        np.cumsum([len(edges) for edges in numbers]),
        np.concatenate(numbers),
    )
    exchange.scatter("bins", [bins] * n_shards)
    return list(tree_layouts(table.layout, bins).values())


def _sample_places(n_rows: Sequence[npt.NDArray[Any]]) -> list[Arrays]:
    """Return the positions of sampled rows among the training rows of each shard and tree."""
    by_tree = []
    for of_tree in np.transpose(n_rows):
        ends = np.cumsum(of_tree)
        sample = np.asarray(_core.approximate_sample(int(ends[-1])))
        parts = np.split(sample, np.searchsorted(sample, ends[:-1]))
        by_tree.append(
            [places - first for places, first in zip(parts, ends - of_tree, strict=True)]
        )
    return [
        (np.cumsum([len(places) for places in of_shard]), np.concatenate(of_shard))
        for of_shard in zip(*by_tree, strict=True)
    ]


def _split_by_tree(
    arrays: Sequence[npt.NDArray[Any]], ends: Sequence[npt.NDArray[Any]]
) -> list[Any]:
    """Split the array of each shard by tree, and return the parts of each tree."""
    split = [np.split(array, end[:-1]) for array, end in zip(arrays, ends, strict=True)]
    return list(zip(*split, strict=True))


def with_targets(problem: Problem) -> Problem:
    """Collect the target and weight of every row, which are required to score held-out rows."""
    table, target = problem.table, problem.target
    if not isinstance(table, ShardedTable) or target.values is not None:
        return problem
    assert isinstance(target, ShardedTarget)
    values, *weights = map(np.concatenate, zip(*table.exchange.collect("rows"), strict=True))
    if target.units.target:
        values = np.ldexp(values, target.units.target)
    weight = np.ldexp(weights[0], target.units.weight) if weights else None
    rows = ShardedTarget(target.info, target.totals, target.units, values.reshape(-1, 1))
    return problem.with_changes(target=rows, weight=weight)


def with_hazard(
    table: ShardedTable, target: Target, weight: npt.NDArray[np.float64] | None
) -> tuple[ShardedTable, ShardedTarget]:
    """Send survival targets as event rates to the shards; return the updated table and target."""
    units, rate, exposure, _ = survival_rates(HazardTarget(target.values, weight))
    bits = (*_core.bit_range(rate), len(rate), *_core.bit_range(exposure))
    numbers = np.array([rate.min(), rate.max(), *bits], np.float64)
    firsts = np.cumsum(table.shard_rows)[:-1]
    parts = zip(np.split(rate, firsts), np.split(exposure, firsts), strict=True)
    table.exchange.scatter("rates", [(*figures, numbers) for figures in parts])
    table = table.with_changes(layout=with_rates(table.layout, numbers))
    return table, ShardedTarget(target.info, np.empty(0), units, target.values)


def grow_folds(
    problem: Problem, fold: npt.NDArray[Any]
) -> list[tuple[npt.NDArray[np.uint32], Tree, npt.NDArray[np.int32]]]:
    """Grow a tree for each fold; return the held-out rows, the tree and the rows' end nodes.

    `problem` must have its targets (`with_targets`); `fold` contains the fold of each row.
    """
    table, target = problem.table, problem.target
    assert isinstance(table, ShardedTable)
    assert isinstance(target, ShardedTarget)
    fold = fold.astype(np.uint16)
    firsts = np.cumsum(table.shard_rows)[:-1]
    table.exchange.scatter("folds", [(codes,) for codes in np.split(fold, firsts)])
    parts = []
    weight = target.units.shrink_weight(problem.weight)
    for v in range(int(fold.max()) + 1):
        (train,) = np.nonzero(fold != v)
        fold_rows = train if problem.options.task is Task.SURVIVAL else None
        if weight is None:
            parts.append(TreeRows(v + 1, len(train), len(train), float(len(train)), fold_rows))
        else:
            mass = weight[train]
            n_learned = int(np.count_nonzero(mass))
            parts.append(TreeRows(v + 1, len(train), n_learned, exact_sum(mass), fold_rows))
    trees = grow_trees(problem, parts)
    ends = _route_rows(table, trees)
    rows = [np.flatnonzero(fold == v).astype(np.uint32) for v in range(len(trees))]
    return [(held_out, tree, ends[held_out]) for held_out, tree in zip(rows, trees, strict=True)]
