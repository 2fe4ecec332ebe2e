"""Growing: options, the criteria by name, and `grow(table, target, options) -> Tree`."""

from __future__ import annotations

from ceiba.grow.checks import Check, ParameterError, check_options
from ceiba.grow.criteria import ALIASES, CRITERIA, Criterion, criterion_named, criterion_names
from ceiba.grow.grow import grow
from ceiba.grow.options import (
    ALLOWED,
    GrowOptions,
    resolve_max_features,
    resolve_min_leaf,
    resolve_min_split,
)
from ceiba.grow.threads import n_cores, n_threads

__all__ = [
    "ALIASES",
    "ALLOWED",
    "CRITERIA",
    "Check",
    "Criterion",
    "GrowOptions",
    "ParameterError",
    "check_options",
    "criterion_named",
    "criterion_names",
    "grow",
    "n_cores",
    "n_threads",
    "resolve_max_features",
    "resolve_min_leaf",
    "resolve_min_split",
]
