"""Functions that imitate, compare and document models, and explain errors and predictions."""

from __future__ import annotations

from ceiba.audit.card import ModelCard
from ceiba.audit.card import make_card as make_card
from ceiba.audit.comparison import Comparison, compare
from ceiba.audit.comparison import compare_predictions as compare_predictions
from ceiba.audit.comparison import count_moves as count_moves
from ceiba.audit.comparison import mean_figure as mean_figure
from ceiba.audit.error_analysis import ErrorAnalysis, analyze_errors
from ceiba.audit.imitation import Mimic, mimic
from ceiba.audit.reasons import Reason, Reasons
from ceiba.audit.reasons import reasons as reasons
from ceiba.audit.reasons import reasons_table as reasons_table

__all__ = [
    "Comparison",
    "ErrorAnalysis",
    "Mimic",
    "ModelCard",
    "Reason",
    "Reasons",
    "analyze_errors",
    "compare",
    "mimic",
]
