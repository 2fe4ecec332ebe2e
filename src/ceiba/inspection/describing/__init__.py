"""Describe a table before fitting: kinds of columns, missing values, distributions and problems."""

from __future__ import annotations

from ceiba.inspection.describing.table import is_numeric_target as is_numeric_target
