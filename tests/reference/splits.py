"""Splits as plain values, and every candidate split of a column in the order in which ties are
decided.

Numeric and ordered: one cut at the middle of each pair of neighbouring values. Categorical: every
way to send the levels two ways (branch 0 holds the first level that is present), or one branch per
level. A hole under "learn" is tried in branch 1 with every split, then against all that is present
(a presence split), then in branch 0 with every split; under "majority" and "surrogate" a hole is
not placed by the candidate at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Literal

from tests.reference.data import Column
from tests.reference.exact import midpoint

Value = float | int | None


@dataclass(frozen=True)
class Split:
    column: int
    kind: Literal["cut", "levels", "presence"]
    cut: float = float("nan")
    branches: tuple[tuple[int, ...], ...] = ()  # the levels of each branch
    missing: int | None = None  # branch of a hole; None: the split does not place it

    @property
    def n_branches(self) -> int:
        return len(self.branches) if self.kind == "levels" else 2

    def branch(self, value: Value) -> int | None:
        """Branch of a value, or None when the split cannot place it."""
        if value is None:
            return self.missing
        if self.kind == "presence":
            return 0
        if self.kind == "cut":
            return 0 if value <= self.cut else 1
        return next((b for b, levels in enumerate(self.branches) if value in levels), None)


def cuts(index: int, column: Column, rows: Sequence[int]) -> Iterator[Split]:
    present = sorted({column.values[row] for row in rows} - {None})
    for low, high in pairwise(present):
        yield Split(index, "cut", cut=midpoint(low, high))


def level_sets(index: int, column: Column, rows: Sequence[int]) -> Iterator[Split]:
    """Every split of the present levels into two, smaller sets of companions of the first level
    first.
    """
    first, *others = sorted({column.values[row] for row in rows} - {None}) or [None]
    for size in range(len(others)):
        for companions in combinations(others, size):
            left = (first, *companions)
            right = tuple(level for level in others if level not in companions)
            yield Split(index, "levels", branches=(left, right))


def one_branch_per_level(index: int, column: Column, rows: Sequence[int]) -> Iterator[Split]:
    present = sorted({column.values[row] for row in rows} - {None})
    if len(present) > 1:
        yield Split(index, "levels", branches=tuple((level,) for level in present))


def candidates(
    index: int,
    column: Column,
    rows: Sequence[int],
    *,
    missing: str = "learn",
    multiway: bool = False,
) -> Iterator[Split]:
    """All candidate splits of one column at a node, in tie order."""
    if column.kind != "categorical":
        base = list(cuts(index, column, rows))
    elif multiway:
        base = list(one_branch_per_level(index, column, rows))
    else:
        base = list(level_sets(index, column, rows))
    holes = any(column.values[row] is None for row in rows)
    if missing != "learn" or not holes:
        yield from base
        return
    if multiway and column.kind == "categorical":
        for split in base:
            for branch in range(split.n_branches):
                yield replace(split, missing=branch)
        yield Split(index, "presence", missing=1)
        return
    yield from (replace(split, missing=1) for split in base)
    yield Split(index, "presence", missing=1)
    yield from (replace(split, missing=0) for split in base)
