"""The least objective over all trees of a small depth, by trying every one: slow, plain, sure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Case:
    """A tiny problem: columns are (kind, values); NaN and -1 are missing."""

    columns: tuple[tuple[str, Any], ...]
    y: Any
    weight: Any
    loss: str
    costs: Any
    missing: str
    min_leaf: int
    max_leaves: int
    penalty: float
    depth: int

    @cached_property
    def best(self) -> float:
        """The least objective."""
        return _Brute(self).best(tuple(range(len(self.y))), self.depth, self.max_leaves)

    @cached_property
    def first_questions(self) -> dict[tuple[tuple[int, ...], tuple[int, ...]], float]:
        """The least objective below each division of all rows."""
        brute, rows = _Brute(self), tuple(range(len(self.y)))
        found = {
            pair: brute.below(pair, self.depth, self.max_leaves) for pair in brute.divisions(rows)
        }
        return {pair: value for pair, value in found.items() if value < np.inf}


class _Brute:
    def __init__(self, case: Case) -> None:
        self.case = case
        self.known: dict[tuple[tuple[int, ...], int, int], float] = {}

    def best(self, rows: tuple[int, ...], depth: int, leaves: int) -> float:
        key = (rows, depth, leaves)
        if key in self.known:
            return self.known[key]
        case = self.case
        least = np.inf
        if len(rows) >= case.min_leaf:
            least = leaf_loss(case, rows) + case.penalty
        if depth > 0 and leaves > 1:
            for pair in self.divisions(rows):
                least = min(least, self.below(pair, depth, leaves))
        self.known[key] = least
        return least

    def below(
        self, pair: tuple[tuple[int, ...], tuple[int, ...]], depth: int, leaves: int
    ) -> float:
        """The least objective below one division."""
        least = np.inf
        if min(map(len, pair)) < self.case.min_leaf or depth < 1:
            return least
        for on_left in range(1, min(leaves - 1, 2 ** (depth - 1)) + 1):
            value = self.best(pair[0], depth - 1, on_left)
            if value < least:
                value += self.best(pair[1], depth - 1, leaves - on_left)
                least = min(least, value)
        return least

    def divisions(self, rows: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        seen = set()
        for kind, values in self.case.columns:
            for left in self.left_parts(kind, values, rows):
                right = tuple(r for r in rows if r not in left)
                pair = (tuple(r for r in rows if r in left), right)
                if pair[0] and right and pair not in seen and pair[::-1] not in seen:
                    seen.add(pair)
                    yield pair

    def left_parts(self, kind: str, values: Any, rows: tuple[int, ...]) -> Iterator[set[int]]:
        gone = {r for r in rows if (np.isnan(values[r]) if kind == "number" else values[r] < 0)}
        there = [r for r in rows if r not in gone]
        distinct = sorted({values[r] for r in there})
        first = min((v for v in values if v >= 0), default=0)
        if kind == "number":
            sets = [set(distinct[: i + 1]) for i in range(len(distinct) - 1)]
        else:
            sets = [
                set(some)
                for size in range(1, len(distinct))
                for some in combinations(distinct, size)
            ]
        for some in sets:
            left = {r for r in there if values[r] in some}
            if not gone:
                yield left
            elif self.case.missing == "learn":
                yield left
                yield left | gone
            else:
                weight = self.case.weight
                mass = [
                    sum(weight[r] for r in there if (r in left) == side) for side in (True, False)
                ]
                # A tie goes to the low side; of levels, to that of the column's first one.
                away = kind == "levels" and any(values[r] == first for r in set(there) - left)
                tie = mass[0] == mass[1]
                yield left if mass[0] < mass[1] or (tie and away) else left | gone
        if gone and there and self.case.missing == "learn":
            yield set(there)


def leaf_loss(case: Case, rows: tuple[int, ...]) -> float:
    """Least loss of rows that get one answer."""
    index = list(rows)
    y, w = case.y[index], case.weight[index]
    if case.loss == "squared_error":
        return float((w * (y - np.average(y, weights=w)) ** 2).sum())
    if case.loss == "absolute_error":
        return float(min((w * np.abs(y - m)).sum() for m in y))
    n_classes = len(case.costs)
    counts = np.bincount(y, weights=w, minlength=n_classes)
    share = counts / counts.sum()
    if case.loss == "gini":
        return float(counts.sum() * (1 - (share**2).sum()))
    if case.loss == "entropy":
        share = share[share > 0]
        return float(-counts.sum() * (share * np.log2(share)).sum())
    return float((counts @ case.costs).min())
