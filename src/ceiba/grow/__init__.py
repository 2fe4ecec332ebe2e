"""Grow trees from a `Problem`: a table, a target, weights and growing options."""

from __future__ import annotations

from ceiba.grow.combinations import check_combinations as check_combinations
from ceiba.grow.combinations import check_counts as check_counts
from ceiba.grow.combinations import dense_only_options as dense_only_options
from ceiba.grow.combinations import refuses_missing as refuses_missing
from ceiba.grow.combinations import single_output_options as single_output_options
from ceiba.grow.core_grower import PLAIN_UNITS as PLAIN_UNITS
from ceiba.grow.core_grower import SubtreeContext as SubtreeContext
from ceiba.grow.core_grower import Units as Units
from ceiba.grow.core_grower import allowed_columns as allowed_columns
from ceiba.grow.core_grower import core_options as core_options
from ceiba.grow.core_grower import grow_plain as grow_plain
from ceiba.grow.core_grower import read_interactions as read_interactions
from ceiba.grow.core_grower import read_monotonic as read_monotonic
from ceiba.grow.core_grower import read_per_column as read_per_column
from ceiba.grow.core_grower import resolve_max_features as resolve_max_features
from ceiba.grow.core_grower import resolve_min_leaf as resolve_min_leaf
from ceiba.grow.core_grower import resolve_min_split as resolve_min_split
from ceiba.grow.core_grower import set_sizes as set_sizes
from ceiba.grow.core_grower import set_survival_options as set_survival_options
from ceiba.grow.core_grower import survival_rates as survival_rates
from ceiba.grow.core_grower import tree_from_arrays as tree_from_arrays
from ceiba.grow.core_grower import with_survival_figures as with_survival_figures
from ceiba.grow.leaf_values import LEAF_VALUES as LEAF_VALUES
from ceiba.grow.leaf_values import Honest, MEstimate, Shrinkage
from ceiba.grow.leaf_values import apply_monotonic_limits as apply_monotonic_limits
from ceiba.grow.leaf_values import expand_leaf_values as expand_leaf_values
from ceiba.grow.leaf_values import fixed_strength as fixed_strength
from ceiba.grow.leaf_values import honest_values as honest_values
from ceiba.grow.leaf_values import merge_equal_siblings as merge_equal_siblings
from ceiba.grow.leaf_values import smooth as smooth
from ceiba.grow.leaf_values import smoothed_values as smoothed_values
from ceiba.grow.leaf_values import split_honest_rows as split_honest_rows
from ceiba.grow.option_objects import (
    Chaid,
    GainRatio,
    Lookahead,
    Multiway,
    Optimal,
    Quantile,
    Significance,
    Surrogates,
)
from ceiba.grow.option_objects import RpartRules as RpartRules
from ceiba.grow.option_objects import expand as expand
from ceiba.grow.options import OPTIONS as OPTIONS
from ceiba.grow.options import GrowOptions as GrowOptions
from ceiba.grow.priors import altered_scale as altered_scale
from ceiba.grow.priors import ordinal_costs as ordinal_costs
from ceiba.grow.priors import read_costs as read_costs
from ceiba.grow.priors import search_mass as search_mass
from ceiba.grow.problem import Problem as Problem
from ceiba.grow.problem import needs_repeated_rows as needs_repeated_rows
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
    "Quantile",
    "Shrinkage",
    "Significance",
    "Surrogates",
]
