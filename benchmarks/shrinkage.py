"""Held-out log loss of smoothed leaves, compared with the plain tree and imodels' HSTree.

    python -m benchmarks.shrinkage

1,000 training rows of numeric columns, depth 6, eight draws; the rest is held out. HSTree chooses
its strength by its own cross-validation (10 folds, its list of strengths).
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import log_loss
from sklearn.tree import DecisionTreeClassifier

import ceiba

DATA = Path(os.environ.get("CEIBA_DATA", "../shared/data"))
ROWS, DEPTH, DRAWS = 1000, 6, 8


def tables() -> Iterator[tuple[str, Any, Any]]:
    import pandas as pd
    from sklearn.datasets import load_breast_cancer

    for name in ("magic_gamma.csv", "german_credit.csv", "default_credit_card.csv.gz",
                 "adult_train.csv.gz", "bank_additional_full.csv.gz"):  # fmt: skip
        frame = pd.read_csv(DATA / name, sep=None, engine="python")
        numbers = frame.iloc[:, :-1].select_dtypes("number").dropna(axis=1)
        yield name.partition(".")[0], numbers.to_numpy(float), frame.iloc[:, -1].astype(str)
    X, y = load_breast_cancer(return_X_y=True)
    yield "breast_cancer", X, y.astype(str)


def losses(X: Any, y: Any, seed: int) -> list[float]:
    from imodels import HSTreeClassifierCV

    order = np.random.default_rng(seed).permutation(len(y))
    size = min(ROWS, len(y) // 2)
    train, test = order[:size], order[size:]
    y = np.unique(np.asarray(y), return_inverse=True)[1]
    models: list[Any] = [
        ceiba.DecisionTreeClassifier(max_depth=DEPTH, leaf_values=rule)
        for rule in ("share", "laplace", "m_estimate", "shrinkage")
    ]
    models.append(HSTreeClassifierCV(DecisionTreeClassifier(max_depth=DEPTH), cv=10))
    out = []
    for model in models:
        model.fit(X[train], y[train])
        p = np.clip(model.predict_proba(X[test]), 1e-15, 1)
        out.append(log_loss(y[test], p / p.sum(axis=1, keepdims=True)))
    return out


def main() -> None:
    warnings.simplefilter("ignore")
    print("| data | plain | laplace | m-estimate | shrinkage | HSTree |")
    print("|---|---|---|---|---|---|")
    for name, X, y in tables():
        mean = np.mean([losses(X, y, seed) for seed in range(DRAWS)], axis=0)
        print(f"| {name} | " + " | ".join(f"{loss:.3f}" for loss in mean) + " |", flush=True)


if __name__ == "__main__":
    main()
