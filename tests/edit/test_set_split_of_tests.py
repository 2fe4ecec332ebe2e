"""`set_split` under the criteria that are tests themselves: rows without a value are placed too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.tree import check

N = 60


def _rows() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=N)
    x[::7] = np.nan
    return {"x": x, "level": rng.choice(list("abc"), N)}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("criterion", ["chi2", "likelihood_ratio", "f_test"])
def test_missing_rows_go_where_they_belong(criterion: str, weighted: bool) -> None:
    X = _rows()
    high = np.isnan(X["x"]) | (X["x"] > 0.1)  # rows without a value are like those on the right
    kind: Any = ceiba.DecisionTreeClassifier
    y: Any = np.where(high, "yes", "no")
    if criterion == "f_test":
        kind, y = ceiba.DecisionTreeRegressor, high + 0.01 * np.arange(N)
    weight = np.arange(1, N + 1) if weighted else None
    model = kind(criterion=criterion).fit(X, y, weight)
    edited = model.set_split(0, "x <= 0.1", X, y, sample_weight=weight, levels=0)
    tree = edited.tree_
    check(tree)
    left = int((X["x"] <= 0.1).sum())
    assert tree.n_rows[:3].tolist() == [N, left, N - left]
    assert tree.default_branch[0] == 1
