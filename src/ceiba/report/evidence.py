"""Training or held-out rows counted at each node: class counts, or weight, mean and variance.

One routing of all rows, then counts summed up the tree (`Tree.recount`). Every metric of every
pruned tree is a sum over its leaves of these figures, so the page needs no rows and no refit:
squared error of a leaf that says v is weight * (variance + (mean - v)^2), which does not lose
digits to a large common offset as a sum of squares would.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ceiba.errors import OptionError
from ceiba.report.numbers import exact, whole
from ceiba.table import Scan, Table
from ceiba.table.scanning.scan import ScannedTable
from ceiba.table.targets.split_target import split_target
from ceiba.tree import Tree
from ceiba.tree.routing import route

_BYTES_PER_ROW: Final = 40  # target, node, place among the rows of its node, one column


def fits_into_memory(scan: Scan) -> bool:
    """Return whether a report can show the training rows of a scan."""
    return _BYTES_PER_ROW * scan.n_rows <= scan.memory


def check_memory(table: Table) -> None:
    """Refuse training rows that a report cannot show, column by column."""
    if isinstance(table, ScannedTable) and not fits_into_memory(table.scan):
        needed, memory = _BYTES_PER_ROW * table.n_rows, table.scan.memory
        raise OptionError(
            f"train of a report takes {needed / 1e9:.3g} GB for {table.n_rows:,} rows, and "
            f"memory is {memory / 1e9:.3g} GB. Give more, or a sample of the rows."
        )


def rows_and_target(tree: Tree, data: Any) -> tuple[Table, Any]:
    """Read (X, y), a frame with the name of its target, or a frame that holds the target."""
    X, y = data if isinstance(data, tuple | list) and len(data) == 2 else (data, tree.target.name)
    if isinstance(y, str):
        X, y = split_target(X, y)
    return route.read(tree, X), y


def evidence(tree: Tree, table: Table, y: Any, output: int = 0) -> dict[str, Any]:
    """Return the counts, or the moments, of rows at each node."""
    counted = tree.recount(table, y)
    figures: dict[str, Any] = {"n_rows": whole(counted.n_rows)}
    if tree.task.is_classification("The report"):
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
