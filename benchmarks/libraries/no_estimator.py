"""An estimator that does nothing, to time scikit-learn's own work in model selection."""

from __future__ import annotations

from importlib.metadata import version as installed
from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin

from benchmarks.libraries import Settings
from benchmarks.tables import Data


class NoEstimator(ClassifierMixin, BaseEstimator):
    def __init__(self, max_depth: int | None = None, min_samples_leaf: int = 1) -> None:
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf

    def fit(self, X: Any, y: Any) -> NoEstimator:
        return self

    def score(self, X: Any, y: Any) -> float:
        return 0.0


def why_absent() -> str | None:
    return None


def version() -> str:
    return installed("scikit-learn")


def prepare(data: Data) -> Data:
    return data


def fit(data: Data, settings: Settings) -> NoEstimator:
    return NoEstimator(settings.max_depth, settings.min_samples_leaf)
