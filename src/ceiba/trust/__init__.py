"""Shapley values, counterfactuals, stability, drift and group metrics of trees."""

from __future__ import annotations

from ceiba.trust.counterfactual import Change, Counterfactual, Counterfactuals, counterfactual
from ceiba.trust.counterfactual import user_value as user_value
from ceiba.trust.counterfactual import wanted_nodes as wanted_nodes
from ceiba.trust.drift import Drift, drift, psi
from ceiba.trust.evaluation import GroupEvaluation
from ceiba.trust.evaluation import evaluate_tree as evaluate_tree
from ceiba.trust.evaluation import read_evaluation as read_evaluation
from ceiba.trust.shapley import ShapleyValues, shap_values
from ceiba.trust.stability import RivalColumns, Stability
from ceiba.trust.stability import rival_columns as rival_columns
from ceiba.trust.stability import stability as stability

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
    "psi",
    "shap_values",
]
