"""LightGBM, one tree: splits at 255 bin edges, so approximate; the binning is part of the time.

Its limits on categories are off: every level has a separate bin, level sets may be of any size, and
nothing is smoothed. With more than two classes it grows one tree per class.
"""

from __future__ import annotations

from importlib.metadata import version as installed
from typing import Any

import numpy as np

from benchmarks.libraries import Settings, why_not_installed
from benchmarks.tables import Data

EVERY_LEVEL = 1_000_000


def why_absent() -> str | None:
    return why_not_installed("lightgbm")


def version() -> str:
    return installed("lightgbm")


def prepare(data: Data) -> Data:
    """Number the classes from 0, as it asks for."""
    if data.task == "regression":
        return data
    return Data(data.X, np.unique(data.y, return_inverse=True)[1], data.task)


def bins(data: Data, most: int) -> dict[str, Any]:
    """Allow a numeric column so many bins, and a category column one for each level."""
    if isinstance(data.X, np.ndarray):
        return {"max_bin": most}
    kinds = data.X.dtypes
    levels = [len(kind.categories) + 2 if kind.name == "category" else 0 for kind in kinds]
    return {"max_bin": most, "max_bin_by_feature": [max(most, number) for number in levels]}


def fit(data: Data, settings: Settings, **more: Any) -> Any:
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
        **bins(data, settings.max_bins or 255),
        "min_data_in_bin": 1 if not isinstance(data.X, np.ndarray) else 3,
        "max_cat_threshold": EVERY_LEVEL,
        "max_cat_to_onehot": 1,
        "min_data_per_group": 1,
        "cat_smooth": 0.0,
        "cat_l2": 0.0,
        "num_threads": settings.n_threads,
        "verbose": -1,
        **more,
    }
    table = lightgbm.Dataset(data.X, data.y, params=options, free_raw_data=False)
    return lightgbm.train(options, table, num_boost_round=1)


def predict(model: Any, data: Data, n_rows: int | None = None) -> Any:
    return model.predict(data.X[:n_rows])


def leaves(model: Any, data: Data) -> Any:
    return np.asarray(model.predict(data.X, pred_leaf=True)).squeeze()
