"""Describe a table before learning: kinds, missing values, distributions, remarks."""

from __future__ import annotations

from ceiba.inspection.describing.table import is_numeric_target as is_numeric_target
