"""scikit-learn's trees: exact, numbers only, one thread; categories are passed as codes.

The order of codes is meaningless, so its trees on categories fit worse than level sets.
"""

from __future__ import annotations

from importlib.metadata import version as installed
from typing import Any

import numpy as np

from benchmarks.libraries import Settings, ceiba, why_not_installed
from benchmarks.tables import Data


def why_absent() -> str | None:
    return why_not_installed("sklearn")


def version() -> str:
    return installed("scikit-learn")


def prepare(data: Data) -> Data:
    if isinstance(data.X, np.ndarray):
        return data
    X = np.empty(data.X.shape, np.float32)
    for i, name in enumerate(data.X):
        column = data.X[name]
        if column.dtype.name == "category":
            codes = column.cat.codes.to_numpy()
            X[:, i] = np.where(codes < 0, np.nan, codes)
        else:
            X[:, i] = column.to_numpy()
    return Data(X, data.y, data.task)


def fit(data: Data, settings: Settings) -> Any:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    if settings.same_tree:
        return ceiba.fit(data, settings).tree_.to_sklearn()
    kind = DecisionTreeClassifier if data.task == "classification" else DecisionTreeRegressor
    options = {} if settings.criterion is None else {"criterion": settings.criterion}
    model = kind(
        max_depth=settings.max_depth,
        min_samples_split=settings.min_samples_split,
        min_samples_leaf=settings.min_samples_leaf,
        random_state=0,
        **options,
    )
    return model.fit(data.X, data.y)


def predict(model: Any, data: Data, n_rows: int | None = None) -> Any:
    return model.predict(data.X[:n_rows])


def leaves(model: Any, data: Data) -> Any:
    return model.apply(data.X)
