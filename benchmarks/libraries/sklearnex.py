"""Intel's sklearnex: one tree of its forest, grown on all rows and columns."""

from __future__ import annotations

from importlib.metadata import version as installed
from typing import Any

from benchmarks.libraries import Settings, scikit_learn, why_not_installed
from benchmarks.tables import Data

prepare, predict = scikit_learn.prepare, scikit_learn.predict


def why_absent() -> str | None:
    return why_not_installed("sklearnex")


def version() -> str:
    return installed("scikit-learn-intelex")


def fit(data: Data, settings: Settings) -> Any:
    from sklearnex.ensemble import RandomForestClassifier, RandomForestRegressor

    kind = RandomForestClassifier if data.task == "classification" else RandomForestRegressor
    model = kind(
        n_estimators=1,
        bootstrap=False,
        max_features=None,
        max_depth=settings.max_depth,
        min_samples_split=settings.min_samples_split,
        min_samples_leaf=settings.min_samples_leaf,
        n_jobs=settings.n_threads,
        random_state=0,
    )
    return model.fit(data.X, data.y)


def leaves(model: Any, data: Data) -> Any:
    return model.apply(data.X)[:, 0]
