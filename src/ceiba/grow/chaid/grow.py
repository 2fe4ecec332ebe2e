"""Growing by tests: `criterion="chi2"`, "likelihood_ratio" or "f_test" (CHAID).

Every node is split by the column that depends on the target most significantly, after its
categories were merged into groups that differ (`merge.py`); the tree stops where nothing is
significant. The nodes' impurity is gini, or squared error: a test values splits, not nodes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError
from ceiba.grow.chaid.choose import Chooser
from ceiba.grow.planting import plant
from ceiba.options.checks import refuse_unless_idle

if TYPE_CHECKING:
    from ceiba.grow.grow import Place
    from ceiba.grow.options import GrowOptions
    from ceiba.table import Table, Target
    from ceiba.tree import Tree

__all__ = ["grow_by_tests"]

# Options of growing that have no meaning with tests, and their idle values.
_WITHOUT: Final[dict[str, Any]] = {
    "splitter": "best",
    "max_features": None,
    "max_leaf_nodes": None,
    "min_impurity_decrease": 0.0,
    "min_gain_ratio": 0.0,
    "monotonic_cst": None,
    "class_prior": None,
    "cost_matrix": None,
    "column_cost": None,
    "empty_branches": False,
    "cuts": "midpoint",
    "max_competitors": 0,
}


def grow_by_tests(
    table: Table,
    target: Target,
    options: GrowOptions,
    weight: npt.NDArray[np.float64] | None,
    rows: npt.NDArray[np.uint32] | None,
    place: Place | None,
) -> Tree:
    """Grow a tree by CHAID on all rows or on some."""
    _refuse(target, options)
    here = np.arange(table.n_rows) if rows is None else rows.astype(np.intp)
    if weight is not None:
        here = here[weight[here] > 0]
    depth = 0 if place is None else place.depth
    n_rows = len(here) if place is None else place.n_rows
    if place is not None:
        total = place.weight
    else:
        total = float(n_rows if weight is None else weight[here].sum())
    chooser = Chooser(
        table, target, weight, here, options=options, n_rows=n_rows, total=total, depth=depth
    )
    tree = plant(
        table,
        target,
        chooser,
        weight=weight,
        rows=here,
        criterion="gini" if options.task == "classification" else "squared_error",
        unseen=options.unseen,
    )
    if options.missing == "error":
        tree = replace(tree, missing="error")
    if options.frequency_weights:
        tree = replace(tree, n_rows=np.rint(tree.weight).astype(np.int64))
    return tree


def _refuse(target: Target, options: GrowOptions) -> None:
    refuse_unless_idle(
        options, _WITHOUT, f"criterion={options.criterion!r} chooses splits by tests"
    )
    if options.missing not in ("learn", "error"):
        raise OptionError(
            f"criterion={options.criterion!r} takes missing values for a category of their own: "
            f"missing={options.missing!r} has no meaning with it. Use missing='learn'."
        )
    if target.info.n_outputs > 1:
        raise OptionError(
            f"criterion={options.criterion!r} needs a target with one output; this one has "
            f"{target.info.n_outputs}. Fit one tree per output."
        )
