"""How often the intervals of leaves hold the truth, honest and ordinary: simulated data sets.

Run: python -m tests.trust.coverage [DATASETS]
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

import ceiba

Array = np.ndarray[Any, Any]
REFERENCE = 60_000


def signal(X: Array) -> Array:
    return X[:, 0] + np.sin(2 * X[:, 1]) * X[:, 2] + 0.5 * (X[:, 3] > 0.5)


def target(kind: str, X: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return y and what is expected of it."""
    f = signal(X)
    if kind == "classes":
        p = 1 / (1 + np.exp(-f))
        return (rng.random(len(X)) < p).astype(int), p
    if kind == "normal":
        return f + rng.normal(size=len(X)), f
    return f + rng.lognormal(sigma=1.0, size=len(X)) - np.exp(0.5), f


def coverage(kind: str, n: int, datasets: int, honest: float | None) -> float:
    """Return the mean share of leaves with at least 20 rows whose 95 % interval holds the truth."""
    rng = np.random.default_rng([n, datasets])
    reference = rng.normal(size=(REFERENCE, 5))
    truth = target(kind, reference, rng)[1]
    held, total = 0, 0
    for _ in range(datasets):
        X = rng.normal(size=(n, 5))
        y, _ = target(kind, X, rng)
        options: dict[str, Any] = {"max_depth": 5, "min_samples_leaf": 5}
        if honest is not None:
            options["leaf_values"] = ceiba.Honest(share=honest)
        if kind == "classes":
            tree = ceiba.DecisionTreeClassifier(**options).fit(X, y).tree_
        else:
            tree = ceiba.DecisionTreeRegressor(**options).fit(X, y).tree_
        end = tree.apply(reference)
        size = np.bincount(end, minlength=tree.n_nodes)
        mean = np.bincount(end, weights=truth, minlength=tree.n_nodes) / np.maximum(size, 1)
        for rule in tree.rules().rules:
            if rule.rows < 20 or size[rule.node] < 30:
                continue
            value = mean[rule.node]
            if kind == "classes" and rule.value == 0:
                value = 1 - value
            held += rule.low <= value <= rule.high
            total += 1
    return held / total


def main() -> None:
    """Print the table of docs/trust.md."""
    datasets = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    warnings.simplefilter("ignore", ceiba.errors.CeibaWarning)
    for kind in ("classes", "normal", "lognormal"):
        for n in (200, 1000, 5000):
            honest, ordinary = (coverage(kind, n, datasets, share) for share in (0.5, None))
            print(f"{kind}, {n} rows: honest {honest:.1%}, ordinary {ordinary:.1%}", flush=True)


if __name__ == "__main__":
    main()
