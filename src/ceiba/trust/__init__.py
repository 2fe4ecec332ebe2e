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
from ceiba.trust.shapley import ShapleyValues, shap_values

__all__ = [
    "Change",
    "Counterfactual",
    "Counterfactuals",
    "Drift",
    "GroupEvaluation",
    "ShapleyValues",
    "counterfactual",
    "drift",
    "evaluate_groups",
    "psi",
    "shap_values",
]
