"""The digits of printed cuts: as many as keep every value of the training column on its side.

The core finds them for the trees that it grows. Trees that are put together elsewhere (tests,
forced splits, exact search, edits, shards) get them when they are complete.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from ceiba.table import Table
from ceiba.tree.arrays import Array
from ceiba.tree.splits.split_table import SplitKind, SplitTable
from ceiba.tree.splits.surrogates import SplitsByNode
from ceiba.tree.tree import Tree

_Stored = TypeVar("_Stored", bound=SplitsByNode)


def with_cut_digits(tree: Tree, table: Table, rows: Array | None = None) -> Tree:
    """Return a tree whose printed cuts keep every value of a table, or of some rows, in place."""

    def stored(given: _Stored | None) -> _Stored | None:
        return given and replace(given, splits=_with_digits(given.splits, table, rows))

    return replace(
        tree,
        splits=_with_digits(tree.splits, table, rows),
        surrogates=stored(tree.surrogates),
        competitors=stored(tree.competitors),
    )


def _with_digits(splits: SplitTable, table: Table, rows: Any) -> SplitTable:
    """Return splits with the digits of their cuts; those of intervals are the most of any cut."""
    single = splits.kind == SplitKind.CUT
    row = np.repeat(np.arange(len(splits)), np.diff(splits.interval_start))
    several = np.isfinite(splits.interval_cut)
    row = np.concatenate((np.flatnonzero(single), row[several]))
    cut = np.concatenate((splits.cut[single], splits.interval_cut[several]))
    digits = np.zeros(len(splits), np.int8)
    if len(cut):
        np.maximum.at(digits, row, table.cut_digits(splits.column[row], cut, rows))
    return replace(splits, digits=digits)
