"""scikit-learn's trees: exact, numbers only, one thread."""

from __future__ import annotations

from importlib.metadata import version as installed
from typing import Any

from benchmarks.libraries import Settings, why_not_installed
from benchmarks.problems import Data


def why_absent() -> str | None:
    return why_not_installed("sklearn")


def version() -> str:
    return installed("scikit-learn")


def prepare(data: Data) -> Data:
    return data


def fit(data: Data, settings: Settings) -> Any:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    kind = DecisionTreeClassifier if data.task == "classification" else DecisionTreeRegressor
    model = kind(
        max_depth=settings.max_depth,
        min_samples_split=settings.min_samples_split,
        min_samples_leaf=settings.min_samples_leaf,
        random_state=0,
    )
    return model.fit(data.X, data.y)


def predict(model: Any, data: Data, n_rows: int | None = None) -> Any:
    return model.predict(data.X[:n_rows])


def leaves(model: Any, data: Data) -> Any:
    return model.apply(data.X)
