"""Trees with registers of 512 bits, where the processor has them: the trees of narrow ones."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import ceiba
from ceiba import _core


@pytest.fixture
def narrow_first():
    """Yield a function that grows a tree without wide registers, then with them."""

    def both(X, y, kind=ceiba.DecisionTreeClassifier, weight=None, **parameters):
        model = kind(n_jobs=1, **parameters)
        trees = []
        for wide in (False, True):
            _core.allow_wide_registers(wide)
            trees.append(model.fit(X, y, weight).tree_)
        return trees

    yield both
    _core.allow_wide_registers(True)


@pytest.mark.parametrize("seed", range(40))
def test_random_tables_give_the_same_tree(narrow_first, seed):
    """Sizes around 16 and multiples of 1,024, ties, holes, classes, limits on the leaves."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([15, 16, 17, 33, 150, 700, 1023, 1024, 1025, 2040, 2049, 3072, 3073, 4095]))
    X = rng.normal(size=(n, int(rng.integers(1, 6))))
    X = np.round(X * rng.choice([1, 3, 50, 1e9]))
    classes = int(rng.choice([2, 2, 3, 4, 8, 9]))
    y = (np.digitize(X[:, 0], [-0.5, 0.5]) + rng.integers(0, max(2, classes // 2), n)) % classes
    if seed % 2:
        X[rng.random(X.shape) < rng.choice([0.02, 0.3, 0.8])] = np.nan
    leaf = int(rng.choice([1, 2, 9, 40]))
    narrow, wide = narrow_first(X, y, min_samples_leaf=leaf)
    assert narrow == wide


def test_small_nodes_of_a_large_table_give_the_same_tree(narrow_first):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(30_000, 4)).astype(np.float32)
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=30_000) > 0
    narrow, wide = narrow_first(X, y)
    assert narrow == wide
    assert narrow.n_leaves > 1000


@pytest.mark.parametrize("seed", range(24))
def test_bins_and_ranks_of_large_tables_give_the_same_tree(narrow_first, seed):
    """Rows beyond one bin search, of every layout; holes, tails and ties."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([4096, 5001, 9000]))
    X = rng.normal(size=(n, int(rng.integers(1, 7))))
    y = X[:, 0] + rng.normal(size=n) > 0.3
    X[:, -1] = np.exp(X[:, -1] * rng.choice([1, 20]))  # edges evenly spread, or anything but
    X[:, 0] = np.round(X[:, 0], int(rng.choice([0, 2, 9])))
    if rng.random() < 0.5:
        X[rng.random(X.shape) < 0.1] = np.nan
    X = np.asarray(X, dtype=rng.choice([np.float32, np.float64]), order=rng.choice(["C", "F"]))
    narrow, wide = narrow_first(X, y, missing="learn", min_samples_leaf=int(rng.choice([1, 20])))
    assert narrow == wide


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [4096, 9001, 20_011])
def test_rows_of_large_tables_are_divided_into_the_same_tree(narrow_first, n, weighted):
    """Classes, numbers and weights move with the rows; nodes begin at any row."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 3))
    y = np.round(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n), 1)
    weight = rng.integers(1, 4, n) if weighted else None
    kinds = (ceiba.DecisionTreeRegressor, y), (ceiba.DecisionTreeClassifier, y > 0)
    for kind, target in kinds:
        narrow, wide = narrow_first(X, target, kind, weight, min_samples_leaf=30)
        assert narrow == wide
        assert narrow.n_leaves > 20


@pytest.mark.parametrize("kind", ["float64", "float32", "int64", "int32", "uint8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_ranges_are_those_of_numpy(kind, order):
    rng = np.random.default_rng(3)
    small = [(1, 1), (3, 2), (15, 4), (64, 5), (99, 8), (101, 1), (150, 3)]
    for shape in [*small, (65, 20), (1000, 33)]:
        X = np.asarray(rng.integers(0, 200, shape), dtype=kind, order=order)
        if X.dtype.kind == "f":
            X[rng.random(shape) < 0.2] = np.nan
        views = [X, X[::2], X[:, ::2], X[::-1]]
        for view, wide in itertools.product(views, (False, True)):
            _core.allow_wide_registers(wide)
            (n_missing, low, high), _ = _core.matrix_ranges(view)
            holes = np.isnan(view)
            there = ~holes.all(axis=0)
            assert (n_missing == holes.sum(axis=0)).all()
            assert (low[there] == np.nanmin(view[:, there], axis=0)).all()
            assert (high[there] == np.nanmax(view[:, there], axis=0)).all()
            assert np.isnan([low[~there], high[~there]]).all()
