"""Growing a tree: options, the problem (table, target, weights, options), and the growers."""

from __future__ import annotations

from ceiba.grow.grow import grow
from ceiba.grow.options import (
    ALLOWED,
    GrowOptions,
    resolve_max_features,
    resolve_min_leaf,
    resolve_min_split,
)
from ceiba.grow.problem import Problem
from ceiba.grow.threads import n_cores, n_threads

__all__ = [
    "ALLOWED",
    "GrowOptions",
    "Problem",
    "grow",
    "n_cores",
    "n_threads",
    "resolve_max_features",
    "resolve_min_leaf",
    "resolve_min_split",
]
