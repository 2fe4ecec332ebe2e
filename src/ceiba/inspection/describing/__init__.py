"""What a table is like before anything is learned from it: kinds, gaps, distributions, doubts."""

from __future__ import annotations

from ceiba.inspection.describing.table import is_numeric_target as is_numeric_target
