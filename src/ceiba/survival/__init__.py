"""Survival curves and measures of predicted survival, computed with numpy alone."""

from __future__ import annotations

from ceiba.survival.curve import Estimate, StepFunction, SurvivalCurve
from ceiba.survival.curve import format_time as format_time
from ceiba.survival.metrics import (
    BrierScores,
    CalibrationGroup,
    Concordance,
    brier_scores,
    calibration,
    concordance,
    default_horizon,
)
from ceiba.survival.rows import read_rows as read_rows

__all__ = [
    "BrierScores",
    "CalibrationGroup",
    "Concordance",
    "Estimate",
    "StepFunction",
    "SurvivalCurve",
    "brier_scores",
    "calibration",
    "concordance",
    "default_horizon",
]
