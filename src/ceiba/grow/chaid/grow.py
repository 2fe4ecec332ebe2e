"""Growing by tests: `criterion="chi2"`, "likelihood_ratio" or "f_test" (CHAID).

Every node is split by the column that depends on the target most significantly, after its
categories were merged into groups that differ (`merge.py`); the tree stops where nothing is
significant. The nodes' impurity is gini, or squared error: a test values splits, not nodes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ceiba.criteria import DEFAULT_CRITERION
from ceiba.grow.chaid.rows import RowChooser
from ceiba.grow.planting import plant
from ceiba.table.weights import exact_sum
from ceiba.tree import Tree

if TYPE_CHECKING:
    from ceiba.grow.core_options import Place
    from ceiba.grow.problem import Problem


def grow_by_tests(
    problem: Problem, rows: npt.NDArray[np.uint32] | None, below: Place | None
) -> Tree:
    """Grow a tree by CHAID on all rows or on some."""
    table, target, options, weight = problem.table, problem.target, problem.options, problem.weight
    here = np.arange(table.n_rows) if rows is None else rows.astype(np.intp)
    if weight is not None:
        here = here[weight[here] > 0]
    n_rows, total, depth = len(here), float(len(here)), 0
    if below is not None:
        n_rows, total, depth = below.n_rows, below.weight, below.depth
    elif weight is not None:
        total = exact_sum(weight[here])
    chooser = RowChooser(
        table, target, weight, here, options=options, n_rows=n_rows, total=total, depth=depth
    )
    tree = plant(
        table,
        target,
        chooser,
        weight=weight,
        rows=here,
        criterion=options.task.of(DEFAULT_CRITERION, "CHAID"),
        unseen=options.unseen,
    )
    if options.missing == "error":
        tree = replace(tree, missing="error")
    if options.frequency_weights:
        tree = replace(tree, n_rows=np.rint(tree.weight).astype(np.int64))
    return tree
