"""Trees to report on: classes, numbers, missing values, level sets, surrogates, hostile names."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import ceiba
from ceiba.prune import CostComplexity

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "a\"b'c`d\\e",
    "שלום עולם",
    "🌳 emoji",
    "long " * 60,
    "@@data@@ \u2028 ${x}",
]


def table(n: int, seed: int = 0) -> dict[str, Any]:
    """Return mixed columns with missing values."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n).astype(float)
    income = np.round(rng.lognormal(3, 0.6, n), 2)
    income[rng.random(n) < 0.12] = np.nan
    city = rng.choice(["Lima", "Oslo", "Quito", "Rome"], n).astype(object)
    city[rng.random(n) < 0.08] = None
    return {"age": age, "income": income, "city": city, "noise": rng.normal(size=n)}


def answer(frame: dict[str, Any], seed: int = 1) -> np.ndarray[Any, Any]:
    """Return a number that depends on the columns."""
    rng = np.random.default_rng(seed)
    warm = np.isin(np.array([str(c) for c in frame["city"]]), ["Lima", "Quito"])
    return (
        frame["age"] / 20
        + np.nan_to_num(frame["income"], nan=30.0) / 15
        + 2.0 * warm
        + rng.normal(0, 0.7, len(warm))
    )


def classes(frame: dict[str, Any], k: int) -> np.ndarray[Any, Any]:
    number = answer(frame)
    cuts = np.quantile(number, np.linspace(0, 1, k + 1)[1:-1])
    return np.array(["low", "mid", "high"][-k:])[np.searchsorted(cuts, number)]


@cache
def model(kind: str) -> Any:
    """Fit the model of a test."""
    frame = table(500)
    if kind == "regression":
        return ceiba.DecisionTreeRegressor(max_leaf_nodes=20).fit(frame, answer(frame))
    if kind == "surrogate":
        options = {"missing": ceiba.Surrogates(keep=3), "max_depth": 4}
        return ceiba.DecisionTreeClassifier(**options).fit(frame, classes(frame, 2))
    if kind == "stay":
        stands = ceiba.Surrogates(keep=1, otherwise="stay")
        return ceiba.DecisionTreeClassifier(missing=stands, max_depth=5).fit(
            frame, classes(frame, 2)
        )
    if kind == "fractional":
        options = {"missing": "fractional", "max_depth": 4}
        return ceiba.DecisionTreeClassifier(**options).fit(frame, classes(frame, 2))
    if kind == "intervals":
        return ceiba.chaid(min_samples_leaf=15).fit(frame, classes(frame, 2))
    if kind == "cv":
        pruning = CostComplexity(folds=4, rule="1se", keep_unpruned=True)
        return ceiba.DecisionTreeClassifier(prune=pruning).fit(frame, classes(frame, 2))
    return ceiba.DecisionTreeClassifier(max_leaf_nodes=25).fit(frame, classes(frame, 3))


def training(kind: str) -> tuple[dict[str, Any], Any]:
    """Return the rows that the model of a test was fitted to."""
    frame = table(500)
    if kind == "regression":
        return frame, answer(frame)
    return frame, classes(frame, 3 if kind == "classes" else 2)


def held_out(kind: str) -> tuple[dict[str, Any], Any]:
    """Return other rows of the same make."""
    frame = table(300, seed=7)
    if kind == "regression":
        return frame, answer(frame)
    return frame, classes(frame, 3 if kind == "classes" else 2)
