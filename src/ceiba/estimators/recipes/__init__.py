"""Recipes: estimators set up as a family of trees is known elsewhere."""

from __future__ import annotations

from ceiba.estimators.recipes.rpart import RpartClassifier, RpartRegressor, rpart

__all__ = ["RpartClassifier", "RpartRegressor", "rpart"]
