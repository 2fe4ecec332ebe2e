"""XGBoost, one tree: exact if max_bins is None, else its histograms; the time includes building
its table format.

One Newton step from equal probabilities has the same weight in every row, so its gain orders splits
as gini does, and min_samples_leaf becomes a sum of those weights.
"""

from __future__ import annotations

from importlib.metadata import version as installed
from typing import Any

import numpy as np

from benchmarks.libraries import Settings, why_not_installed
from benchmarks.tables import Data

EVERY_LEVEL = 1_000_000
# Its exact method wants a limit; no tree here is deeper.
DEEP = 64


def why_absent() -> str | None:
    return why_not_installed("xgboost")


def version() -> str:
    return installed("xgboost")


def prepare(data: Data) -> Data:
    """Number the classes from 0, as it asks for."""
    if data.task == "regression":
        return data
    return Data(data.X, np.unique(data.y, return_inverse=True)[1], data.task)


def objective(data: Data) -> tuple[dict[str, Any], float]:
    """Return the objective and the weight of one row in it."""
    if data.task == "regression":
        return {"objective": "reg:squarederror"}, 1.0
    n_classes = int(data.y.max()) + 1
    if n_classes == 2:
        return {"objective": "binary:logistic", "base_score": 0.5}, 0.25
    share = 1 / n_classes
    return {"objective": "multi:softprob", "num_class": n_classes}, 2 * share * (1 - share)


def fit(data: Data, settings: Settings) -> Any:
    import xgboost

    words, weight = objective(data)
    options = {
        **words,
        "tree_method": "exact" if settings.max_bins is None else "hist",
        "max_depth": settings.max_depth or (DEEP if settings.max_bins is None else 0),
        # A trace below, so that rounding does not refuse a leaf of just so many rows.
        "min_child_weight": settings.min_samples_leaf * weight * (1 - 1e-6),
        "eta": 1.0,
        "lambda": 0.0,
        "max_cat_to_onehot": 1,
        "max_cat_threshold": EVERY_LEVEL,
        "nthread": settings.n_threads,
        "verbosity": 0,
    }
    threads = {"nthread": settings.n_threads, "enable_categorical": True}
    if settings.max_bins is None:
        table = xgboost.DMatrix(data.X, data.y, **threads)
    else:
        options["max_bin"] = settings.max_bins
        table = xgboost.QuantileDMatrix(data.X, data.y, max_bin=settings.max_bins, **threads)
    return xgboost.train(options, table, num_boost_round=1)


def predict(model: Any, data: Data, n_rows: int | None = None) -> Any:
    return model.inplace_predict(data.X[:n_rows])


def leaves(model: Any, data: Data) -> Any:
    import xgboost

    table = xgboost.DMatrix(data.X, enable_categorical=True)
    found = np.asarray(model.predict(table, pred_leaf=True))
    return found.reshape(len(data.y), -1).squeeze()
