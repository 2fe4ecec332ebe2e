"""Families of trees under their own names: CART, rpart, C4.5, ID3, CHAID."""

from __future__ import annotations

from ceiba.families.c45 import c45
from ceiba.families.cart import cart
from ceiba.families.chaid import chaid
from ceiba.families.id3 import id3
from ceiba.families.rpart.complexity import prune_by_cp, rpart_complexity
from ceiba.families.rpart.cross_validation import rpart_cross_validate
from ceiba.families.rpart.estimators import Rpart, RpartClassifier, RpartRegressor
from ceiba.families.rpart.improvement import competitor_improvement, improvement, rpart_importance
from ceiba.families.rpart.rpart import rpart
from ceiba.families.rpart.summary import RpartNodeSummary, RpartSummary, rpart_summary

__all__ = [
    "Rpart",
    "RpartClassifier",
    "RpartNodeSummary",
    "RpartRegressor",
    "RpartSummary",
    "c45",
    "cart",
    "chaid",
    "competitor_improvement",
    "id3",
    "improvement",
    "prune_by_cp",
    "rpart",
    "rpart_complexity",
    "rpart_cross_validate",
    "rpart_importance",
    "rpart_summary",
]
