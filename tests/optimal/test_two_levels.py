"""Depth 2 and 3 on tables large enough for intervals of many cuts, against trying every cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ceiba import DecisionTreeClassifier, DecisionTreeRegressor


def errors(y: Any) -> float:
    return float(len(y) - np.bincount(y).max()) if len(y) else 0.0


def squares(y: Any) -> float:
    return float(((y - y.mean()) ** 2).sum()) if len(y) else 0.0


def best_stump(X: Any, y: Any) -> float:
    """Least loss of two leaves, by running sums over every column's order."""
    classes = y.dtype.kind == "i"
    best = errors(y) if classes else squares(y)
    for column in X.T:
        order = np.argsort(column, kind="stable")
        values, target = column[order], y[order]
        cuts = np.flatnonzero(values[1:] > values[:-1])
        if not len(cuts):
            continue
        if classes:
            left = np.eye(y.max() + 1)[target].cumsum(axis=0)
            right = left[-1] - left
            loss = len(y) - (left[cuts].max(axis=1) + right[cuts].max(axis=1))
        else:
            n, s = np.arange(1, len(y) + 1), target.cumsum()
            rest = s[-1] - s
            loss = (y**2).sum() - s[cuts] ** 2 / n[cuts] - rest[cuts] ** 2 / (len(y) - n[cuts])
        best = min(best, float(loss.min()))
    return best


def best_of_depth(X: Any, y: Any, depth: int) -> float:
    if depth == 1:
        return best_stump(X, y)
    best = best_stump(X, y)
    for column in X.T:
        for cut in np.unique(column)[:-1]:
            left = column <= cut
            parts = (best_of_depth(X[side], y[side], depth - 1) for side in (left, ~left))
            best = min(best, sum(parts))
    return best


@pytest.mark.parametrize("seed", range(12))
def test_depth_two_equals_trying_every_cut(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, n_classes = int(rng.integers(60, 160)), int(rng.integers(2, 12))
    X = rng.normal(size=(n, 2))
    if seed % 3 == 0:
        X = X.round(1)
    centre = rng.normal(size=(n_classes, 2))
    y = ((X[:, None, :] - centre) ** 2).sum(axis=2).argmin(axis=1)
    y = np.where(rng.random(n) < 0.2, rng.integers(0, n_classes, n), y)
    y = np.unique(y, return_inverse=True)[1].astype(int)
    model = DecisionTreeClassifier(search="optimal", max_depth=2).fit(X, y)
    assert model.certificate_.objective == best_of_depth(X, y, 2)
    weighted = model.fit(X, y, sample_weight=np.full(n, 0.5))
    assert weighted.certificate_.objective == pytest.approx(best_of_depth(X, y, 2) / 2)
    numbers = (X @ np.array([1.0, -0.5])) ** 2 + rng.normal(size=n)
    fitted = DecisionTreeRegressor(search="optimal", max_depth=2).fit(X, numbers)
    assert fitted.certificate_.objective == pytest.approx(best_of_depth(X, numbers, 2), rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_depth_three_equals_trying_every_cut(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    n = 36
    X = rng.normal(size=(n, 2))
    y = rng.integers(0, 2 + seed % 2, n).astype(int)
    model = DecisionTreeClassifier(search="optimal", max_depth=3).fit(X, y)
    assert model.certificate_.objective == best_of_depth(X, y, 3)
