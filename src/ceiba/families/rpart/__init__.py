"""The trees of R's rpart: estimators, complexity, cross-validation and printed figures."""

from __future__ import annotations

from ceiba.families.rpart.options import RPART_OPTIONS as RPART_OPTIONS
