"""Estimators that reproduce the trees, statistics and methods of R's rpart."""

from __future__ import annotations

from ceiba.families.rpart.options import RPART_OPTIONS as RPART_OPTIONS
