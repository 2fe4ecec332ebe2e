"""What is asked of many rows or many branches costs no more than these, and says the same."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
import pytest

import ceiba

N = 400


def table(n: int, seed: int = 0) -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(seed)
    X = {
        "a": [None if one > 1.2 else float(one) for one in rng.normal(size=n)],
        "b": [None if one == 5 else f"l{one}" for one in rng.integers(0, 6, n)],
        "c": rng.normal(size=n).tolist(),
    }
    y = np.array(
        [(c or 0) + (0 if b is None else int(b[1])) for b, c in zip(X["b"], X["c"], strict=True)]
    )
    return X, y


@pytest.mark.parametrize("missing", ["learn", "majority", "surrogate", "fractional"])
@pytest.mark.parametrize("kind", ["classes", "numbers", "outputs", "stays"])
def test_contributions_are_those_of_each_row(missing: Any, kind: str) -> None:
    X, y = table(N)
    options: dict[str, Any] = {"missing": missing, "max_depth": 5}
    if kind == "numbers":
        model: Any = ceiba.DecisionTreeRegressor(**options).fit(X, y)
    elif kind == "outputs":
        if missing in ("fractional", "surrogate"):
            return  # one output only
        model = ceiba.DecisionTreeRegressor(**options).fit(X, np.stack([y, -y], axis=1))
    elif kind == "stays":
        model = ceiba.rpart(usesurrogate=0, cp=0).fit(X, y > 2)
    else:
        model = ceiba.DecisionTreeClassifier(**options).fit(X, np.digitize(y, [1, 3]))
    rows, _ = table(N, seed=1)
    rows["b"][0] = "unseen"
    explanations = model.explain(rows)
    added = explanations.contributions()
    each = list(explanations)
    assert list(added["prediction"]) == [explanation.answer for explanation in each]
    assert added["leaf"].tolist() == [explanation.leaf for explanation in each]
    np.testing.assert_array_equal(added["baseline"], [explanation.baseline for explanation in each])
    for name in ("a", "b", "c"):
        if name in added:
            wanted = [explanation.contributions.get(name, 0.0) for explanation in each]
            if kind == "outputs":  # nothing is followed there; a column off the way added nothing
                continue
            np.testing.assert_allclose(added[name], wanted, rtol=0, atol=1e-15)


def test_contributions_of_many_rows_take_no_loop_over_them() -> None:
    X, y = table(2_000)
    model = ceiba.DecisionTreeRegressor(max_depth=8).fit(X, y)
    many, _ = table(50_000, seed=2)
    explanations = model.explain(many)
    start = time.process_time()
    explanations.contributions()
    assert time.process_time() - start < 1  # one by one: 15 s


@pytest.mark.slow
def test_rules_of_one_node_of_many_branches_are_linear_in_these() -> None:
    def seconds(n: int) -> float:
        X = {"c": [f"l{i}" for i in range(n)] * 2}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it looks like an identifier
            model = ceiba.DecisionTreeRegressor(categorical_splits="multiway", max_depth=1)
            tree = model.fit(X, np.tile(np.arange(n) % 7, 2)).tree_
        assert tree.n_leaves == n
        times = []
        for _ in range(3):
            start = time.process_time()
            assert len(tree.rules()) == n
            times.append(time.process_time() - start)
        return min(times)

    assert seconds(8_000) < 8 * seconds(2_000) + 0.1  # quadratic: 16 times
