"""Recipes: estimators set up as a family of trees is known elsewhere."""

from __future__ import annotations

from ceiba.estimators.recipes.c45 import c45
from ceiba.estimators.recipes.cart import cart
from ceiba.estimators.recipes.chaid import chaid
from ceiba.estimators.recipes.id3 import id3
from ceiba.estimators.recipes.rpart import RpartClassifier, RpartRegressor, rpart

__all__ = [
    "RpartClassifier",
    "RpartRegressor",
    "c45",
    "cart",
    "chaid",
    "id3",
    "rpart",
]
