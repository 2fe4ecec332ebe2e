"""Describe a table before fitting: kinds, missing values, distributions and remarks."""

from __future__ import annotations

from ceiba.inspection.describing.table import is_numeric_target as is_numeric_target
