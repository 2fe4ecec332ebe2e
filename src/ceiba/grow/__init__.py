"""Growing a tree: options, the problem (table, target, weights, options), and the growers."""

from __future__ import annotations

from ceiba.grow.combinations import check_combinations as check_combinations
from ceiba.grow.combinations import check_counts as check_counts
from ceiba.grow.combinations import needs_dense as needs_dense
from ceiba.grow.combinations import needs_one_output as needs_one_output
from ceiba.grow.combinations import needs_present as needs_present
from ceiba.grow.core_grower import AS_THEY_ARE as AS_THEY_ARE
from ceiba.grow.core_grower import Place as Place
from ceiba.grow.core_grower import Units as Units
from ceiba.grow.core_grower import core_options as core_options
from ceiba.grow.core_grower import per_column as per_column
from ceiba.grow.core_grower import read_monotonic as read_monotonic
from ceiba.grow.core_grower import resolve_max_features as resolve_max_features
from ceiba.grow.core_grower import resolve_min_leaf as resolve_min_leaf
from ceiba.grow.core_grower import resolve_min_split as resolve_min_split
from ceiba.grow.core_grower import set_sizes as set_sizes
from ceiba.grow.core_grower import tree_of as tree_of
from ceiba.grow.leaf_values import LEAF_VALUES as LEAF_VALUES
from ceiba.grow.leaf_values import Honest, MEstimate, Shrinkage
from ceiba.grow.leaf_values import expand_leaf_values as expand_leaf_values
from ceiba.grow.leaf_values import honest_parts as honest_parts
from ceiba.grow.leaf_values import honest_values as honest_values
from ceiba.grow.leaf_values import limited as limited
from ceiba.grow.leaf_values import merge_equal_siblings as merge_equal_siblings
from ceiba.grow.leaf_values import smooth as smooth
from ceiba.grow.leaf_values import smoothed_values as smoothed_values
from ceiba.grow.leaf_values import strength_of as strength_of
from ceiba.grow.option_objects import (
    Chaid,
    GainRatio,
    Lookahead,
    Multiway,
    Optimal,
    Significance,
    Surrogates,
)
from ceiba.grow.option_objects import RpartRules as RpartRules
from ceiba.grow.option_objects import expand as expand
from ceiba.grow.options import OPTIONS as OPTIONS
from ceiba.grow.options import GrowOptions as GrowOptions
from ceiba.grow.priors import altered_scale as altered_scale
from ceiba.grow.priors import search_mass as search_mass
from ceiba.grow.problem import Problem as Problem
from ceiba.grow.problem import counts_parts as counts_parts
from ceiba.grow.problem import repeat_rows as repeat_rows
from ceiba.grow.search_grower import Alternative, Alternatives
from ceiba.grow.search_grower import find_alternatives as find_alternatives
from ceiba.tree import Certificate

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
