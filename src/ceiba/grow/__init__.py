"""Growing a tree: options, the problem (table, target, weights, options), and the growers."""

from __future__ import annotations

from ceiba.grow.core_options import Place
from ceiba.grow.option_objects import Chaid, GainRatio, Multiway, Significance, Surrogates
from ceiba.grow.options import (
    OPTIONS,
    GrowOptions,
    RpartRules,
    resolve_max_features,
    resolve_min_leaf,
    resolve_min_split,
)
from ceiba.grow.problem import Problem
from ceiba.grow.threads import n_cores, n_threads

__all__ = [
    "OPTIONS",
    "Chaid",
    "GainRatio",
    "GrowOptions",
    "Multiway",
    "Place",
    "Problem",
    "RpartRules",
    "Significance",
    "Surrogates",
    "n_cores",
    "n_threads",
    "resolve_max_features",
    "resolve_min_leaf",
    "resolve_min_split",
]
