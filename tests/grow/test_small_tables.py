"""The specialised grower for small tables: bit for bit the tree of the general one."""

from __future__ import annotations

import numpy as np
import pytest

from ceiba.grow import core_grower
from ceiba.grow.options import GrowOptions
from ceiba.grow.problem import Problem
from ceiba.table import read, read_target

RNG_SEEDS = range(6)


def both(monkeypatch, X, y, rows=None, **options):
    """Grow by the small grower and by the general one."""
    table = read(X)
    target = read_target(y, task="classification", n_rows=table.n_rows)
    asked = GrowOptions(task="classification", **options)
    problem = Problem(table, target, asked)
    small = problem.grow(rows)
    made = core_grower.core_options

    def general_only(*args):
        core = made(*args)
        core.small_tables = False
        return core

    monkeypatch.setattr(core_grower, "core_options", general_only)
    general = problem.grow(rows)
    monkeypatch.undo()
    return small, general


def columns(rng, n):
    """Return columns of every sort: smooth, tied, skewed, constant, tiny and huge ranges, -0.0."""
    return np.column_stack(
        [
            rng.normal(size=n),
            rng.integers(0, 4, n),
            np.exp(rng.normal(size=n) * 8),
            np.full(n, 7.0),
            rng.integers(-2, 3, n) * 5e-324,
            rng.choice([-1.7e308, 0.0, -0.0, 1.0, 1.7e308], n),
            rng.normal(size=n).round(1),
            np.where(np.arange(n) == n // 2, 1e30, rng.normal(size=n)),
        ]
    )


@pytest.mark.parametrize("seed", RNG_SEEDS)
@pytest.mark.parametrize("n_classes", [2, 3, 26])
@pytest.mark.parametrize("n", [2, 3, 80, 700, 2047, 4095])
def test_small_table_grows_the_same_tree_bit_for_bit(monkeypatch, seed, n_classes, n):
    rng = np.random.default_rng([seed, n_classes, n])
    X = columns(rng, n)
    y = rng.integers(0, n_classes, n) if seed % 2 else (X[:, 0] > X[:, 6] - 0.3).astype(int)
    small, general = both(monkeypatch, X, y)
    assert small == general
    assert small.gain.tobytes() == general.gain.tobytes()


@pytest.mark.parametrize("seed", RNG_SEEDS)
@pytest.mark.parametrize("n_classes", [2, 3, 26])
@pytest.mark.parametrize("n", [2, 9, 80, 700, 2047])
def test_small_table_with_missing_values_grows_the_same_tree(monkeypatch, seed, n_classes, n):
    rng = np.random.default_rng([seed, n_classes, n])
    X = columns(rng, n)
    y = rng.integers(0, n_classes, n) if seed % 2 else (X[:, 0] > X[:, 6] - 0.3).astype(int)
    # Values are missing at random, of one class, or almost all.
    missing = rng.random(X.shape) < [0.02, 0.3, 0.3, 0.0, 0.5, 0.1, 0.9, 0.6]
    missing[:, 2] |= y == 1
    X[missing] = np.nan
    small, general = both(monkeypatch, X, y, min_samples_leaf=1 + seed % 3)
    assert small == general
    assert small.gain.tobytes() == general.gain.tobytes()


def test_small_table_takes_the_first_of_tied_places_of_missing_values(monkeypatch):
    """Missing values on the right come first, then apart from all others, then on the left."""
    nan = np.nan
    for X, y in [
        ([[1.0, 1.0], [2.0, 2.0], [nan, nan], [nan, 2.0]], [0, 1, 1, 1]),
        ([[1.0, 1.0], [2.0, 2.0], [nan, nan], [nan, 1.0]], [0, 1, 0, 0]),
        ([[nan, 1.0], [1.0, nan], [2.0, 2.0], [nan, nan]], [0, 1, 1, 0]),
        ([[nan, nan], [nan, 1.0], [nan, 2.0], [nan, 2.0]], [1, 0, 0, 1]),
    ]:
        small, general = both(monkeypatch, np.array(X), y)
        assert small == general


@pytest.mark.parametrize(
    "options",
    [
        {"max_depth": 3},
        {"min_samples_leaf": 7},
        {"min_samples_split": 0.2},
        {"min_weight_fraction_leaf": 0.033},
        {"min_impurity_decrease": 0.004},
        {"missing": "majority"},
        {"missing": "error"},
        {"max_features": 8},
    ],
    ids=str,
)
@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_small_table_obeys_the_stop_rules(monkeypatch, options, n_classes, missing):
    rng = np.random.default_rng(n_classes)
    X = columns(rng, 300)
    y = (X[:, 1] + rng.integers(0, n_classes, 300)) % n_classes
    if options.get("missing") != "error":
        X[rng.random(X.shape) < missing] = np.nan
    small, general = both(monkeypatch, X, y, **options)
    assert small == general
    assert small.n_nodes > 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_small_table_in_any_layout_grows_the_same_tree(monkeypatch, dtype, order):
    rng = np.random.default_rng(3)
    X = np.asarray(rng.normal(size=(200, 5)), dtype=dtype, order=order)
    small, general = both(monkeypatch, X, rng.integers(0, 3, 200))
    assert small == general


def test_small_table_on_a_part_of_its_rows_grows_the_same_tree(monkeypatch):
    rng = np.random.default_rng(4)
    X, y = columns(rng, 500), rng.integers(0, 3, 500)
    rows = np.flatnonzero(rng.random(500) < 0.6).astype(np.uint32)
    small, general = both(monkeypatch, X, y, rows=rows)
    assert small == general
    assert small.n_rows[0] == len(rows)


def test_split_without_gain_is_made_as_the_general_grower_makes_it(monkeypatch):
    """The four corners of exclusive-or: no first cut gains anything."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    small, general = both(monkeypatch, X, [0, 1, 1, 0])
    assert small == general
    assert small.n_leaves == 4


def test_ordered_column_and_missing_value_grow_the_same_tree(monkeypatch):
    pd = pytest.importorskip("pandas")
    size = pd.Categorical(["S", "M", "L", "M"] * 5, categories=["S", "M", "L"], ordered=True)
    frame = pd.DataFrame({"size": size, "x": [1.0, 2.0, 3.0, 4.0] * 5})
    y = [0, 1, 1, 1] * 5
    small, general = both(monkeypatch, frame, y)
    assert small == general
    frame.loc[3, "x"] = np.nan
    small, general = both(monkeypatch, frame, y)
    assert small == general
