"""The choice of a split by CHAID (Kass 1980): every column is merged and tested, the best one wins.

A chooser knows categories and what is counted of them, no rows (`rows.py`). Levels and intervals of
numbers go to branches as they are. Missing values that stand alone are the last branch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.grow.chaid.categories import Categories
from ceiba.grow.chaid.merge import Kind as MergeKind
from ceiba.grow.chaid.merge import Merged, hopeless, merge
from ceiba.grow.grow_options import GrowOptions, resolve_min_leaf, resolve_min_split
from ceiba.grow.planting import Question
from ceiba.tree import NodeTest, SplitKind

Array = npt.NDArray[np.float64]
_MISSING: Final = -1
_MANY: Final = 30  # levels
_LOG_OF_NOTHING: Final = -745.2  # what is below is 0 in float64


def unit_of(largest: float) -> int:
    """Give the exponent of the unit in which numbers are tested.

    F does not depend on the unit: in this one, squares of huge and of tiny values exist.
    """
    return int(np.frexp(largest)[1])


@dataclass(frozen=True)
class Grouping:
    """The groups of a column's categories (-1 is missing), as they were merged."""

    column: int
    groups: tuple[tuple[int, ...], ...]
    merged: Merged
    size: Array  # of the categories


@dataclass(frozen=True)
class Decision:
    """A question, the group of each category (missing is the last), and the test."""

    question: Question
    group_of: npt.NDArray[np.intp]
    test: NodeTest


class Chooser:
    """Chooses the split of a node by what is counted of its categories."""

    def __init__(
        self,
        columns: Sequence[Categories],
        options: GrowOptions,
        *,
        n: float,
        total: float,
        depth: int = 0,
    ) -> None:
        assert options.chaid is not None
        self.columns = columns
        self.max_depth, self.depth = options.max_depth, depth
        self.min_weight = options.min_weight_fraction_leaf * total
        self.min_leaf = resolve_min_leaf(options.min_samples_leaf, n)
        self.min_split = resolve_min_split(options.min_samples_split, 1, n)
        self.statistic: Any = options.criterion_name
        self.alpha_merge = options.chaid.merge
        alpha = options.chaid.split
        self.log_alpha = log(alpha) if alpha > 0 else _LOG_OF_NOTHING
        # Columns of many levels last: a limit that others have set may spare them the merging.
        self.order = sorted(range(len(columns)), key=lambda j: self._n_nominal(j) > _MANY)

    def _n_nominal(self, j: int) -> int:
        return 0 if self.columns[j].ordered else self.columns[j].n

    def may_split(self, size: float, depth: int) -> bool:
        """Return whether a node of this size and depth may be split."""
        if self.max_depth is not None and self.depth + depth >= self.max_depth:
            return False
        return size >= self.min_split

    def choose(
        self, cells: Callable[[int], Array], weights: Callable[[int], Array]
    ) -> Decision | None:
        """Choose the split of a node; None: nothing is significant."""
        best, limit = None, self.log_alpha
        for j in self.order:
            candidate = self._merged(j, cells(j), limit)
            if candidate is None or self._too_light(candidate, weights):
                continue
            log_p = candidate.merged.test.log_adjusted_p_value
            if best is None or (log_p, j) < (limit, best.column):
                best, limit = candidate, log_p
        return None if best is None else self._decision(best)

    def _merged(self, j: int, cells: Array, limit: float) -> Grouping | None:
        """Give the groups of a column, None if its adjusted p-value is above the limit."""
        column = self.columns[j]
        size = cells[:, 0] if self.statistic == "f_test" else cells.sum(axis=1)
        present = np.flatnonzero(size > 0)
        if len(present) < 2:
            return None
        kind: MergeKind = "nominal"
        if column.ordered:
            kind = "floating" if present[-1] == column.n else "ordered"
        many = kind == "nominal" and len(present) > _MANY and limit < 0
        if many and hopeless(cells[present], self.statistic, limit, self.min_leaf):
            return None
        merged = merge(
            cells[present],
            kind,
            self.statistic,
            alpha_merge=self.alpha_merge,
            min_rows=self.min_leaf,
        )
        if merged.n_groups < 2 or merged.test.log_adjusted_p_value > limit:
            return None
        names = np.where(present == column.n, _MISSING, present)
        groups = tuple(tuple(int(names[c]) for c in group) for group in merged.groups)
        return Grouping(j, groups, merged, size)

    def _too_light(self, grouping: Grouping, weights: Callable[[int], Array]) -> bool:
        """Say if a group weighs less than a leaf must."""
        if not self.min_weight > 0:
            return False
        weight = weights(grouping.column)
        return any(weight[np.array(group)].sum() < self.min_weight for group in grouping.groups)

    # ------------------------------------------------------------------ the questions

    def _decision(self, grouping: Grouping) -> Decision:
        column = self.columns[grouping.column]
        group_of = np.full(column.n + 1, -1, np.intp)
        for g, codes in enumerate(grouping.groups):
            for code in codes:
                group_of[code] = g  # -1, missing, is the last entry
        size = np.array([grouping.size[np.array(group)].sum() for group in grouping.groups])
        question = self._question(grouping, group_of, column, size)
        return Decision(question, group_of, grouping.merged.test)

    def _question(
        self,
        grouping: Grouping,
        group_of: npt.NDArray[np.intp],
        column: Categories,
        size: npt.NDArray[Any],
    ) -> Question:
        alone = next((g for g, group in enumerate(grouping.groups) if group == (_MISSING,)), None)
        parts = [g for g in range(len(grouping.groups)) if g != alone]
        home = int(group_of[-1])
        if home not in parts:  # nothing is missing here: such a row goes with the most
            home = max(parts, key=lambda g: float(size[g]))
        if len(parts) == 1:
            assert alone is not None
            below = (parts[0], alone)
            return Question(SplitKind.PRESENCE, grouping.column, below, missing=1)
        if column.cuts is not None:
            return self._intervals(grouping, parts, home, alone, column)
        return self._levels(grouping, parts, home, alone)

    def _levels(
        self, grouping: Grouping, parts: list[int], home: int, alone: int | None
    ) -> Question:
        pairs = sorted(
            (code, branch)
            for branch, g in enumerate(parts)
            for code in grouping.groups[g]
            if code != _MISSING
        )
        order, missing = parts, parts.index(home)
        if alone is not None:
            order, missing = [*parts, alone], len(parts)
        return Question(
            SplitKind.LEVELS,
            grouping.column,
            tuple(order),
            cuts=() if alone is None else (np.inf,),
            levels=tuple(pairs),
            missing=missing,
        )

    def _intervals(
        self, grouping: Grouping, parts: list[int], home: int, alone: int | None, column: Categories
    ) -> Question:
        """Ask for the interval; one cut alone is a cut, unless missing values have a branch."""
        assert column.cuts is not None
        order = sorted(parts, key=lambda g: max(grouping.groups[g]))
        cuts = [float(column.cuts[max(grouping.groups[g])]) for g in order[:-1]]
        missing = order.index(home)
        if alone is not None:
            order, cuts, missing = [*order, alone], [*cuts, np.inf], len(order)
        if len(cuts) == 1:
            return Question(
                SplitKind.CUT, grouping.column, tuple(order), cut=cuts[0], missing=missing
            )
        return Question(
            SplitKind.INTERVALS, grouping.column, tuple(order), cuts=tuple(cuts), missing=missing
        )
