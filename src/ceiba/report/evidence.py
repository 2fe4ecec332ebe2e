"""Training or held-out rows counted at each node: class counts, or weight, mean and variance.

One routing of all rows, then counts summed up the tree (`Tree.recount`). Every metric of every
pruned tree is a sum over its leaves of these figures, so the page needs no rows and no refit:
squared error of a leaf that says v is weight * (variance + (mean - v)^2), which does not lose
digits to a large common offset as a sum of squares would.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ceiba.report.numbers import exact, whole
from ceiba.table import Scan, Table, split_target
from ceiba.tree import Tree
from ceiba.tree.routing import route


def rows_and_target(tree: Tree, data: Any) -> tuple[Any, Any]:
    """Read (X, y), a frame with the name of its target, or a frame that holds the target.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.report.evidence import rows_and_target
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    >>> rows_and_target(tree, ({"x": [1.0]}, ["a"]))[0].n_rows
    1
    """
    X, y = data if isinstance(data, tuple | list) and len(data) == 2 else (data, tree.target.name)
    if isinstance(y, str):
        X, y = split_target(X, y)
    return X if isinstance(X, Scan) else route.read(tree, X), y


def evidence(tree: Tree, table: Table | Scan, y: Any, output: int = 0) -> dict[str, Any]:
    """Give the counts, or the moments, of rows at each node.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.report.evidence import evidence, rows_and_target
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    >>> evidence(tree, *rows_and_target(tree, ({"x": [1.0, 3.0]}, ["a", "a"])))["counts"]
    [2, 0, 1, 0, 1, 0]
    """
    counted = tree.recount(table, y)
    figures: dict[str, Any] = {"n_rows": whole(counted.n_rows)}
    if tree.task == "classification":
        assert counted.counts is not None
        n_classes = len(tree.target.classes[output])
        return {**figures, "counts": exact(counted.counts[:, output, :n_classes])}
    reached = counted.weight > 0
    figures["weight"] = exact(counted.weight)
    if tree.criterion == "squared_error":
        figures["mean"] = exact(np.where(reached, counted.value[:, output, 0], np.nan))
        figures["variance"] = exact(np.where(reached, counted.impurity, np.nan))
    else:
        kept = tree.recount(table, y, keep_value=True)
        safe = np.where(kept.share > 0, kept.share, 1.0)
        figures["loss"] = exact(np.where(reached, kept.risk / safe, np.nan))
    return figures
