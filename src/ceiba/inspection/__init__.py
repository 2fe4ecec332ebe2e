"""Facts about trees, splits and predictions, as plain values."""

from __future__ import annotations

from ceiba.inspection.evaluate import (
    ClassEvaluation,
    NumberEvaluation,
    evaluate_classes,
    evaluate_numbers,
)
from ceiba.inspection.explain import Explanation, ExplanationStep, explain
from ceiba.inspection.gain import gain
from ceiba.inspection.importance import importance
from ceiba.inspection.improvement import competitor_improvement, improvement, rpart_importance
from ceiba.inspection.impurity import impurity
from ceiba.inspection.split_curve import split_curve
from ceiba.inspection.split_table import split_table

__all__ = [
    "ClassEvaluation",
    "Explanation",
    "ExplanationStep",
    "NumberEvaluation",
    "competitor_improvement",
    "evaluate_classes",
    "evaluate_numbers",
    "explain",
    "gain",
    "importance",
    "improvement",
    "impurity",
    "rpart_importance",
    "split_curve",
    "split_table",
]
