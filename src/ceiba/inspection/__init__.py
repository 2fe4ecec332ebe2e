"""Facts about trees, splits and predictions, as plain values."""

from __future__ import annotations

from ceiba.inspection.conditions import Condition, condition_of
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
from ceiba.inspection.gain import gain
from ceiba.inspection.importance import importance
from ceiba.inspection.importance_table import (
    heldout_gain,
    importance_table,
    permutation_importance,
)
from ceiba.inspection.improvement import competitor_improvement, improvement, rpart_importance
from ceiba.inspection.impurity import impurity
from ceiba.inspection.learning_curve import LearningCurve, learning_curve
from ceiba.inspection.routing_report import routing
from ceiba.inspection.rpart_summary import RpartNodeSummary, RpartSummary, rpart_summary
from ceiba.inspection.rules import Rule, RuleTable, rules
from ceiba.inspection.split_curve import split_curve
from ceiba.inspection.split_table import split_table
from ceiba.inspection.split_tests import split_tests
from ceiba.inspection.summary import Fact, Summary, column_usage, summary

__all__ = [
    "ClassEvaluation",
    "Condition",
    "Explanation",
    "ExplanationStep",
    "Explanations",
    "Fact",
    "Formula",
    "LearningCurve",
    "NumberEvaluation",
    "RpartNodeSummary",
    "RpartSummary",
    "Rule",
    "RuleTable",
    "Summary",
    "column_usage",
    "competitor_improvement",
    "condition_of",
    "evaluate_classes",
    "evaluate_numbers",
    "explain",
    "explain_rows",
    "formula",
    "gain",
    "heldout_gain",
    "importance",
    "importance_table",
    "improvement",
    "impurity",
    "learning_curve",
    "permutation_importance",
    "routing",
    "rpart_importance",
    "rpart_summary",
    "rules",
    "split_curve",
    "split_table",
    "split_tests",
    "summary",
]
