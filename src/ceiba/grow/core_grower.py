"""The core's search: options become numbers, the core grows, its arrays become a Tree.

The core knows weights, counts and impurities. What follows from priors and costs (class
probabilities, risks; see `priors.py`) is derived here from the counts of the grown nodes, so the
definitions stand in one readable place. R(t) of a regression node is its impurity (with shrunken
rates its loss, see `rates.py`) times its share of the weight. Several outputs have no single risk:
NaN for classification.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.criteria import ALIASES
from ceiba.grow.core_options import Place, core_options
from ceiba.grow.limits import added_loss, within
from ceiba.grow.priors import ClassScales, fill_empty, node_risk, node_value
from ceiba.grow.rates import shrunken_rates
from ceiba.grow.units import AS_THEY_ARE, Units
from ceiba.tree import CompetitorTable, SplitTable, SurrogateTable, Tree

if TYPE_CHECKING:
    from ceiba.grow.grow_options import GrowOptions
    from ceiba.grow.problem import Problem

Array = npt.NDArray[np.float64]


def grow_by_search(
    problem: Problem, rows: npt.NDArray[np.uint32] | None, below: Place | None
) -> Tree:
    """Grow a tree by the core's search."""
    table, target, options, weight = problem.table, problem.target, problem.options, problem.weight
    scales = problem.scales
    if weight is None and options.task == "classification":
        units, core_target, core_weight = AS_THEY_ARE, target.values, None
    else:
        units = Units.of(target.values, weight)
        core_target, core_weight = units.shrink_target(target.values), units.shrink_weight(weight)
    core = core_options(table, options, core_weight, scales, rows)
    if below is not None:
        below.set(core, options, units)
    if options.task == "classification":
        n_classes = [len(labels) for labels in target.info.classes]
        arrays = _core.grow_classes(table.core(), core_target, n_classes, core_weight, core, rows)
    else:
        arrays = _core.grow_numbers(
            table.core(), core_target, core_weight, core, rows, problem.case_weight
        )
    return tree_of(arrays, problem, units, below)


def tree_of(arrays: _core.TreeArrays, problem: Problem, units: Units, below: Place | None) -> Tree:
    """Make a tree of the arrays that the core has grown for a problem."""
    table, target, options, scales = problem.table, problem.target, problem.options, problem.scales
    known = {
        "schema": table.schema.with_target(target.info),
        "surrogates": None,
        "competitors": None,
        "criterion": ALIASES.get(options.criterion_name, options.criterion_name),
        "missing": options.missing_rule,
        "unseen": options.unseen,
        "cost_matrix": scales.costs,
        "class_prior": scales.prior,
    }
    n_outputs = target.info.n_outputs

    def rest() -> dict[str, Any]:
        """Give the arrays, when they are asked for; nothing here refers to the table."""
        grown = units.restore(
            arrays.views(), options.criterion_name, classes=options.task == "classification"
        )
        return _assemble(grown, n_outputs, options, scales, below)

    if options.missing_rule == "surrogate" or options.max_competitors:
        return Tree(**{**known, **rest()})
    tree = Tree.later(known, rest)
    if scales.factor is None and scales.costs is None:
        tree.__dict__["_left_by_first_column"] = arrays.left_by_first_column()
    return tree


def _assemble(
    grown: dict[str, Any],
    n_outputs: int,
    options: GrowOptions,
    scales: ClassScales,
    below: Place | None,
) -> dict[str, Any]:
    """Give the arrays of a tree: those of the core, and what is derived from them."""
    weight, impurity = grown["weight"], grown["impurity"]
    whole = weight[0] if below is None else below.weight
    shape = (len(weight), n_outputs, -1)
    value, counts, limited = grown["value"].reshape(shape), None, grown["limited"]
    if options.task == "regression":
        if options.empty_branches:
            value = fill_empty(value.copy(), grown["parent"], weight)
            if len(limited):
                limited = fill_empty(limited.copy(), grown["parent"], weight)
        loss = impurity
        if len(limited):
            loss = loss + added_loss(options.criterion_name, value[:, 0, 0], limited)
            value = limited.reshape(shape) + 0.0  # no -0.0
        if options.rpart is not None and options.rpart.shrink:
            rate, loss = shrunken_rates(value[:, 0, 0], weight, loss, options.rpart.shrink)
            value = rate.reshape(shape)
        with np.errstate(over="ignore", invalid="ignore"):  # squares beyond float64; no weight
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
        "surrogates": _surrogates(grown, options) if options.missing_rule == "surrogate" else None,
        "competitors": _competitors(grown) if options.max_competitors else None,
    }


def _rows_counted(grown: dict[str, Any], options: GrowOptions) -> npt.NDArray[np.int64]:
    """Count the rows of each node; with frequency weights a weight of k is k rows."""
    n_rows: npt.NDArray[np.int64] = grown["n_rows"]
    return np.rint(grown["weight"]).astype(np.int64) if options.frequency_weights else n_rows


def _surrogates(grown: dict[str, Any], options: GrowOptions) -> SurrogateTable:
    return SurrogateTable(
        grown["surrogate_start"],
        SplitTable(**grown["surrogates"]),
        grown["agreement"],
        grown["adjusted"],
        grown["surrogate_sent"],
        options.use_surrogate > 0,
    )


def _competitors(grown: dict[str, Any]) -> CompetitorTable:
    return CompetitorTable(
        grown["competitor_start"], SplitTable(**grown["competitors"]), grown["competitor_gain"]
    )
