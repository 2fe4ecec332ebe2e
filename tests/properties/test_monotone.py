"""Monotone limits hold on every line along a constrained column, however the tree came about.

Lines: all values of one constrained column, the other columns held at random values or missing.
Over all missing rules, both tasks, weights, priors, costs, prunings, and changes by hand.
"""

from __future__ import annotations

import numpy as np
import pytest

import ceiba
from ceiba.prune import ChiSquare, CostComplexity, DescriptionLength, Pessimistic, ReducedError

RULES = ["learn", "majority", "surrogate", "fractional"]
CLASS_PRUNINGS = [
    None,
    CostComplexity(folds=3, rule="min"),
    Pessimistic(),
    ReducedError(),
    ChiSquare(significance=0.5),
    DescriptionLength(),
]
NUMBER_PRUNINGS = [None, CostComplexity(folds=3, rule="min"), ReducedError()]
DIRECTIONS = [1, -1, 0]
GRID = np.arange(-1.0, 9.0)


def table(seed, *, holes, classes):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 80))
    X = rng.integers(0, 8, (n, 3)).astype(float)
    X[:, 2] += 0.5 * X[:, 0] * rng.integers(0, 2)  # stand-ins that agree with a constrained column
    y = X[:, 0] - X[:, 1] + 3 * np.sin(X[:, 2]) + rng.normal(scale=3, size=n)
    # The values of rows with holes are turned round: against every limit.
    missing = rng.random((n, 3)) < holes
    y = np.where(missing.any(axis=1), -2 * y, y)
    X[missing] = np.nan
    y = (y > np.median(y)).astype(int) if classes else np.round(y, 1)
    return X, y


def worst_step(model, seed, *, holes):
    """Return the largest step against the direction over 30 lines of each constrained column."""
    rng = np.random.default_rng(seed)
    worst = 0.0
    for column in (0, 1):
        others = rng.integers(0, 8, (30, 3)).astype(float)
        others[rng.random((30, 3)) < holes] = np.nan
        rows = np.repeat(others, len(GRID), axis=0)
        rows[:, column] = np.tile(GRID, 30)
        classes = hasattr(model, "predict_proba")
        predicted = model.predict_proba(rows)[:, 1] if classes else model.predict(rows)
        steps = np.diff(predicted.reshape(30, -1), axis=1) * DIRECTIONS[column]
        worst = min(worst, float(steps.min()))
    return -worst


def model_of(seed, rule, pruning, *, classes):
    rng = np.random.default_rng(seed)
    options = {"missing": rule, "monotonic_cst": DIRECTIONS, "prune": pruning}
    options["min_samples_leaf"] = int(rng.integers(1, 5))
    if classes:
        if pruning is None and rng.random() < 0.5:
            options |= {"class_prior": [0.3, 0.7], "cost_matrix": [[0, 1], [3, 0]]}
        return ceiba.DecisionTreeClassifier(**options)
    options["criterion"] = str(rng.choice(["squared_error", "absolute_error"]))
    return ceiba.DecisionTreeRegressor(**options)


CASES = [(True, pruning) for pruning in CLASS_PRUNINGS] + [(False, p) for p in NUMBER_PRUNINGS]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("classes", "pruning"), CASES, ids=str)
def test_values_follow_the_direction_on_complete_and_incomplete_lines(rule, classes, pruning):
    for seed in range(6):
        X, y = table(seed, holes=0.25 * (seed % 3 > 0), classes=classes)
        weight = np.random.default_rng(seed).uniform(0.5, 2.0, len(y)) if seed % 2 else None
        model = model_of(seed, rule, pruning, classes=classes)
        model.fit(X, y, sample_weight=weight)
        assert worst_step(model, seed, holes=0.0) <= 1e-12
        assert worst_step(model, seed, holes=0.3) <= 1e-12


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("classes", [True, False])
def test_values_follow_the_direction_after_changes_by_hand(rule, classes):
    changed = 0
    for seed in range(12):
        X, y = table(seed, holes=0.25, classes=classes)
        model = model_of(seed, rule, None, classes=classes).fit(X, y)
        try:
            model = model.set_split(0, "x2 <= 3.5", X, y)
        except ceiba.errors.CeibaError:
            continue  # a split that the limits forbid
        changed += 1
        inner = np.flatnonzero(~model.tree_.is_leaf)
        model = model.regrow(int(inner[-1]), X, y)
        assert worst_step(model, seed, holes=0.3) <= 1e-12
    assert changed >= 6


def test_rows_with_a_hole_do_not_turn_the_order_round():
    nan = np.nan
    X = [[1, 0], [1, 0], [1, 0], [2, 0], [2, 0], [nan, 0], [nan, 0]]
    y = [0, 0, 0, 1, 1, 10, 10]
    for rule in RULES[1:]:
        model = ceiba.DecisionTreeRegressor(monotonic_cst=[1, 0], missing=rule, max_depth=1)
        low, high = model.fit(X, y).predict([[1, 0], [2, 0]])
        assert low <= high


def test_constrained_column_is_no_surrogate_of_another():
    rng = np.random.default_rng(0)
    x = rng.normal(size=100)
    X = np.stack([x, x + 0.1 * rng.normal(size=100), x + 0.2 * rng.normal(size=100)], axis=1)
    y = np.sin(3 * x)
    tree = (
        ceiba.DecisionTreeRegressor(missing="surrogate", monotonic_cst=[1, 0, 0], max_depth=3)
        .fit(X, y)
        .tree_
    )
    assert len(tree.surrogates) > 0
    assert not (tree.surrogates.splits.column == 0).any()
