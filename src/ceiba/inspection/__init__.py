"""Functions that inspect tables, trees, splits and predictions."""

from __future__ import annotations

from ceiba.inspection.describing.column import ColumnDescription, Remark
from ceiba.inspection.describing.table import Description, describe
from ceiba.inspection.evaluate import ClassEvaluation, NumberEvaluation, QuantileScore
from ceiba.inspection.evaluate import evaluate_classes as evaluate_classes
from ceiba.inspection.evaluate import evaluate_numbers as evaluate_numbers
from ceiba.inspection.explain import Explanation, Explanations, ExplanationStep
from ceiba.inspection.explain import explain as explain
from ceiba.inspection.formula import Formula, formula
from ceiba.inspection.importance import heldout_gain, importance, importance_table
from ceiba.inspection.intervals import bca_interval as bca_interval
from ceiba.inspection.intervals import correct_holm as correct_holm
from ceiba.inspection.intervals import interval_label as interval_label
from ceiba.inspection.intervals import mean_interval as mean_interval
from ceiba.inspection.intervals import share_interval as share_interval
from ceiba.inspection.intervals import split_held_out_rows as split_held_out_rows
from ceiba.inspection.intervals import wilson as wilson
from ceiba.inspection.learning_curve import LearningCurve, learning_curve
from ceiba.inspection.node_tables import expected_costs as expected_costs
from ceiba.inspection.node_tables import routing, weakest_links
from ceiba.inspection.probability_scores import ProbabilityScores
from ceiba.inspection.probability_scores import auc_terms as auc_terms
from ceiba.inspection.rules import Interest, Rule, RuleTable, rules
from ceiba.inspection.rules import is_weighted as is_weighted
from ceiba.inspection.rules import predicts_mean as predicts_mean
from ceiba.inspection.splitting.division import gain
from ceiba.inspection.splitting.impurity import impurity, plurality
from ceiba.inspection.splitting.split_table import split_curve, split_table
from ceiba.inspection.splitting.split_tests import split_tests
from ceiba.inspection.summary import Fact, Summary
from ceiba.inspection.summary import summary as summary
from ceiba.inspection.survival_evaluation import SurvivalEvaluation
from ceiba.inspection.survival_evaluation import SurvivalJudge as SurvivalJudge
from ceiba.inspection.survival_evaluation import choose_horizon as choose_horizon
from ceiba.inspection.survival_evaluation import choose_times as choose_times

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
    "QuantileScore",
    "Remark",
    "Rule",
    "RuleTable",
    "Summary",
    "SurvivalEvaluation",
    "describe",
    "formula",
    "gain",
    "heldout_gain",
    "importance",
    "importance_table",
    "impurity",
    "learning_curve",
    "plurality",
    "routing",
    "rules",
    "split_curve",
    "split_table",
    "split_tests",
    "weakest_links",
]
