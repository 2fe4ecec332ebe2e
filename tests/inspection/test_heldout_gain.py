"""The gain on held-out rows: equal to the training gain in training, 0 for noise, and covered."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import ceiba
from ceiba.inspection import heldout_gain, importance, importance_table
from tests.marks import slow

COLUMNS = ["binary", "five", "continuous", "signal"]


def noise_and_signal(rng, n, task):
    """Three columns of noise with 2, 5 and n values, and a binary signal."""
    X = pd.DataFrame(
        {
            "binary": rng.integers(0, 2, n) * 1.0,
            "five": rng.integers(0, 5, n) * 1.0,
            "continuous": rng.normal(size=n),
            "signal": rng.integers(0, 2, n) * 1.0,
        }
    )
    chance = np.where(X["signal"] == 1, 0.65, 0.35)
    y = (rng.random(n) < chance).astype(int)
    return (X, y) if task == "classification" else (X, 100.0 + y + rng.normal(size=n))


def fitted(rng, task, n=300):
    X, y = noise_and_signal(rng, n, task)
    model = (
        ceiba.DecisionTreeClassifier if task == "classification" else ceiba.DecisionTreeRegressor
    )
    return model().fit(X, y).tree_


@pytest.mark.parametrize("n_trees", [100, *slow([1000])])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_heldout_gain_of_noise_averages_zero_and_of_the_signal_its_gain(task, n_trees) -> None:
    rng = np.random.default_rng(0)
    gains = np.array(
        [
            heldout_gain(fitted(rng, task), *noise_and_signal(rng, 300, task))[0]
            for _ in range(n_trees)  # one run has a standard deviation of .024 for "continuous"
        ]
    )
    mean = dict(zip(COLUMNS, gains.mean(axis=0), strict=True))
    print(f"mean heldout_gain of {n_trees} {task} trees: {mean}")
    # In regression the target's variance is 1.25, in classes gini is 0.5.
    spread = (1000 / n_trees) ** 0.5
    limit = 0.003 if task == "classification" else 0.02
    if n_trees < 1000:
        limit = 0.0125 if task == "classification" else 0.06  # five standard errors
    assert all(abs(mean[name]) < limit for name in COLUMNS[:3])
    assert mean["signal"] == pytest.approx(
        0.045 if task == "classification" else 0.0225, abs=0.006 * spread
    )


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"class_prior": [0.2, 0.8]},
        {"cost_matrix": [[0, 1], [4, 0]]},
        {"class_prior": [0.7, 0.3], "cost_matrix": [[0, 3], [1, 0]]},
        {"categorical_splits": "multiway"},
        {"missing": "fractional"},
    ],
    ids=str,
)
def test_heldout_gain_on_the_training_rows_is_the_training_gain(options) -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"x": rng.normal(size=200), "city": rng.choice(list("abc"), 200)})
    y = (X["x"] + (X["city"] == "a") + rng.normal(size=200) > 0).astype(int)
    weight = rng.uniform(0.5, 2.0, 200)
    tree = (
        ceiba.DecisionTreeClassifier(max_depth=4, **options).fit(X, y, sample_weight=weight).tree_
    )
    worth = heldout_gain(tree, X, y, sample_weight=weight)[0]
    expected = importance(tree, normalize=False)
    np.testing.assert_allclose(worth / worth.sum(), expected / expected.sum(), rtol=1e-9)
    if not options:
        np.testing.assert_allclose(worth, expected / weight.sum(), rtol=1e-9)


def test_heldout_gain_in_regression_on_the_training_rows_is_the_training_gain() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 2))
    Y = np.stack([X[:, 0] > 0, X[:, 1] + rng.normal(size=200)], axis=1) + 1e6
    tree = ceiba.DecisionTreeRegressor(max_depth=4).fit(X, Y).tree_
    np.testing.assert_allclose(
        heldout_gain(tree, X, Y)[0], importance(tree, normalize=False) / 200, rtol=1e-7
    )


def test_heldout_gain_by_rows_equals_a_walk_down_each_path() -> None:
    """The definition, split by split and row by row."""
    rng = np.random.default_rng(3)
    tree = fitted(rng, "classification", 100)
    X, y = noise_and_signal(rng, 50, "classification")
    expected = np.zeros(4)
    for row, truth in zip(X.itertuples(index=False), y, strict=True):
        node = 0
        while not tree.is_leaf[node]:
            column = int(tree.splits.column[node])
            below = int(tree.branch_node[tree.branch_start[node]])
            if row[column] > tree.splits.cut[node]:
                below = int(tree.branch_node[tree.branch_start[node] + 1])
            expected[column] += tree.value[below, 0, truth] - tree.value[node, 0, truth]
            node = below
    np.testing.assert_allclose(heldout_gain(tree, X, y)[0], expected / 50, atol=1e-12)


def test_heldout_gain_of_a_bootstrap_sample_is_that_of_its_rows() -> None:
    rng = np.random.default_rng(4)
    tree = fitted(rng, "classification", 100)
    X, y = noise_and_signal(rng, 50, "classification")
    drawn = np.random.default_rng(7).integers(50, size=50)
    samples = heldout_gain(tree, X, y, repeats=1, random_state=7)
    np.testing.assert_allclose(samples[1], heldout_gain(tree, X.iloc[drawn], y[drawn])[0])


def coverage(runs, n, **options):
    """Return how often the interval holds the gain on 100,000 fresh rows, column by column."""
    rng = np.random.default_rng(5)
    tree = fitted(rng, "classification") if not options else _with(rng, options)
    truth = heldout_gain(tree, *noise_and_signal(rng, 100_000, "classification"))[0]
    held = np.zeros(4)
    for _ in range(runs):
        table = importance_table(tree, *noise_and_signal(rng, n, "classification"), repeats=1)
        order = [COLUMNS.index(name) for name in table["column"]]
        held[order] += (table["heldout_low"] <= truth[order]) & (
            truth[order] <= table["heldout_high"]
        )
    return held / runs


def _with(rng, options):
    return (
        ceiba.DecisionTreeClassifier(**options)
        .fit(*noise_and_signal(rng, 300, "classification"))
        .tree_
    )


def test_interval_holds_its_own_estimate_and_zero_for_noise() -> None:
    rng = np.random.default_rng(6)
    tree = fitted(rng, "classification")
    table = importance_table(tree, *noise_and_signal(rng, 300, "classification"))
    assert (table["heldout_low"] <= table["heldout_gain"]).all()
    assert (table["heldout_gain"] <= table["heldout_high"]).all()
    at = table["column"].tolist().index("continuous")
    assert table["heldout_low"][at] < 0 < table["heldout_high"][at]


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"class_prior": [0.2, 0.8]}], ids=["plain", "prior"])
def test_interval_covers_the_gain_of_the_population(options) -> None:
    rates = coverage(1000, 300, **options)
    print(f"coverage of heldout_gain, n = 300, {options}: {dict(zip(COLUMNS, rates, strict=True))}")
    assert ((rates > 0.92) & (rates < 0.975)).all()
