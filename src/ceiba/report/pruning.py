"""What the prune slider needs: the alpha at which each node collapses, and the pruning table.

The page shows any tree of the sequence by hiding what lies below nodes whose alpha is passed. The
table of a fitted model may begin with larger trees than the one that was kept; the page then draws
their risks and says that their nodes are not there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ceiba.errors import CeibaError
from ceiba.listing import Listing
from ceiba.prune.cost_complexity import Risk, collapse_alpha, pruning_sequence
from ceiba.prune.pruning_table import choose_step, unit_of
from ceiba.report.numbers import exact
from ceiba.tree import Tree


def pruning_columns(
    tree: Tree, table: Listing | None = None, alpha: float | None = None
) -> dict[str, Any] | None:
    """Give the sequence of a tree, with cross-validated risks where a table has them."""
    steps = table if table is not None and {"alpha", "n_leaves"} <= set(table.columns) else None
    kind: Risk = "impurity" if tree.n_outputs > 1 else "cost"
    if steps is not None and "impurity" in steps:
        kind = "impurity"
    try:
        node_alpha = collapse_alpha(tree, risk=kind)
        sequence = pruning_sequence(tree, risk=kind)
    except CeibaError:
        return None
    part: dict[str, Any] = {
        "kind": kind,
        "unit": "impurity" if kind == "impurity" else _unit(tree),
        "unit_text": unit_of(tree, kind),
        "node_alpha": exact(node_alpha),
        "alpha": exact(sequence.alpha),
        "n_leaves": sequence.n_leaves.tolist(),
        "risk": exact(sequence.risk),
        "start": None if alpha is None else float(alpha),
    }
    if steps is not None:
        part["alpha"] = exact(steps["alpha"])
        part["n_leaves"] = steps["n_leaves"].tolist()
        if "risk" in steps:
            part["risk"] = exact(steps["risk"])
        if "cv_risk" in steps and np.isfinite(steps["cv_risk"]).all():
            part |= _cross_validated(steps)
    return part


def _cross_validated(steps: Listing) -> dict[str, Any]:
    risk, se = steps["cv_risk"], steps["cv_se"]
    chosen = np.flatnonzero(steps["chosen"]).tolist() if "chosen" in steps else []
    return {
        "cv_risk": exact(risk),
        "cv_se": exact(se),
        "minimum": choose_step(risk, se, "min"),
        "one_se": choose_step(risk, se, "1se"),
        "chosen": chosen[0] if chosen else None,
        "title": steps.title,
    }


def _unit(tree: Tree) -> str:
    if tree.task.is_regression("The report"):
        return tree.criterion
    return "error" if tree.cost_matrix is None else "cost"
