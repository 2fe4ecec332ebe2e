"""Facts about trees, splits and predictions, as plain values."""

from __future__ import annotations

from ceiba.inspection.evaluate import (
    ClassEvaluation,
    NumberEvaluation,
    evaluate_classes,
    evaluate_numbers,
)
from ceiba.inspection.explain import (
    Explanation,
    Explanations,
    ExplanationStep,
    explain,
    explain_rows,
)
from ceiba.inspection.formula import Formula, formula
from ceiba.inspection.heldout_gain import heldout_gain
from ceiba.inspection.importance import importance
from ceiba.inspection.importance_table import importance_table, permutation_importance
from ceiba.inspection.learning_curve import LearningCurve, learning_curve
from ceiba.inspection.routing_report import routing
from ceiba.inspection.rules import Rule, RuleTable, rules
from ceiba.inspection.splitting.gain import gain
from ceiba.inspection.splitting.impurity import impurity
from ceiba.inspection.splitting.split_curve import split_curve
from ceiba.inspection.splitting.split_table import split_table
from ceiba.inspection.splitting.split_tests import split_tests
from ceiba.inspection.summary import Fact, Summary, column_usage, summary

__all__ = [
    "ClassEvaluation",
    "Explanation",
    "ExplanationStep",
    "Explanations",
    "Fact",
    "Formula",
    "LearningCurve",
    "NumberEvaluation",
    "Rule",
    "RuleTable",
    "Summary",
    "column_usage",
    "evaluate_classes",
    "evaluate_numbers",
    "explain",
    "explain_rows",
    "formula",
    "gain",
    "heldout_gain",
    "importance",
    "importance_table",
    "impurity",
    "learning_curve",
    "permutation_importance",
    "routing",
    "rules",
    "split_curve",
    "split_table",
    "split_tests",
    "summary",
]
