"""Can this tree be trusted: why this answer, what would change it, is it stable, does it hold."""

from __future__ import annotations

from ceiba.trust.counterfactual import (
    Change,
    Counterfactual,
    Counterfactuals,
    counterfactual,
)
from ceiba.trust.drift import Drift, drift, psi
from ceiba.trust.groups import GroupEvaluation, evaluate_groups
from ceiba.trust.rival_columns import RivalColumns, rival_columns
from ceiba.trust.shapley import ShapleyValues, shap_values
from ceiba.trust.stability import Stability, stability

__all__ = [
    "Change",
    "Counterfactual",
    "Counterfactuals",
    "Drift",
    "GroupEvaluation",
    "RivalColumns",
    "ShapleyValues",
    "Stability",
    "counterfactual",
    "drift",
    "evaluate_groups",
    "psi",
    "rival_columns",
    "shap_values",
    "stability",
]
