"""Trees of any splits have a fast path too: each row ends where the readable walk ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ceiba
from ceiba import _core
from ceiba.table import ColumnInfo, Kind, Schema, TargetInfo
from ceiba.table.read_for_predict import read_like
from ceiba.tree import Cut, LevelSets, Presence, SplitTable, from_arrays
from ceiba.tree.routing.route import predict
from ceiba.tree.routing.trace import trace
from ceiba.tree.splits.split_table import Split
from tests.tree.random_trees import random_rows, random_tree

SIZES = ["S", "M", "L", "XL"]


@pytest.fixture(params=["wide", "lanes"], autouse=True)
def walk(request):
    """Try both: sixteen rows in a register, where the processor is good at it, and eight."""
    _core.allow_wide_registers(request.param == "wide")
    yield
    _core.allow_wide_registers(True)


def frame(rng: np.random.Generator, n: int, *, unseen: bool) -> pd.DataFrame:
    """Few and many levels, an ordered category, both float widths; all with missing values."""
    many = np.array([f"town {k}" for k in range(300)], dtype=object)
    town, colour = rng.choice(many[:250], n), rng.choice(["red", "green", "blue"], n).astype(object)
    size = rng.choice(SIZES[:3], n).astype(object)
    if unseen:
        town = np.where(rng.random(n) < 0.1, rng.choice(many[250:], n), town)
        colour = np.where(rng.random(n) < 0.1, "violet", colour)
        size = np.where(rng.random(n) < 0.1, "XL", size)
    holes = [rng.random(n) < 0.1 for _ in range(5)]
    table = pd.DataFrame(
        {
            "town": pd.Categorical(np.where(holes[0], None, town)),
            "colour": pd.Categorical(np.where(holes[1], None, colour)),
            "size": pd.Categorical(
                np.where(holes[2], None, size),
                categories=SIZES if unseen else SIZES[:3],
                ordered=True,
            ),
            "weight": np.where(holes[3], np.nan, rng.normal(size=n)),
            "age": np.where(holes[4], np.nan, rng.integers(0, 90, n)).astype(np.float32),
        }
    )
    return table


def target(rng: np.random.Generator, X: pd.DataFrame) -> np.ndarray:
    effect = rng.normal(size=300)
    town = X["town"].cat.codes.to_numpy()
    z = effect[town] + X["weight"].fillna(0.5) + (X["colour"] == "red") + X["size"].isna()
    return np.digitize(z + rng.normal(size=len(X)) * 0.5, [-0.5, 1.0])


@pytest.mark.parametrize("missing", ["learn", "majority"])
@pytest.mark.parametrize("unseen", ["majority", "missing"])
def test_rows_with_levels_end_where_a_trace_ends(missing: str, unseen: str) -> None:
    rng = np.random.default_rng([len(missing), len(unseen)])
    X = frame(rng, 3000, unseen=False)
    model = ceiba.DecisionTreeClassifier(missing=missing, unseen=unseen, min_samples_leaf=5)
    tree = model.fit(X, target(rng, X)).tree_
    rows = frame(rng, 700, unseen=True)
    table = read_like(rows, tree.schema)
    ends = [trace(tree, table, row)[-1].node for row in range(len(rows))]
    assert tree.apply(rows).tolist() == ends
    assert [int(tree.apply(rows.iloc[[i]])[0]) for i in range(40)] == ends[:40]
    for n_jobs in (2, 3):
        assert model.set_params(n_jobs=n_jobs).apply(rows).tolist() == ends


def test_whether_a_level_is_there_goes_as_a_trace_does() -> None:
    rng = np.random.default_rng(3)
    X = frame(rng, 2000, unseen=False)[["colour", "weight"]]
    y = X["colour"].isna().to_numpy() ^ (rng.random(len(X)) < 0.05)
    tree = ceiba.DecisionTreeClassifier(max_depth=5).fit(X, y).tree_
    rows = frame(rng, 400, unseen=True)[["colour", "weight"]]
    table = read_like(rows, tree.schema)
    ends = [trace(tree, table, row)[-1].node for row in range(len(rows))]
    assert tree.apply(rows).tolist() == ends


def test_many_rows_of_levels_same_answers_for_any_number_of_threads() -> None:
    rng = np.random.default_rng(4)
    X = frame(rng, 30_000, unseen=False)
    y = target(rng, X).astype(float)
    model = ceiba.DecisionTreeRegressor(max_depth=8).fit(X, y)
    one = model.set_params(n_jobs=1).predict(X)
    np.testing.assert_array_equal(model.set_params(n_jobs=2).predict(X), one)
    leaf = model.apply(X)
    for node in np.unique(leaf):
        assert one[leaf == node][0] == pytest.approx(y[leaf == node].mean())


@pytest.mark.parametrize("missing", ["learn", "surrogate"])
@pytest.mark.parametrize("seed", range(12))
def test_blocks_of_rows_end_where_a_trace_ends(seed: int, missing: str) -> None:
    unseen = ["majority", "missing"][seed % 2]
    tree = random_tree(seed, n_inner=25, missing=missing, unseen=unseen, stays=seed % 3 == 0)
    X = random_rows(seed + 1, 600)
    table = read_like(X, tree.schema, match="name")
    ends = [trace(tree, table, row)[-1].node for row in range(600)]
    assert tree.apply(X).tolist() == ends


def binary_tree(rng: np.random.Generator, columns: list[ColumnInfo], unseen: Any) -> ceiba.Tree:
    """A tree of cuts, presence and sets of some of the levels; missing values go either way."""

    def random_split() -> Split:
        info = columns[rng.integers(len(columns))]
        if rng.random() < 0.05:
            return Presence(info.name)
        if info.kind == Kind.NUMERIC:
            return Cut(info.name, round(rng.normal(), 1))
        known = rng.permutation(info.levels)[rng.integers(len(info.levels) - 1) :].tolist()
        middle = int(rng.integers(1, len(known)))
        return LevelSets(info.name, (tuple(known[:middle]), tuple(known[middle:])))

    splits: list[Split | None] = []
    parent: list[int] = []
    waiting = [-1]
    while waiting:
        parent.append(waiting.pop())
        inner = len(parent) < 10 or (len(parent) < 300 and rng.random() < 0.6)
        splits.append(random_split() if inner else None)
        waiting.extend([len(parent) - 1] * 2 * inner)
    target = TargetInfo(name="t", task="regression", classes=(), n_outputs=1)
    schema = Schema(columns=tuple(columns), target=target, named=True)
    n = len(parent)
    tree = from_arrays(
        schema,
        parent=parent,
        splits=SplitTable.from_splits(splits, schema),
        value=rng.normal(size=n),
        weight=rng.integers(1, 4, size=n),
        unseen=unseen,
    )
    return replace(tree, default_branch=np.where(tree.is_leaf, -1, rng.integers(2, size=n)))


@pytest.mark.parametrize("unseen", ["majority", "missing"])
@pytest.mark.parametrize(("n_numbers", "n_categories"), [(0, 3), (5, 5), (9, 20), (40, 45)])
@pytest.mark.parametrize("n_levels", [2, 20, 30, 31, 40])
def test_cuts_and_levels_in_two_branches_go_as_a_trace_does(
    n_levels: int, n_numbers: int, n_categories: int, unseen: str
) -> None:
    """Up to 30 levels fit a word with those of missing and unknown values."""
    rng = np.random.default_rng([n_levels, n_numbers, len(unseen)])
    names = tuple(f"level {k}" for k in range(n_levels))
    columns = [ColumnInfo(name=f"x{j}", kind=Kind.NUMERIC) for j in range(n_numbers)]
    for j in range(n_categories):
        columns.append(ColumnInfo(name=f"c{j}", kind=Kind.CATEGORICAL, levels=names))
    columns = rng.permutation(np.array(columns, dtype=object)).tolist()
    tree = binary_tree(rng, columns, unseen)
    n = 600
    levels = np.array([*names, "strange", "other", None], dtype=object)
    near = np.array([0.0, 0.0, 1e-12, 0.03])
    for holes in (0.0, 0.1):
        X = {c.name: rng.choice(levels, n) for c in columns}
        for j in range(n_numbers):
            x = rng.normal(size=n).round(1) + rng.choice(near, n)
            x[rng.random(n) < holes] = np.nan
            X[f"x{j}"] = x.astype(np.float32) if j % 3 == 0 else x
        table = read_like(X, tree.schema, match="name")
        ends = np.array([trace(tree, table, row)[-1].node for row in range(n)])
        for size in (1, 20, 511, 512, 600):
            some = {name: values[:size] for name, values in X.items()}
            assert tree.apply(some).tolist() == ends[:size].tolist()
        row = rng.integers(n, size=21_000)
        many = read_like({name: x[row] for name, x in X.items()}, tree.schema, match="name")
        value = tree.value[ends[row]].ravel()
        for n_threads in (1, 2, 3):
            assert np.array_equal(predict(tree, many, n_threads=n_threads).ravel(), value)


@pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
def test_numbers_that_float32_takes_for_the_cut_are_compared_in_float64(share: float) -> None:
    tree = ceiba.tree.build(
        ("x <= 0.1", ("c", {"u": {"a": 1}, "v": {"b": 1}, "w": {"c": 1}}), {"d": 1}),
        levels={"c": ["u", "v", "w"]},
    )
    rng = np.random.default_rng(5)
    near = rng.choice([0.1, 0.1 - 1e-12, 0.1 + 1e-12], 2000)
    x = np.where(rng.random(2000) < share, near, rng.normal(size=2000))
    c = rng.integers(3, size=2000)
    ends = tree.apply({"x": x, "c": np.array(["u", "v", "w"])[c]})
    assert np.array_equal(ends, np.where(x <= 0.1, 2 + c, 5))
