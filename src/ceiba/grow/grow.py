"""Grow a tree: options become numbers, the core grows, the arrays become a Tree.

The core knows weights, counts and impurities. What follows from priors and costs (class
probabilities, risks; see `priors.py`) is derived here from the counts of the grown nodes, so the
definitions stand in one readable place. R(t) of a regression node is its impurity (with shrunken
rates its loss, see `rates.py`) times its share of the weight. Several outputs have no single risk:
NaN for classification.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.criteria import ALIASES, TEST_CRITERIA
from ceiba.errors import DataError, OptionError
from ceiba.grow.bins import check_bins
from ceiba.grow.chaid.grow import grow_by_tests
from ceiba.grow.gain_ratio import SLACK, check_gain_ratio
from ceiba.grow.limits import added_loss, within
from ceiba.grow.options import (
    GrowOptions,
    resolve_max_features,
    resolve_min_leaf,
    resolve_min_split,
)
from ceiba.grow.per_column import read_column_cost, read_monotonic
from ceiba.grow.priors import (
    altered_scale,
    class_factor,
    fill_empty,
    node_risk,
    node_value,
    read_costs,
    read_prior,
)
from ceiba.grow.rates import shrunken_rates
from ceiba.grow.threads import n_threads
from ceiba.grow.units import Units
from ceiba.tree import Competitors, SplitTable, Surrogates, Tree

if TYPE_CHECKING:
    from ceiba.table import Table, Target

__all__ = ["ClassScales", "Place", "class_scales", "core_options", "grow"]

Array = npt.NDArray[np.float64]


def grow(
    table: Table,
    target: Target,
    options: GrowOptions,
    weight: Array | None = None,
    *,
    rows: npt.NDArray[np.uint32] | None = None,
    place: Place | None = None,
    case_weight: Array | None = None,
    scales: ClassScales | None = None,
) -> Tree:
    """Grow a tree on a table, or on a part of its rows.

    Parameters
    ----------
    table : Table
        The columns, as `ceiba.table.read` gives them.
    target : Target
        What to predict, as `ceiba.table.read_target` gives it.
    options : GrowOptions
    weight : float64 array of shape (n_rows,), optional
        Weight of each row, at least 0.
    rows : uint32 array, optional
        Positions of the rows to grow on, ascending; the table is not copied. Sizes given as
        fractions are fractions of these rows; what priors and costs do to a class is reckoned from
        all rows.
    place : Place, optional
        Where in a larger tree the new one will stand.
    case_weight : float64 array of shape (n_rows,), optional
        Regression: weight of each row where it is sent by surrogates or with the majority, if
        `weight` is another one. For rates, `weight` is this times the observation time.
    scales : ClassScales, optional
        What priors and costs do to each class, where other weights than these decide it.

    Returns
    -------
    Tree

    Examples
    --------
    >>> from ceiba.grow import GrowOptions, grow
    >>> from ceiba.table import read, read_target
    >>> table = read({"x": [1.0, 2.0, 3.0, 4.0]})
    >>> target = read_target(["a", "a", "b", "b"], task="classification", n_rows=4)
    >>> grow(table, target, GrowOptions(task="classification")).splits.cut[0]
    np.float64(2.5)
    """
    if target.info.task != options.task:
        raise OptionError(f"The target is for {target.info.task}, the options for {options.task}.")
    _refuse_bad_target(target, options)
    if options.criterion == "gain_ratio":
        check_gain_ratio(table, target, options)
    if options.missing == "error":
        _refuse_missing(table)
    if options.criterion in TEST_CRITERIA:
        return grow_by_tests(table, target, options, weight, rows, place)
    if options.max_bins is not None:
        check_bins(target, options)
    scales = class_scales(target, options, weight) if scales is None else scales
    if weight is None and options.task == "classification":
        units, core_target, core_weight = _AS_THEY_ARE, target.values, None
    else:
        units = Units.of(target.values, weight)
        core_target, core_weight = units.shrink_target(target.values), units.shrink_weight(weight)
    core = core_options(table, options, core_weight, scales, rows)
    if place is not None:
        place.set(core, options, units)
    if options.task == "classification":
        n_classes = [len(labels) for labels in target.info.classes]
        arrays = _core.grow_classes(table.core(), core_target, n_classes, core_weight, core, rows)
    else:
        arrays = _core.grow_numbers(table.core(), core_target, core_weight, core, rows, case_weight)
    known = {
        "schema": table.schema.with_target(target.info),
        "surrogates": None,
        "competitors": None,
        "criterion": ALIASES.get(options.criterion, options.criterion),
        "missing": options.missing,
        "unseen": options.unseen,
        "cost_matrix": scales.costs,
        "class_prior": scales.prior,
    }
    n_outputs = target.info.n_outputs

    def rest() -> dict[str, Any]:
        """Give the arrays, when they are asked for; nothing here refers to the table."""
        grown = units.restore(
            arrays.views(), options.criterion, classes=options.task == "classification"
        )
        return _assemble(grown, n_outputs, options, scales, place)

    if options.missing == "surrogate" or options.max_competitors:
        return Tree(**{**known, **rest()})
    return Tree.later(known, rest)


_AS_THEY_ARE = Units()


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
    """

    depth: int
    n_rows: int
    weight: float
    share: float
    seed: int
    leaves: int = 0
    low: float = -inf
    high: float = inf

    def set(self, core: _core.GrowOptions, options: GrowOptions, units: Units) -> None:
        """Set the options of the core that depend on the place, in the core's units."""
        if options.max_leaf_nodes is not None:
            core.max_leaf_nodes = max(options.max_leaf_nodes - self.leaves, 1)
        if options.max_depth is not None:
            core.max_depth = max(options.max_depth - self.depth, 0)
        core.min_gain = options.min_impurity_decrease / self.share
        core.seed = self.seed
        core.low, core.high = np.ldexp([self.low, self.high], -units.target).tolist()
        _set_sizes(core, options, self.n_rows, float(np.ldexp(self.weight, -units.weight)))


@dataclass(frozen=True)
class ClassScales:
    """What priors and costs do to each class; all None when neither is given.

    Attributes
    ----------
    prior, costs : arrays or None
        Class priors and the cost matrix.
    factor : array or None
        q(k), by which a weighted count becomes a prior-adjusted one.
    search : array or None
        Factor of each class's weight in the split search (altered priors).
    """

    prior: Array | None = None
    costs: Array | None = None
    factor: Array | None = None
    search: Array | None = None


def class_scales(target: Target, options: GrowOptions, weight: Array | None) -> ClassScales:
    """Read priors and costs, and give what they do to each class of the target."""
    if options.class_prior is None and options.cost_matrix is None:
        return ClassScales()
    given = "class_prior" if options.class_prior is not None else "cost_matrix"
    if options.task != "classification":
        raise OptionError(f"{given} is for classification; this is a regression tree.")
    if target.info.n_outputs > 1:
        raise OptionError(
            f"{given} needs a target with one output; this one has {target.info.n_outputs}. "
            "Fit one tree per output."
        )
    classes = target.info.classes[0]
    prior = read_prior(options.class_prior, classes)
    costs = read_costs(options.cost_matrix, classes)
    totals = np.bincount(target.values[:, 0], weights=weight, minlength=len(classes)).astype(float)
    return ClassScales(
        prior,
        costs,
        class_factor(totals, prior, classes),
        altered_scale(totals, prior, costs),
    )


def _refuse_bad_target(target: Target, options: GrowOptions) -> None:
    if options.criterion == "poisson":
        _refuse_bad_counts(target.values)
    if target.info.n_outputs > 1:
        if options.missing == "surrogate":
            raise OptionError(
                "missing='surrogate' needs a target with one output; this one has "
                f"{target.info.n_outputs}. Use missing='learn', or fit one tree per output."
            )
        if options.monotonic_cst is not None:
            raise OptionError("Monotonicity constraints are not supported with multiple outputs.")
    elif (
        options.monotonic_cst is not None
        and options.task == "classification"
        and len(target.info.classes[0]) > 2
    ):
        raise OptionError(
            "Monotonicity constraints are not supported with multiclass classification: they "
            f"need two classes, the target has {len(target.info.classes[0])}."
        )


def _refuse_missing(table: Table) -> None:
    for column in table.columns:
        missing = column.missing
        if missing.any():
            raise DataError(
                f"Column {column.info.name!r}: {np.count_nonzero(missing)} values are missing "
                f"(first in row {int(np.argmax(missing))}), and missing='error' was asked for. "
                "Fill them in, or use missing='learn'."
            )


def _refuse_bad_counts(values: npt.NDArray[Any]) -> None:
    """Refuse what has no Poisson deviance (scikit-learn's words)."""
    if (values < 0).any():
        row = int(np.argmax((values < 0).any(axis=1)))
        raise DataError(
            "Some value(s) of y are negative which is not allowed for Poisson regression "
            f"(first in row {row}). Use criterion='squared_error'."
        )
    if (values.sum(axis=0) <= 0).any():
        raise DataError("Sum of y is not positive which is necessary for Poisson regression.")


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
        total_weight = float(weight.sum() if rows is None else weight[rows].sum())
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
    if options.min_risk >= 0 or options.min_risk_ratio >= 0:
        _set_risk(core, options, scales)
    _set_sizes(core, options, n_rows, total_weight)
    return core


def _for_any_table(options: GrowOptions) -> _core.GrowOptions:
    """Set what does not depend on the table."""
    core = _core.GrowOptions()
    core.set_criterion(ALIASES.get(options.criterion, options.criterion))
    core.set_missing(options.missing)
    core.max_depth = -1 if options.max_depth is None else options.max_depth
    core.max_leaf_nodes = -1 if options.max_leaf_nodes is None else options.max_leaf_nodes
    core.min_gain = options.min_impurity_decrease
    core.min_gain_ratio = options.min_gain_ratio
    if options.max_bins is not None:
        core.max_bins, core.approximate = options.max_bins, True
    core.random_splitter = options.splitter == "random"
    core.seed = options.seed
    core.multiway = options.categorical_splits == "multiway"
    core.empty_branches = options.empty_branches
    core.cuts_at_values = options.cuts == "value"
    core.max_surrogates = options.max_surrogates
    core.surrogate_style = options.surrogate_style
    core.use_surrogate = options.use_surrogate
    core.max_competitors = options.max_competitors
    core.keep_zero_weights = options.keep_zero_weights
    core.allow_zero_rate = options.allow_zero_rate
    core.like_rpart = options.like_rpart
    return core


def _set_risk(core: _core.GrowOptions, options: GrowOptions, scales: ClassScales) -> None:
    """Say what a node's risk is, and below which it is not split."""
    core.min_risk = max(options.min_risk, -1.0)
    core.min_risk_ratio = max(options.min_risk_ratio, -1.0)
    core.prior_events = 1.0 / options.shrink**2 if options.shrink else 0.0
    if scales.factor is not None or scales.costs is not None:
        size = len(scales.factor if scales.factor is not None else scales.costs)  # type: ignore[arg-type]
        costs = 1.0 - np.eye(size) if scales.costs is None else scales.costs
        costs = costs if scales.factor is None else scales.factor[:, None] * costs
        core.class_cost = costs.ravel().tolist()


def _set_sizes(
    core: _core.GrowOptions, options: GrowOptions, n_rows: int, total_weight: float
) -> None:
    """Set the rules that count rows; with frequency weights a weight of k is k rows."""
    core.min_weight_leaf = options.min_weight_fraction_leaf * total_weight
    n = total_weight if options.frequency_weights else n_rows
    min_leaf = resolve_min_leaf(options.min_samples_leaf, n)
    min_split = resolve_min_split(options.min_samples_split, min_leaf, n)
    if options.criterion == "gain_ratio":
        core.min_branch = float(min_leaf)
        core.min_weight_split = float(min_split) - SLACK
        return
    if not options.frequency_weights:
        core.min_samples_leaf = min_leaf
        core.min_samples_split = min_split
        return
    core.min_weight_leaf = max(core.min_weight_leaf, float(min_leaf))
    core.min_weight_split = float(min_split)


def _assemble(
    grown: dict[str, Any],
    n_outputs: int,
    options: GrowOptions,
    scales: ClassScales,
    place: Place | None,
) -> dict[str, Any]:
    """Give the arrays of a tree: those of the core, and what is derived from them."""
    weight, impurity = grown["weight"], grown["impurity"]
    whole = weight[0] if place is None else place.weight
    shape = (len(weight), n_outputs, -1)
    value, counts, limited = grown["value"].reshape(shape), None, grown["limited"]
    if options.task == "regression":
        loss = impurity
        if len(limited):
            loss = loss + added_loss(options.criterion, value[:, 0, 0], limited)
            value = limited.reshape(shape)
        if options.shrink:
            rate, loss = shrunken_rates(value[:, 0, 0], weight, loss, options.shrink)
            value = rate.reshape(shape)
        risk = loss * weight / whole
    else:
        counts = value
        answers = within(counts, limited) if len(limited) else counts
        value = node_value(answers, scales.factor)
        if options.empty_branches:
            value = fill_empty(value, grown["parent"], weight)
        if n_outputs == 1:
            by = answers[:, 0, :] if len(limited) else None
            risk = node_risk(counts[:, 0, :], scales.factor, scales.costs, by) / whole
        else:
            risk = np.full(len(weight), np.nan)
    return {
        "parent": grown["parent"],
        "branch_start": grown["branch_start"],
        "branch_node": grown["branch_node"],
        "splits": SplitTable(**grown["splits"]),
        "default_branch": grown["default_branch"],
        "n_rows": _rows_counted(grown, options),
        "weight": weight,
        "impurity": impurity,
        "gain": grown["gain"],
        "value": value,
        "risk": risk,
        "sent_default": grown["sent_default"],
        "counts": counts,
        "surrogates": _surrogates(grown, options) if options.missing == "surrogate" else None,
        "competitors": _competitors(grown) if options.max_competitors else None,
    }


def _rows_counted(grown: dict[str, Any], options: GrowOptions) -> npt.NDArray[np.int64]:
    """Count the rows of each node; with frequency weights a weight of k is k rows."""
    n_rows: npt.NDArray[np.int64] = grown["n_rows"]
    return np.rint(grown["weight"]).astype(np.int64) if options.frequency_weights else n_rows


def _surrogates(grown: dict[str, Any], options: GrowOptions) -> Surrogates:
    return Surrogates(
        grown["surrogate_start"],
        SplitTable(**grown["surrogates"]),
        grown["agreement"],
        grown["adjusted"],
        grown["surrogate_sent"],
        options.use_surrogate > 0,
    )


def _competitors(grown: dict[str, Any]) -> Competitors:
    return Competitors(
        grown["competitor_start"], SplitTable(**grown["competitors"]), grown["competitor_gain"]
    )
