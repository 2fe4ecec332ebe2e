"""Integers are read where they are, and grow the tree of the same numbers as float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import ceiba
from ceiba import _core
from ceiba.table import read
from ceiba.table.table import INTEGERS

Array = npt.NDArray[Any]


def drawn(dtype: np.dtype[Any], n_rows: int, seed: int) -> tuple[Array, Array]:
    """Draw columns of few and of many values; some values are rare, and far from the others."""
    rng = np.random.default_rng(seed)
    info = np.iinfo(dtype)
    least, most = max(info.min, -(2**40)), min(info.max, 2**40)
    spans = [2, 60, 100, 2_000, 100_000]
    columns = []
    for span in spans:
        low = int(rng.integers(max(least, -span), 1))
        x = rng.integers(low, min(low + span, most), n_rows)
        x[rng.choice(n_rows, 2, replace=False)] = least, most
        columns.append(x)
    X = np.stack(columns, axis=1).astype(dtype)
    score = X[:, 1] / 60 - X[:, 2] / 100 + (X[:, 3] > X[0, 3]) + rng.normal(size=n_rows)
    return X, (score > np.median(score)).astype(np.int64)


def same(a: ceiba.Tree, b: ceiba.Tree) -> bool:
    names = ("parent", "n_rows", "impurity", "gain", "value", "default_branch")
    pairs = [(getattr(a, name), getattr(b, name)) for name in names]
    pairs += [(a.splits.column, b.splits.column), (a.splits.cut, b.splits.cut)]
    return all(np.array_equal(one, other, equal_nan=True) for one, other in pairs)


@pytest.mark.parametrize("n_rows", [300, 9_000], ids=["sorted", "in bins"])
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integers_of_any_size_grow_the_tree_of_floats(dtype: np.dtype[Any], n_rows: int) -> None:
    X, y = drawn(dtype, n_rows, seed=n_rows)
    expected = ceiba.DecisionTreeClassifier().fit(X.astype(np.float64), y)
    for order in ("C", "F"):
        model = ceiba.DecisionTreeClassifier().fit(np.asarray(X, order=order), y)  # type: ignore[call-overload]
        assert same(model.tree_, expected.tree_)
    assert np.array_equal(model.predict(X), expected.predict(X.astype(np.float64)))


def test_integers_of_a_matrix_are_not_copied() -> None:
    X, _ = drawn(np.dtype(np.int64), 500, seed=1)
    table = read(X)
    assert table.matrix is X
    assert table.columns[1].values.dtype == np.float64
    columns = [(one.minimum, one.maximum, one.n_missing) for one in table.schema.columns]
    assert columns == [
        (float(low), float(high), 0) for low, high in zip(X.min(0), X.max(0), strict=True)
    ]


def test_regression_on_integers_grows_the_tree_of_floats() -> None:
    X, _ = drawn(np.dtype(np.int32), 9_000, seed=2)
    y = X[:, 1] * 0.5 + np.random.default_rng(0).normal(size=len(X))
    options = {"max_depth": 6, "min_samples_leaf": 5}
    model = ceiba.DecisionTreeRegressor(**options).fit(X, y)
    assert same(model.tree_, ceiba.DecisionTreeRegressor(**options).fit(X.astype(float), y).tree_)


def test_integers_beyond_floats_still_get_a_warning() -> None:
    X = np.array([[2**53 + 1], [2**53 + 3], [5], [7]])
    with pytest.warns(ceiba.errors.DataWarning, match=r"2\*\*53"):
        ceiba.DecisionTreeClassifier().fit(X, [0, 1, 0, 1])


def test_part_of_a_table_of_integers_grows_alone() -> None:
    X, y = drawn(np.dtype(np.int16), 9_000, seed=3)
    pruned = ceiba.DecisionTreeClassifier(prune="1se").fit(X, y)
    assert same(pruned.tree_, ceiba.DecisionTreeClassifier(prune="1se").fit(X * 1.0, y).tree_)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_whole_floats_with_exceptions_grow_the_tree_of_the_sorted_search(dtype: str) -> None:
    """Bins of whole numbers are looked up; halves, rare values and missing ones are searched."""
    X, y = drawn(np.dtype(np.int32), 9_000, seed=4)
    Z = X.astype(dtype)
    rng = np.random.default_rng(5)
    Z[rng.random(Z.shape) < 0.01] += 0.5
    Z[rng.random(Z.shape) < 0.01] = np.nan
    Z[rng.random(Z.shape) < 0.01] = -0.0
    trees = []
    for small_node in (10**9, 2):  # all sorted; all in bins
        core = _core.GrowOptions()
        core.small_node, core.small_tables, core.min_samples_leaf = small_node, False, 3
        labels = y.astype(np.int32).reshape(-1, 1)
        grown = _core.grow_classes(_core.Columns.from_matrix(Z), labels, [2], None, core)
        trees.append(grown.views())
    assert len(trees[0]["parent"]) > 200
    assert np.array_equal(trees[0]["gain"], trees[1]["gain"])
    assert np.array_equal(trees[0]["splits"]["cut"], trees[1]["splits"]["cut"], equal_nan=True)
