"""Trees behind scikit-learn's API."""

from __future__ import annotations

from ceiba.estimators.classifier import DecisionTreeClassifier
from ceiba.estimators.regressor import DecisionTreeRegressor

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
]
