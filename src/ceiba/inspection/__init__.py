"""Facts about trees, splits and predictions, as plain values."""

from __future__ import annotations

from ceiba.inspection.conditions import Condition, condition_of
from ceiba.inspection.evaluate import (
    ClassEvaluation,
    NumberEvaluation,
    evaluate_classes,
    evaluate_numbers,
)
from ceiba.inspection.explain import Explanation, ExplanationStep, explain
from ceiba.inspection.formula import Formula, formula
from ceiba.inspection.gain import gain
from ceiba.inspection.importance import importance
from ceiba.inspection.improvement import competitor_improvement, improvement, rpart_importance
from ceiba.inspection.impurity import impurity
from ceiba.inspection.rules import Rule, RuleTable, rules
from ceiba.inspection.split_curve import split_curve
from ceiba.inspection.split_table import split_table

__all__ = [
    "ClassEvaluation",
    "Condition",
    "Explanation",
    "ExplanationStep",
    "Formula",
    "NumberEvaluation",
    "Rule",
    "RuleTable",
    "competitor_improvement",
    "condition_of",
    "evaluate_classes",
    "evaluate_numbers",
    "explain",
    "formula",
    "gain",
    "importance",
    "improvement",
    "impurity",
    "rpart_importance",
    "rules",
    "split_curve",
    "split_table",
]
