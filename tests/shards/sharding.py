"""Tables in shards for tests: a problem in memory cut into pieces, and random problems to try."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
import pytest

from ceiba import _core
from ceiba.grow import Multiway
from ceiba.grow.options import GrowOptions
from ceiba.grow.problem import Problem
from ceiba.shards.homes.threads import ThreadExchange
from ceiba.shards.shard import (
    NumberBins,
    NumberTarget,
    Shard,
    ShardLayout,
    array_shapes,
    build_shard_arrays,
    merge_ranges,
)
from ceiba.shards.table import RoundSizes, ShardedTable, ShardedTarget, WeightTotals
from ceiba.table import Kind, Table, read, read_target
from ceiba.table.weights import exact_sum
from ceiba.tree import Tree

pd = pytest.importorskip("pandas")


def use_sizes(
    monkeypatch: pytest.MonkeyPatch, gather_rows: int, fetch_rows: int = 4096, zoom_bits: int = 8
) -> None:
    """Have every home use these sizes."""
    sizes = RoundSizes(gather_rows, fetch_rows, zoom_bits)
    monkeypatch.setattr(ShardedTable, "sizes", property(lambda table: sizes))


def sharded(
    problem: Problem,
    pieces: list[np.ndarray],
    sample: np.ndarray,
    n_threads: int = 1,
    values: int = 1 << 20,
    trees_at_once: int = 16,
) -> Problem:
    """Return the same problem with its rows in shards.

    The bins are placed by the rows `sample`; an answer has about so many `values`.
    """
    table, target = problem.table, problem.target
    classes = problem.options.task == "classification"
    single = frozenset(c.name for c in table.columns if c.values.dtype == np.float32)
    edges = [
        []
        if c.info.kind is Kind.CATEGORICAL
        else np.asarray(_core.place_edges(_numbers(c)[sample], 255, c.name in single)).tolist()
        for c in table.columns
    ]
    arrays, ranges = [], []
    for rows in pieces:
        shapes = array_shapes(
            table.schema,
            len(rows),
            single,
            classes=classes,
            weighted=problem.weight is not None,
        )
        made = build_shard_arrays(
            {name: np.empty(shape, dtype) for name, (dtype, shape) in shapes.items()}
        )
        for own, column in zip(made.columns, table.columns, strict=True):
            own[:] = column.values[rows]
        made.target[:] = target.values[rows, 0]
        if made.weights is not None and problem.weight is not None:
            made.weights[:] = problem.weight[rows]
        ranges.append(made.fill_bins(table.schema, edges))
        arrays.append(made)
    counted: int | NumberTarget
    if classes:
        counted = len(target.info.classes[0])
        totals = target.class_totals(None)
    else:
        y = np.ascontiguousarray(target.values[:, 0])
        rates = problem.options.criterion_name == "poisson"
        counted = NumberTarget(y.min(), y.max(), _core.bit_range(y), len(y), rates)
        totals = np.empty(0)
    bins: list[Any] = [
        c.info.n_levels if c.info.kind is Kind.CATEGORICAL else NumberBins(np.array(e, float), *r)
        for c, e, r in zip(table.columns, edges, reduce(merge_ranges, ranges), strict=True)
    ]
    bits, weight_totals = None, None
    if problem.weight is not None:
        weight = problem.weight
        bits = _core.bit_range(weight)
        n_learned, total = int(np.count_nonzero(weight)), exact_sum(weight)
        per_class = target.class_totals(weight) if classes else np.array([total])
        weight_totals = WeightTotals(n_learned, total, per_class)
        totals = per_class if classes else totals
    layout = ShardLayout(counted, tuple(bins), bits)
    shards = [Shard(own, table.schema, layout, k) for k, own in enumerate(arrays)]
    exchange = ThreadExchange(shards, n_threads)
    return replace(
        problem,
        table=ShardedTable(
            table.schema,
            layout,
            exchange,
            [len(rows) for rows in pieces],
            weight_totals=weight_totals,
            values_in_memory=values,
            trees_at_once=trees_at_once,
        ),
        target=ShardedTarget(target.info, totals),
        weight=None,
    )


def _numbers(column: Any) -> np.ndarray:
    return np.where(column.missing, np.nan, column.values.astype(float))


def assert_same_tree(a: Tree, b: Tree) -> None:
    """Compare two trees bit for bit."""
    arrays = """parent branch_start branch_node default_branch n_rows weight impurity gain value
        risk sent_default counts"""
    for name in arrays.split():
        _same(getattr(a, name), getattr(b, name), name)
    splits = """kind column cut level_start level_code level_branch interval_start interval_cut"""
    for name in splits.split():
        _same(getattr(a.splits, name), getattr(b.splits, name), name)
    assert a.schema == b.schema


def _same(a: Any, b: Any, name: str) -> None:
    if a is None or b is None:
        assert a is b, name
    else:
        assert np.array_equal(a, b, equal_nan=np.asarray(a).dtype.kind == "f"), name


def random_problem(rng: np.random.Generator, task: str) -> Problem:
    """Return a small problem with ties, long tails, missing values, categories and options."""
    n, n_columns = int(rng.integers(5, 500)), int(rng.integers(1, 6))
    criteria = {
        "classification": ["gini", "entropy", "error", "hellinger"],
        "regression": ["squared_error", "squared_error", "poisson"],
    }
    criterion = str(rng.choice(criteria[task]))
    frame = {f"c{j}": _column(rng, n, int(rng.integers(0, 8))) for j in range(n_columns)}
    table = read(frame)
    first = _numbers(table.columns[0])
    signal = np.nan_to_num((first - np.nanmean(first)) / (np.nanstd(first) + 1e-9))
    options: dict[str, Any] = {
        "task": task,
        "criterion": criterion,
        "missing": str(rng.choice(["learn", "majority"])),
        "min_samples_leaf": int(rng.choice([1, 1, 5])),
        "max_depth": [None, 3, 6][int(rng.integers(0, 3))],
    }
    if not any(c.missing.any() for c in table.columns) and rng.random() < 0.5:
        options["missing"] = "error"
    if rng.random() < 0.3 and criterion != "hellinger":
        empty = task == "classification" and rng.random() < 0.3
        options["categorical_splits"] = Multiway(empty=True) if empty else "multiway"
    if rng.random() < 0.3:
        options["max_leaf_nodes"] = int(rng.choice([2, 3, 10, 30]))
    if rng.random() < 0.3:
        options["min_impurity_decrease"] = 0.01
    if rng.random() < 0.3:
        options["column_cost"] = {name: float(rng.choice([1, 2, 0.5])) for name in frame}
    if task == "classification":
        y = _classes(rng, signal, options)
    else:
        y = _targets(rng, signal, criterion)
    plain = all(c.info.kind is not Kind.CATEGORICAL for c in table.columns)
    if plain and rng.random() < 0.4 and (task == "regression" or y.max() == 1):
        options["monotonic_cst"] = rng.choice([-1, 0, 1], n_columns).tolist()
    weight = None
    if rng.random() < 0.5:
        weight = _weights(rng, n)
    if rng.random() < 0.3:
        options["min_weight_fraction_leaf"] = float(rng.choice([0.01, 0.1]))
    own = rng.spawn(1)[0]  # later draws do not depend on this option
    if own.random() < 0.4:
        groups = [own.permutation(n_columns)[:2].tolist() for _ in range(2)]
        choices: list[Any] = ["pairwise", "no_interactions", groups]
        options["interaction_cst"] = choices[int(own.integers(0, 3))]
    return Problem(table, read_target(y, task=task), GrowOptions(**options), weight)  # type: ignore[arg-type]


def _weights(rng: np.random.Generator, n: int) -> np.ndarray:
    kind = rng.integers(0, 4)
    if kind == 0:
        return rng.integers(1, 5, n).astype(float)
    if kind == 1:
        return rng.random(n) + 0.01
    weight: np.ndarray = np.exp(3 * rng.normal(size=n))
    if kind == 3:
        weight[rng.random(n) < 0.3] = 0.0
        weight[0] = 1.0
    return weight


def _column(rng: np.random.Generator, n: int, kind: int) -> Any:
    x = rng.normal(size=n)
    n_levels = int(rng.integers(2, 14))
    values: Any = [
        np.round(2 * x),
        x.astype(np.float32),
        np.exp(3 * x),
        np.where(rng.random(n) < 0.5, -0.0, rng.integers(0, n_levels, n) / 3),
        np.array([f"l{k}" for k in rng.integers(0, n_levels, n)], dtype=object),
        rng.integers(0, 2, n).astype(float),
        rng.integers(-20, 50, n),
        rng.integers(0, n_levels, n),
    ][kind]
    gaps = rng.random() < 0.4
    if kind == 6:
        return values
    if kind == 7:
        codes = np.where(rng.random(n) < 0.15 * gaps, -1, values)
        levels = [f"o{k}" for k in range(n_levels)]
        return pd.Series(pd.Categorical.from_codes(codes, levels, ordered=True))
    if gaps:
        values[rng.random(n) < 0.15] = None if values.dtype == object else np.nan
    return values


def _classes(rng: np.random.Generator, signal: np.ndarray, options: dict[str, Any]) -> np.ndarray:
    n, k = len(signal), int(rng.integers(2, 5))
    order = np.argsort(np.argsort(signal + rng.normal(size=n)))
    y: np.ndarray = order * k // n
    if rng.random() < 0.3:
        shares = rng.random(k) + 0.1
        options["class_prior"] = (shares / shares.sum()).tolist()
    if rng.random() < 0.3:
        options["cost_matrix"] = ((rng.random((k, k)) + 0.2) * (1 - np.eye(k))).tolist()
    return y


def _targets(rng: np.random.Generator, signal: np.ndarray, criterion: str) -> np.ndarray:
    if criterion == "poisson":
        return rng.poisson(np.exp(np.clip(0.3 * signal, -3, 3))).astype(float) + (signal.max() > 2)
    y: np.ndarray = signal + rng.normal(size=len(signal))
    return [np.round(3 * y), y.astype(np.float32).astype(float), np.exp(4 * y), y,
            np.round(y, 2) + 1000][int(rng.integers(0, 5))]  # fmt: skip


def ways_to_cut(rng: np.random.Generator, problem: Problem) -> dict[str, list[np.ndarray]]:
    """Return the rows of a problem in shards: one, two, seven unequal, sorted, by class, ..."""
    n = problem.n_rows
    rows = np.arange(n)
    table: Table = problem.table
    by_column = np.argsort(_numbers(table.columns[0]), kind="stable")
    by_target = np.argsort(problem.target.values[:, 0], kind="stable")
    cuts = np.sort(rng.integers(0, n + 1, 6))
    return {
        "one": [rows],
        "two": [rows[: n // 3], rows[n // 3 :]],
        "seven": np.split(rows, cuts),
        "mixed": np.split(rng.permutation(n), cuts[:2]),
        "sorted": np.split(by_column, cuts[:3]),
        "by target": np.split(by_target, cuts[:3]),
        "an empty one": [rows[:0], rows],
    }
