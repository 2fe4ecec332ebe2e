"""LightGBM, one tree: splits at 255 bin edges, so approximate; the binning is part of the time."""

from __future__ import annotations

from importlib.metadata import version as installed
from typing import Any

import numpy as np

from benchmarks.libraries import Settings, why_not_installed
from benchmarks.problems import Data


def why_absent() -> str | None:
    return why_not_installed("lightgbm")


def version() -> str:
    return installed("lightgbm")


def prepare(data: Data) -> Data:
    return data


def fit(data: Data, settings: Settings) -> Any:
    import lightgbm

    n_classes = int(data.y.max()) + 1 if data.task == "classification" else 0
    objective = {0: "regression", 2: "binary"}.get(n_classes, "multiclass")
    # As many leaves as the other rules allow, and no more: its memory grows with the limit.
    most_leaves = max(2, len(data.y) // settings.min_samples_leaf)
    if settings.max_depth is not None:
        most_leaves = min(most_leaves, 2**settings.max_depth)
    options = {
        "objective": objective,
        "num_class": n_classes if objective == "multiclass" else 1,
        "max_depth": settings.max_depth or -1,
        "num_leaves": min(131_072, most_leaves),
        "min_data_in_leaf": settings.min_samples_leaf,
        "min_sum_hessian_in_leaf": 0.0,
        "learning_rate": 1.0,
        "boost_from_average": True,
        "num_threads": settings.n_threads,
        "verbose": -1,
    }
    table = lightgbm.Dataset(data.X, data.y, params=options, free_raw_data=False)
    return lightgbm.train(options, table, num_boost_round=1)


def predict(model: Any, data: Data, n_rows: int | None = None) -> Any:
    return model.predict(data.X[:n_rows])


def leaves(model: Any, data: Data) -> Any:
    found = np.asarray(model.predict(data.X, pred_leaf=True))
    # One tree per class when there are more than two: no single partition to judge.
    return found[:, 0] if found.ndim == 2 and found.shape[1] == 1 else None
