"""YDF's CART: exact cuts; level sets, but a random search for columns above 300 levels.

Its own pruning is off (validation_ratio=0), every level is kept (no vocabulary limit).
"""

from __future__ import annotations

from importlib.metadata import version as installed
from typing import Any

import numpy as np

from benchmarks.libraries import Settings, why_not_installed
from benchmarks.tables import Data

TARGET = "the target"


def why_absent() -> str | None:
    return why_not_installed("ydf")


def version() -> str:
    return installed("ydf")


def prepare(data: Data) -> dict[str, Any]:
    """Return columns as numpy arrays: float, or text ("" if missing), which YDF reads fastest."""
    if isinstance(data.X, np.ndarray):
        columns = {f"x{i}": data.X[:, i] for i in range(data.X.shape[1])}
    else:
        columns = {name: _plain(data.X[name]) for name in data.X}
    return {**columns, TARGET: data.y}


def _plain(column: Any) -> Any:
    if column.dtype.name != "category":
        return column.to_numpy()
    names = np.array([*map(str, column.cat.categories), ""])
    return names[column.cat.codes.to_numpy()]


def fit(columns: dict[str, Any], settings: Settings) -> Any:
    import ydf

    ydf.verbose(0)
    regression = columns[TARGET].dtype.kind == "f"
    learner = ydf.CartLearner(
        label=TARGET,
        task=ydf.Task.REGRESSION if regression else ydf.Task.CLASSIFICATION,
        max_depth=-1 if settings.max_depth is None else settings.max_depth + 1,
        min_examples=settings.min_samples_leaf,
        validation_ratio=0.0,
        max_vocab_count=-1,
        min_vocab_frequency=1,
        num_threads=settings.n_threads,
    )
    return learner.train(columns)


def predict(model: Any, columns: dict[str, Any], n_rows: int | None = None) -> Any:
    return model.predict({name: values[:n_rows] for name, values in columns.items()})


def leaves(model: Any, columns: dict[str, Any]) -> Any:
    return model.predict_leaves(columns)[:, 0]
