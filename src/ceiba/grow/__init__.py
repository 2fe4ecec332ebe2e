"""Growing a tree: options, the problem (table, target, weights, options), and the growers."""

from __future__ import annotations

from ceiba.grow.leaf_values import Honest, MEstimate, Shrinkage
from ceiba.grow.option_objects import (
    Chaid,
    GainRatio,
    Lookahead,
    Multiway,
    Optimal,
    Significance,
    Surrogates,
)
from ceiba.grow.search_grower import Alternative, Alternatives
from ceiba.tree.certificate import Certificate

__all__ = [
    "Alternative",
    "Alternatives",
    "Certificate",
    "Chaid",
    "GainRatio",
    "Honest",
    "Lookahead",
    "MEstimate",
    "Multiway",
    "Optimal",
    "Shrinkage",
    "Significance",
    "Surrogates",
]
