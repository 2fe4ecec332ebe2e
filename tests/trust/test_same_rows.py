"""Drift of the very rows that a tree was grown on: nothing has changed, whatever the tree."""

from __future__ import annotations

import numpy as np
import pytest

import ceiba

N = 300
CLASSES, NUMBERS = ceiba.DecisionTreeClassifier, ceiba.DecisionTreeRegressor


def table(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 3))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=N) > 0).astype(int)
    X[rng.random(X.shape) < 0.3] = np.nan
    return X, y, rng


MODELS = {
    **{f"{rule}, classes": CLASSES(max_depth=4, missing=rule)
       for rule in ("learn", "majority", "surrogate", "fractional")},
    **{f"{rule}, numbers": NUMBERS(max_depth=4, missing=rule)
       for rule in ("learn", "majority", "surrogate", "fractional")},
    "c45": ceiba.c45(max_depth=4),
    "chaid": ceiba.chaid(),
    "priors": CLASSES(max_depth=4, class_prior=[0.9, 0.1]),
    "laplace": CLASSES(max_depth=4, leaf_values="laplace"),
    "monotone": NUMBERS(max_depth=4, monotonic_cst=[1, 1, 0]),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_rows_of_training_show_no_change(name):
    X, y, _ = table()
    result = MODELS[name].fit(X, y).drift(X, y)
    assert result.psi == pytest.approx(0.0, abs=1e-12)
    assert result.p_value == pytest.approx(1.0)
    figure = "mean" if name.endswith("numbers") or name == "monotone" else "rate"
    then, now = (result.leaves[f"{figure} {when}"] for when in ("then", "now"))
    known = ~np.isnan(then)
    assert known.any()
    np.testing.assert_allclose(then[known], now[known], atol=1e-12)
    np.testing.assert_allclose(result.columns["missing then"], result.columns["missing now"])


def test_limited_means_are_not_taken_for_means_of_rows():
    X, y, _ = table()
    tree = MODELS["monotone"].fit(X, y).tree_
    free = tree.refit_leaves(X, y).value[:, 0, 0]
    moved = tree.is_leaf & ~np.isclose(tree.value[:, 0, 0], free)
    assert moved.any()
    rules, change = tree.rules(), ceiba.trust.drift(tree, X, y)
    for rule in rules.rules:
        assert np.isnan(rule.low) == (moved[rule.node] or tree.n_rows[rule.node] < 2)
    of_moved = np.isin(change.leaves["leaf"], np.flatnonzero(moved))
    assert np.isnan(change.leaves["mean then"][of_moved]).all()


@pytest.mark.parametrize(
    ("options", "why"),
    [({"leaf_values": "shrinkage"}, "not means"), ({"criterion": "absolute_error"}, "not means")],
)
def test_what_is_no_mean_is_not_compared_with_one(options, why):
    X, y, _ = table()
    leaves = NUMBERS(max_depth=3, **options).fit(X, y).drift(X, y).leaves
    assert np.isnan(leaves["mean then"]).all()
    assert np.isnan(leaves["mean p"]).all()
    assert why in leaves.legend


def test_weighted_rates_are_shown_and_not_compared():
    X, y, rng = table()
    model = CLASSES(max_depth=3).fit(X, y, sample_weight=rng.exponential(size=N))
    leaves = model.drift(X, y).leaves
    assert not np.isnan(leaves["rate then"]).any()
    assert np.isnan(leaves["rate p"]).all()
    assert "weighted" in leaves.legend


@pytest.mark.filterwarnings("ignore::ceiba.errors.CeibaWarning")
@pytest.mark.parametrize("options", [{"leaf_values": "honest"}, {}])
def test_missing_values_are_counted_as_the_rows_are(options):
    X, y, rng = table()
    often = rng.integers(1, 4, N).astype(float) if not options else None
    tree = CLASSES(max_depth=3, **options).fit(X, y, frequency=often).tree_
    shares = ceiba.trust.drift(tree, X).columns["missing then"]
    np.testing.assert_allclose(shares, 0.3, atol=0.08)
    if often is not None:
        at = tree.used_features[0]
        assert tree.schema.columns[at].n_missing == often[np.isnan(X[:, at])].sum()


@pytest.mark.filterwarnings("ignore::ceiba.errors.CeibaWarning")
def test_rows_of_honest_leaves_are_counted_by_their_frequency():
    X, y, rng = table()
    often = rng.integers(1, 4, N).astype(float)
    model = CLASSES(max_depth=2, leaf_values="honest")
    tree = model.fit(X, y, frequency=often).tree_
    np.testing.assert_array_equal(tree.n_rows, tree.weight)
    assert not np.isnan(tree.rules()["low"]).any()
