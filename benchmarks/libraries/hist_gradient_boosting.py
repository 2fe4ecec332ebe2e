"""scikit-learn's HistGradientBoosting, one iteration: cuts at 255 bin edges, so approximate.

Its threads are OpenMP's. It does not tell the leaves of rows.
"""

from __future__ import annotations

from typing import Any

from benchmarks.libraries import Settings, scikit_learn
from benchmarks.tables import Data

why_absent, version = scikit_learn.why_absent, scikit_learn.version
prepare, predict = scikit_learn.prepare, scikit_learn.predict


def fit(data: Data, settings: Settings) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from threadpoolctl import threadpool_limits

    classes = data.task == "classification"
    kind = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    model = kind(
        learning_rate=1.0,
        max_iter=1,
        max_leaf_nodes=None,
        max_depth=settings.max_depth,
        min_samples_leaf=settings.min_samples_leaf,
        early_stopping=False,
        random_state=0,
    )
    with threadpool_limits(settings.n_threads):
        return model.fit(data.X, data.y)


def leaves(model: Any, data: Data) -> None:
    return None
