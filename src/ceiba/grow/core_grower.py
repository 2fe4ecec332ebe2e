"""The core's search: options become numbers, the core grows, its arrays become a Tree.

What follows from the arrays under priors and costs is derived by the tree (`ceiba.tree.grown`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.criteria import ALIASES
from ceiba.grow.core_options import Place, core_options
from ceiba.grow.units import AS_THEY_ARE, Units
from ceiba.tree import Tree
from ceiba.tree.grown import Grown
from ceiba.tree.tree import tree_of_grown

if TYPE_CHECKING:
    from ceiba.grow.problem import Problem


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


def grow_on_each(problem: Problem, parts: Sequence[npt.NDArray[np.uint32]]) -> list[Tree]:
    """Grow a tree on each of several sets of rows without weights, by one call of the core."""
    target, options = problem.target, problem.options
    core = core_options(problem.table, options, None, problem.scales, None)
    rows, ends = np.concatenate(parts), np.cumsum([len(part) for part in parts])
    units, columns = AS_THEY_ARE, problem.table.core()
    if options.task == "classification":
        n_classes = [len(labels) for labels in target.info.classes]
        grown = _core.grow_on_each(columns, target.values, n_classes, core, rows, ends)
    else:
        units = Units.of(target.values, None)
        grown = _core.grow_on_each(columns, units.shrink_target(target.values), core, rows, ends)
    return [tree_of(arrays, problem, units, None) for arrays in grown]


def tree_of(arrays: _core.TreeArrays, problem: Problem, units: Units, below: Place | None) -> Tree:
    """Make a tree of the arrays that the core has grown for a problem."""
    target, options, scales = problem.target, problem.options, problem.scales
    return tree_of_grown(
        Grown(
            arrays,
            options.value_rules,
            target.info.n_outputs,
            units.target,
            units.weight,
            scales.factor,
            scales.costs,
            None if below is None else below.weight,
        ),
        schema=problem.table.schema.with_target(target.info),
        criterion=ALIASES.get(options.criterion_name, options.criterion_name),
        missing=options.missing_rule,
        unseen=options.unseen,
        cost_matrix=scales.costs,
        class_prior=scales.prior,
    )
