"""Drift: figures by hand, tests by scipy, and how often it is flagged by chance and in earnest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import ceiba
from ceiba.errors import DataError
from ceiba.inspection import correct_holm
from ceiba.trust.drift import psi, psi_by_chance, two_sample_test


def population(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    X = rng.normal(size=(n, 6))
    X[:, 5] = rng.integers(0, 4, n)
    noise = rng.normal(size=n)
    return X, X[:, 0] + np.abs(X[:, 1]) + 0.5 * (X[:, 5] == 2) + noise > 0.8


def test_two_samples_equals_scipy() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        table = rng.integers(0, 40, size=(2, rng.integers(2, 5))) + rng.integers(0, 8)
        kept = table[:, table.sum(axis=0) > 0]
        if kept.shape[1] < 2 or (kept.sum(axis=1) == 0).any():
            continue
        expected = stats.contingency.expected_freq(kept)
        found = two_sample_test(*table)
        if expected.min() < 5 and kept.shape[1] == 2:
            assert found == pytest.approx(stats.fisher_exact(kept).pvalue)
        elif expected.min() < 1:
            assert np.isnan(found)
        else:
            assert found == pytest.approx(stats.chi2_contingency(kept, correction=False).pvalue)


def test_corrected_p_values_are_those_of_holm() -> None:
    p = np.array([0.01, np.nan, 0.04, 0.03, 0.005])
    np.testing.assert_allclose(correct_holm(p), [0.03, np.nan, 0.06, 0.06, 0.02])


def test_drift_counts_every_branch_and_leaf_then_and_now() -> None:
    X, y = population(np.random.default_rng(1), 800)
    tree = ceiba.DecisionTreeClassifier(max_depth=4).fit(X, y).tree_
    Z, z = population(np.random.default_rng(2), 500)
    found = tree.drift(Z, z)
    end = tree.apply(Z)
    for row in found.branches:
        passed = [k for k in range(500) if row["branch"] in tree.path(end[k]).nodes]
        assert row["now"] == len(passed)
        assert row["then"] == tree.n_rows[row["branch"]]
    leaves = found.leaves
    share_then, share_now = leaves["share then"], leaves["share now"]
    assert share_then.sum() == pytest.approx(1) == share_now.sum()
    assert (
        found.psi
        == pytest.approx(leaves["PSI"].sum())
        == ceiba.trust.psi(leaves["then"], leaves["now"])
    )
    told = tree.predict(Z) == z
    for row in leaves:
        mine = end == row["leaf"]
        if mine.any():
            assert row["rate now"] == pytest.approx(told[mine].mean())


def test_drift_of_numbers_has_means_and_welch() -> None:
    rng = np.random.default_rng(3)
    X, Z = rng.normal(size=(400, 2)), rng.normal(size=(300, 2))
    y, z = X[:, 0] + rng.normal(size=400), Z[:, 0] + 0.5 + rng.normal(size=300)
    model = ceiba.DecisionTreeRegressor(max_depth=2).fit(X, y)
    leaves = model.drift(Z, z).leaves
    then, now = model.apply(X), model.apply(Z)
    raw = [
        stats.ttest_ind(y[then == i], z[now == i], equal_var=False).pvalue for i in leaves["leaf"]
    ]
    np.testing.assert_allclose(leaves["mean p"], correct_holm(np.array(raw)), rtol=1e-6)
    low, high = stats.t.interval(
        0.95, (then == leaves["leaf"][0]).sum() - 1, *_mean_se(y[then == leaves["leaf"][0]])
    )
    assert (leaves["mean then low"][0], leaves["mean then high"][0]) == pytest.approx((low, high))


def _mean_se(y: Any) -> tuple[float, float]:
    return float(y.mean()), float(stats.sem(y))


def test_drift_starts_at_the_node_whose_column_moved() -> None:
    rng = np.random.default_rng(4)
    X, y = population(rng, 3000)
    tree = ceiba.DecisionTreeClassifier(max_depth=3).fit(X, y).tree_
    inner = next(
        i
        for i in (1, int(tree.branch_node[1]))
        if tree.splits.column[i] != tree.splits.column[0] and not tree.is_leaf[i]
    )
    Z, _ = population(rng, 2000)
    moved = tree.rows(inner, Z)
    Z[moved, tree.splits.column[inner]] += 0.7
    assert tree.drift(Z).start == inner


def test_drift_prints_the_p_value_of_the_node_it_names() -> None:
    rng = np.random.default_rng(195)
    X = rng.normal(size=(400, 3))
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=400)
    Z = rng.normal(size=(300, 3)) + np.array([0.15, 1.0, 0.0])
    change = ceiba.DecisionTreeRegressor(max_depth=3).fit(X, y).drift(Z)
    (own,) = {row["p"] for row in change.branches if row["node"] == change.start}
    assert change.p_value < own == change.start_p_value == change.to_dict()["start_p_value"]
    assert f"corrected p {own:.2g}" in str(change)


def test_drift_of_missing_and_unseen_values_is_listed() -> None:
    X = {"a": ["u", "v"] * 50, "b": [1.0, None] * 50}
    model = ceiba.DecisionTreeClassifier().fit(
        X, [f"{p}{q}" for p, q in zip(X["a"], X["b"], strict=True)]
    )
    found = model.drift({"a": ["u", "w"] * 50, "b": [None] * 100}).columns
    by = {row["column"]: row for row in found}
    used = set(by)
    assert used <= {"a", "b"}
    if "a" in used:
        assert by["a"]["unseen now"] == 0.5
    if "b" in used:
        assert (by["b"]["missing then"], by["b"]["missing now"]) == (0.5, 1.0)


def test_drift_without_rows_or_counts_is_refused() -> None:
    tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    with pytest.raises(DataError, match="no training counts"):
        tree.drift({"x": [1.0]})
    fitted = ceiba.DecisionTreeClassifier().fit({"x": [1.0, 2.0]}, ["a", "b"])
    with pytest.raises(DataError, match="at least one row"):
        fitted.tree_.drift({"x": np.zeros(0)})


def flagged(trials: int, shift: float, seed: int) -> float:
    hits = 0
    for trial in range(trials):
        rng = np.random.default_rng([seed, trial])
        X, y = population(rng, 2000)
        tree = ceiba.DecisionTreeClassifier(max_depth=6, min_samples_leaf=5).fit(X, y).tree_
        Z, _ = population(rng, 1000)
        Z[:, tree.splits.column[0]] += shift
        hits += tree.drift(Z).flagged
    return hits / trials


@pytest.mark.slow
def test_drift_of_the_same_population_is_flagged_in_at_most_5_percent() -> None:
    assert flagged(500, 0.0, seed=1) <= 0.05


@pytest.mark.slow
def test_drift_of_half_a_standard_deviation_is_flagged_in_95_percent() -> None:
    assert flagged(500, 0.5, seed=2) >= 0.95


@pytest.mark.parametrize(("leaves", "then", "now"), [(2, 300, 200), (60, 400, 300), (8, 50, 900)])
def test_psi_by_chance_is_the_mean_over_samples_of_one_population(leaves, then, now):
    rng = np.random.default_rng(leaves)
    p = rng.dirichlet(np.ones(leaves))
    pairs = [(rng.multinomial(then, p), rng.multinomial(now, p)) for _ in range(2000)]
    mean = np.mean([psi(a, b) for a, b in pairs])
    expected = np.mean([psi_by_chance(a, b) for a, b in pairs[:100]])
    assert expected == pytest.approx(mean, rel=0.1)
