"""The columns of the first screen: at once from some rows, then from all of them.

Describing a million rows takes seconds, since the values of every column are sorted. The first
screen has what an even sample shows, marked as such, until the description of all rows is there.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ceiba.inspection import describe
from ceiba.studio.prepare import as_kind
from ceiba.studio.work.setup import Setup, task_in
from ceiba.table import Schema, Table
from ceiba.task import Task

_MOST_ROWS: Final = 50_000  # of the sample


def described_by(setup: Setup) -> Any:
    """Return what the description depends on, of all that can be set up."""
    return repr((setup.target, setup.kinds, setup.orders))


def description(table: Table, setup: Setup, *, whole: bool) -> dict[str, Any]:
    """Describe the columns as set up; `n_described` says by how many rows."""
    n_rows = table.n_rows
    if n_rows > _MOST_ROWS and not whole:
        table = table.take(np.linspace(0, n_rows - 1, _MOST_ROWS).astype(np.intp))
    task = task_in(setup, table)
    changed = tuple(
        as_kind(one, _kind(setup, one.name, task), setup.orders.get(one.name))
        for one in table.columns
    )
    infos = tuple(one.info for one in changed)
    made = describe(Table(changed, table.n_rows, Schema(infos)), setup.target).to_dict()
    return {**made, "n_described": table.n_rows, "n_rows": n_rows}


def _kind(setup: Setup, name: str, task: Task | None) -> str | None:
    """Return the kind in which a column is shown: classes written as numbers are levels."""
    if name in setup.orders:
        return "ordered"
    return setup.kinds.get(name) or (
        "category" if task is not None and task.has_classes and name == setup.target else None
    )
