"""A tree of questions that has seen no rows yet: `recount` fills its figures in."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.table import Schema
from ceiba.tree.construct.from_arrays import branches_of
from ceiba.tree.splits.split_table import SplitTable
from ceiba.tree.tree import Tree


def skeleton(
    schema: Schema,
    parent: npt.NDArray[np.int32],
    splits: SplitTable,
    default_branch: npt.NDArray[np.int32],
    **facts: Any,
) -> Tree:
    """Return the tree of these questions, with no rows in its nodes."""
    n, target = len(parent), schema.target
    assert target is not None
    nothing, none = np.zeros(n), np.zeros(n, np.int64)
    value = np.zeros((n, target.n_outputs, target.width))
    if target.task.has_classes:
        value[:, :, 0] = 1.0
    start, node = branches_of(parent)
    return Tree(
        schema=schema,
        parent=parent,
        branch_start=start,
        branch_node=node,
        splits=splits,
        default_branch=default_branch,
        n_rows=none,
        weight=nothing,
        impurity=nothing,
        gain=nothing,
        value=value,
        risk=nothing,
        sent_default=none,
        counts=np.zeros_like(value) if target.task.has_classes else None,
        surrogates=None,
        competitors=None,
        **facts,
    )
