"""Audit a model: imitate it, find its errors, compare it with another one, explain refusals."""

from __future__ import annotations

from ceiba.audit.card import ModelCard
from ceiba.audit.card import make_card as make_card
from ceiba.audit.comparison import Comparison, compare
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
