"""Facts about trees, splits and predictions, as plain values."""

from __future__ import annotations

from ceiba.inspection.describing.column import ColumnDescription, Remark
from ceiba.inspection.describing.table import Description, describe
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
from ceiba.inspection.probability_scores import ProbabilityScores, probability_scores
from ceiba.inspection.routing_report import routing
from ceiba.inspection.rules import Interest, Rule, RuleTable, rules
from ceiba.inspection.splitting.gain import gain
from ceiba.inspection.splitting.impurity import impurity
from ceiba.inspection.splitting.split_curve import split_curve
from ceiba.inspection.splitting.split_table import split_table
from ceiba.inspection.splitting.split_tests import split_tests
from ceiba.inspection.summary import Fact, Summary, column_usage, summary
from ceiba.inspection.teaching import expected_costs, plurality, weakest_links

__all__ = [
    "ClassEvaluation",
    "ColumnDescription",
    "Description",
    "Explanation",
    "ExplanationStep",
    "Explanations",
    "Fact",
    "Formula",
    "Interest",
    "LearningCurve",
    "NumberEvaluation",
    "ProbabilityScores",
    "Remark",
    "Rule",
    "RuleTable",
    "Summary",
    "column_usage",
    "describe",
    "evaluate_classes",
    "evaluate_numbers",
    "expected_costs",
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
    "plurality",
    "probability_scores",
    "routing",
    "rules",
    "split_curve",
    "split_table",
    "split_tests",
    "summary",
    "weakest_links",
]
