"""Estimators that follow known algorithms: CART, rpart, C4.5, ID3 and CHAID."""

from __future__ import annotations

from ceiba.families.presets import c45, cart, chaid, id3
from ceiba.families.rpart.estimators import Rpart, RpartClassifier, RpartRegressor, rpart
from ceiba.families.rpart.summary import RpartNodeSummary, RpartSummary

__all__ = [
    "Rpart",
    "RpartClassifier",
    "RpartNodeSummary",
    "RpartRegressor",
    "RpartSummary",
    "c45",
    "cart",
    "chaid",
    "id3",
    "rpart",
]
