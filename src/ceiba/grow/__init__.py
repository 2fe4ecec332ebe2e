"""Growing a tree: options, the problem (table, target, weights, options), and the growers."""

from __future__ import annotations

from ceiba.grow.core_options import Place
from ceiba.grow.grow_options import (
    OPTIONS,
    GrowOptions,
    resolve_max_features,
    resolve_min_leaf,
    resolve_min_split,
)
from ceiba.grow.leaves.honest import Honest
from ceiba.grow.leaves.smoothed import MEstimate, Shrinkage
from ceiba.grow.option_objects import Chaid, GainRatio, Multiway, Significance, Surrogates
from ceiba.grow.options import RpartRules
from ceiba.grow.problem import Problem
from ceiba.grow.search.alternatives import Alternative, Alternatives, find_alternatives
from ceiba.grow.search.options import Lookahead, Optimal
from ceiba.tree.certificate import Certificate

__all__ = [
    "OPTIONS",
    "Alternative",
    "Alternatives",
    "Certificate",
    "Chaid",
    "GainRatio",
    "GrowOptions",
    "Honest",
    "Lookahead",
    "MEstimate",
    "Multiway",
    "Optimal",
    "Place",
    "Problem",
    "RpartRules",
    "Shrinkage",
    "Significance",
    "Surrogates",
    "find_alternatives",
    "resolve_max_features",
    "resolve_min_leaf",
    "resolve_min_split",
]
