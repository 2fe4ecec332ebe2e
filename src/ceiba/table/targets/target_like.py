"""A target for a tree that exists: read in the tree's own class codes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ceiba.errors import DataError
from ceiba.table.schema import TargetInfo
from ceiba.table.targets.target import Target, read_target


def read_target_like(y: Any, info: TargetInfo, n_rows: int) -> Target:
    """Read a target by what a tree predicts: same outputs, class codes in the tree's order.

    Parameters
    ----------
    y : array-like
    info : TargetInfo
        What the tree predicts, `tree.target`.
    n_rows : int
        Rows of the table.

    Returns
    -------
    Target

    Raises
    ------
    DataError
        If y has another number of outputs, or a class that the tree does not know.

    Examples
    --------
    >>> from ceiba.table import read_target, read_target_like
    >>> known = read_target(["a", "b", "c"], task="classification").info
    >>> read_target_like(["c", "a"], known, 2).values.ravel().tolist()
    [2, 0]
    """
    if isinstance(y, Target) and y.info == info and len(y) == n_rows:
        return y
    given = read_target(y, task=info.task, n_rows=n_rows)
    if given.info.n_outputs != info.n_outputs:
        raise DataError(
            f"Target: {given.info.n_outputs} outputs, but the tree predicts {info.n_outputs}."
        )
    if not info.task.has_classes:
        return Target(info, given.values)
    codes = np.empty_like(given.values)
    for k, (known, labels) in enumerate(zip(info.classes, given.info.classes, strict=True)):
        code_of = {label: code for code, label in enumerate(known.tolist())}
        unknown = [label for label in labels.tolist() if label not in code_of]
        if unknown:
            raise DataError(
                f"Target: class {unknown[0]!r} is not a class of this tree. "
                f"Its classes: {', '.join(map(str, code_of))}."
            )
        lookup = np.array([code_of[label] for label in labels.tolist()], np.int32)
        codes[:, k] = lookup[given.values[:, k]]
    return Target(info, codes)
