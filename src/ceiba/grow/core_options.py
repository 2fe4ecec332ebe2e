"""The options of growing as the core takes them, for one table."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Final

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.criteria import ALIASES
from ceiba.grow.grow_options import (
    OPTIONS,
    GrowOptions,
    resolve_max_features,
    resolve_min_leaf,
    resolve_min_split,
)
from ceiba.grow.options import RpartRules, counted
from ceiba.grow.per_column import read_column_cost, read_monotonic
from ceiba.grow.priors import ClassScales
from ceiba.grow.units import Units
from ceiba.table import Table
from ceiba.table.weights import exact_sum
from ceiba.task import Task
from ceiba.tree.routing.threads import n_threads

Array = npt.NDArray[np.float64]

#: C4.5: weights this close are equal; parts of rows with missing values do not add up exactly.
_SLACK: Final = 1e-6


@dataclass(frozen=True)
class Place:
    """Where in a larger tree a new one will stand: its stop rules are those of the larger tree.

    Attributes
    ----------
    depth : int
        Depth of the node that the new tree replaces.
    n_rows : int
        Rows of the larger tree.
    weight : float
        Their total weight.
    share : float
        Share of the whole in the node, as the split search sees it.
    seed : int
        Seed of the node.
    leaves : int
        Leaves of the larger tree elsewhere, which `max_leaf_nodes` counts too.
    low, high : float
        Limits that monotone splits above have set to the values of the new tree.
    row_weight : float64 array, optional
        Weight of each row of the table here, where rows go down several branches by shares.
    """

    depth: int
    n_rows: int
    weight: float
    share: float
    seed: int
    leaves: int = 0
    low: float = -inf
    high: float = inf
    row_weight: Array | None = None

    def set(self, core: _core.GrowOptions, options: GrowOptions, units: Units) -> None:
        """Set the options of the core that depend on the place, in the core's units."""
        if options.max_leaf_nodes is not None:
            core.max_leaf_nodes = max(counted(options.max_leaf_nodes) - self.leaves, 1)
        if options.max_depth is not None:
            core.max_depth = max(counted(options.max_depth) - self.depth, 0)
        if options.min_impurity_decrease:
            core.min_gain = options.min_impurity_decrease / self.share if self.share else inf
        core.seed = self.seed
        core.low, core.high = np.ldexp([self.low, self.high], -units.target).tolist()
        set_sizes(core, options, self.n_rows, float(np.ldexp(self.weight, -units.weight)))


def core_options(
    table: Table,
    options: GrowOptions,
    weight: Array | None,
    scales: ClassScales,
    rows: npt.NDArray[np.uint32] | None,
) -> _core.GrowOptions:
    """Turn the options of growing into those of the core, for this table."""
    n_columns = table.n_columns
    n_rows = table.n_rows if rows is None else len(rows)
    if weight is None:
        total_weight = float(n_rows)
    else:
        total_weight = exact_sum(weight if rows is None else weight[rows])
    # Twenty settings cost six microseconds, half as much as the tree of a small table; a copy one.
    ready = options.__dict__.get("_core")
    if ready is None:
        ready = options.__dict__["_core"] = _for_any_table(options)
    core = _core.GrowOptions(ready)
    core.max_features = min(n_columns, resolve_max_features(options.max_features, n_columns))
    core.n_threads = n_threads(options.n_jobs, n_rows * n_columns)
    if options.monotonic_cst is not None:
        core.monotonic = read_monotonic(options.monotonic_cst, table.schema.names)
    if options.column_cost is not None:
        core.column_cost = read_column_cost(options.column_cost, table.schema.names)
    if scales.search is not None:
        core.class_scale = scales.search.tolist()
    if options.rpart is not None:
        _set_risk(core, options.rpart, scales)
    set_sizes(core, options, n_rows, total_weight)
    return core


def _for_any_table(options: GrowOptions) -> _core.GrowOptions:
    """Set what does not depend on the table."""
    core = _core.GrowOptions()
    core.set_criterion(ALIASES.get(options.criterion_name, options.criterion_name))
    core.set_missing(options.missing_rule)
    for name, row in OPTIONS[Task.CLASSIFICATION].items():
        if row.core is not None:
            value = getattr(options, name)
            setattr(core, row.core, value if row.to_core is None else row.to_core(value))
    if options.max_bins is not None:
        core.max_bins, core.approximate = options.max_bins, True
    core.seed = options.seed
    core.multiway = options.multiway
    core.empty_branches = options.empty_branches
    core.cuts_at_values = options.cuts_at_values
    core.max_surrogates = counted(options.surrogates.keep)
    core.surrogate_style = int(options.surrogates.agreement == "both")
    core.use_surrogate = options.use_surrogate
    core.weights_count_rows = options.frequency_weights
    if options.rpart is not None:
        core.min_gain_ratio = options.rpart.min_gain_ratio
        core.like_rpart = True
    return core


def _set_risk(core: _core.GrowOptions, rules: RpartRules, scales: ClassScales) -> None:
    """Say what a node's risk is, and below which it is not split."""
    core.min_risk = max(rules.min_risk, -1.0)
    core.min_risk_ratio = max(rules.min_risk_ratio, -1.0)
    core.prior_events = 1.0 / max(rules.shrink**2, 1e-300) if rules.shrink else 0.0
    if scales.factor is not None or scales.costs is not None:
        size = len(scales.factor if scales.factor is not None else scales.costs)  # type: ignore[arg-type]
        costs = 1.0 - np.eye(size) if scales.costs is None else scales.costs
        costs = costs if scales.factor is None else scales.factor[:, None] * costs
        core.class_cost = costs.ravel().tolist()


def set_sizes(
    core: _core.GrowOptions, options: GrowOptions, n_rows: int, total_weight: float
) -> None:
    """Set the rules that count rows; with frequency weights a weight of k is k rows."""
    core.min_weight_leaf = options.min_weight_fraction_leaf * total_weight
    n = total_weight if options.frequency_weights else n_rows
    min_leaf = resolve_min_leaf(options.min_samples_leaf, n)
    min_split = resolve_min_split(options.min_samples_split, min_leaf, n)
    if options.criterion_name == "gain_ratio":
        core.min_branch = float(min_leaf)
        core.min_weight_split = float(min_split) - _SLACK
        return
    if not options.frequency_weights:
        core.min_samples_leaf = min_leaf
        core.min_samples_split = min_split
        return
    core.min_weight_leaf = max(core.min_weight_leaf, float(min_leaf))
    core.min_weight_split = float(min_split)
