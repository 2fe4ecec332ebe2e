"""The choice of a split by CHAID (Kass 1980): every column is merged and tested, the best one wins.

Columns of numbers are first cut into at most `max_bins` bins of about equal size, which are then
the ordered categories of a column. The tree asks about the groups: levels and intervals of numbers
go to branches as they are. Missing values that stand alone are a branch of their own, the last.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.grow.chaid.merge import Kind as MergeKind
from ceiba.grow.chaid.merge import Merged, hopeless, merge
from ceiba.grow.grow_options import GrowOptions, resolve_min_leaf, resolve_min_split
from ceiba.grow.planting import Choice, Question
from ceiba.table import Column, Kind, Table, Target
from ceiba.tree import SplitKind

Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]
Moments = list[npt.NDArray[Any] | None]  # None: every row counts once
_MISSING: Final = -1
_MANY: Final = 30  # levels
_LOG_OF_NOTHING: Final = -745.2  # what is below is 0 in float64


@dataclass(frozen=True)
class Binned:
    """A column as categories: codes (-1 missing), and the cuts between the bins of numbers."""

    codes: npt.NDArray[np.int32]
    n_categories: int
    ordered: bool
    cuts: Array | None = None


def binned(column: Column, max_bins: int, rows: Rows, weight: Array | None = None) -> Binned:
    """Give a column's categories; numbers in at most `max_bins` bins of about equal size.

    `weight` says how many rows each row stands for; None: one.
    """
    if column.info.kind is not Kind.NUMERIC:
        ordered = column.info.kind is Kind.ORDERED
        return Binned(np.asarray(column.values), len(column.info.levels), ordered)
    values = np.asarray(column.values, np.float64)
    part = values if len(rows) == len(values) else values[rows]
    distinct, place = np.unique(part[~np.isnan(part)], return_inverse=True)
    if len(distinct) > max_bins:
        each = None if weight is None else weight[rows][~np.isnan(part)]
        below = np.cumsum(np.bincount(place, weights=each))  # rows up to each value
        at = np.floor(np.arange(1, max_bins) * below[-1] / max_bins)
        lower = np.unique(np.searchsorted(below, at))
        lower = lower[lower + 1 < len(distinct)]
    else:
        lower = np.arange(len(distinct) - 1)
    cuts = _between(distinct[lower], distinct[lower + 1]) if len(distinct) > 1 else np.zeros(0)
    codes = np.searchsorted(cuts, values, side="left").astype(np.int32)
    codes[np.isnan(values)] = _MISSING
    return Binned(codes, len(cuts) + 1, True, cuts)


def _between(low: Array, high: Array) -> Array:
    """Give midpoints, such that low <= cut < high at the edges of float64 too."""
    with np.errstate(over="ignore"):
        middle = (low + high) / 2
    middle = np.where(np.isfinite(middle), middle, low / 2 + high / 2)
    return np.where(middle < high, middle, low)


@dataclass(frozen=True)
class Grouping:
    """The groups of a column's categories (-1 is missing), as they were merged."""

    column: int
    groups: tuple[tuple[int, ...], ...]
    merged: Merged


class Chooser:
    """Chooses the split of a node."""

    def __init__(
        self,
        table: Table,
        target: Target,
        weight: Array | None,
        rows: Rows,
        *,
        options: GrowOptions,
        n_rows: int,
        total: float,
        depth: int,
    ) -> None:
        self.options, self.depth = options, depth
        assert options.chaid is not None
        bins = options.chaid.bins
        counted = weight if options.frequency_weights else None
        self.columns = [binned(column, bins, rows, counted) for column in table.columns]
        classes = options.task == "classification"
        self.n_classes = len(target.info.classes[0]) if classes else 0
        self.truth = target.values[:, 0]
        if not classes:
            # F does not depend on the unit: one in which squares of huge or tiny values exist.
            self.truth = np.ldexp(self.truth, -np.frexp(np.abs(self.truth).max())[1])
        # p-values count rows, or weights if these are frequencies.
        self.weight = weight if options.frequency_weights else None
        self.row_weight = weight
        self.min_weight = options.min_weight_fraction_leaf * total
        n = n_rows if self.weight is None else float(self.weight[rows].sum())
        self.min_leaf = resolve_min_leaf(options.min_samples_leaf, n)
        self.min_split = resolve_min_split(options.min_samples_split, 1, n)
        self.statistic: Any = options.criterion_name
        self.alpha_merge = options.chaid.merge
        alpha = options.chaid.split
        self.log_alpha = log(alpha) if alpha > 0 else _LOG_OF_NOTHING
        # Columns of many levels last: a limit that others have set may spare them the merging.
        self.order = sorted(range(len(self.columns)), key=lambda j: self._n_nominal(j) > _MANY)

    def _n_nominal(self, j: int) -> int:
        return 0 if self.columns[j].ordered else self.columns[j].n_categories

    def __call__(self, rows: Rows, depth: int) -> Choice | None:
        """Give the choice for these rows, None for a leaf."""
        options = self.options
        if options.max_depth is not None and self.depth + depth >= options.max_depth:
            return None
        size = len(rows) if self.weight is None else float(self.weight[rows].sum())
        if size < self.min_split or np.all(self.truth[rows] == self.truth[rows[0]]):
            return None
        best, limit = None, self.log_alpha
        moments = self._moments(rows)
        for j in self.order:
            candidate = self._merged(j, rows, moments, limit)
            if candidate is None:
                continue
            log_p = candidate.merged.test.log_adjusted_p_value
            if best is None or (log_p, j) < (limit, best.column):
                best, limit = candidate, log_p
        return None if best is None else self._choice(best, rows)

    def _moments(self, rows: Rows) -> Moments:
        """Give what is summed by category: weights, then (numbers) weights times target powers."""
        weight = None if self.weight is None else self.weight[rows]
        if self.n_classes:
            return [weight]
        truth = self.truth[rows]
        truth = truth - truth.mean()
        first = truth if weight is None else weight * truth
        return [weight, first, first * truth]

    def _merged(self, j: int, rows: Rows, moments: Moments, limit: float) -> Grouping | None:
        """Give the groups of a column, None if its adjusted p-value is above the limit."""
        column = self.columns[j]
        codes = column.codes[rows]
        cells = self._cells(np.where(codes < 0, column.n_categories, codes), rows, moments, column)
        size = cells[:, 0] if self.statistic == "f_test" else cells.sum(axis=1)
        present = np.flatnonzero(size > 0)
        if len(present) < 2:
            return None
        kind: MergeKind = "nominal"
        if column.ordered:
            kind = "floating" if present[-1] == column.n_categories else "ordered"
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
        names = np.where(present == column.n_categories, _MISSING, present)
        groups = tuple(tuple(int(names[c]) for c in group) for group in merged.groups)
        if self.min_weight > 0 and self._too_light(column, groups, rows):
            return None
        return Grouping(j, groups, merged)

    def _too_light(self, column: Binned, groups: tuple[tuple[int, ...], ...], rows: Rows) -> bool:
        """Say if a group weighs less than a leaf must."""
        weight = None if self.row_weight is None else self.row_weight[rows]
        size = np.bincount(
            column.codes[rows] + 1, weights=weight, minlength=column.n_categories + 1
        )
        return any(size[np.array(group) + 1].sum() < self.min_weight for group in groups)

    def _cells(
        self, codes: npt.NDArray[Any], rows: Rows, moments: Moments, column: Binned
    ) -> Array:
        """Give class counts, or moments of the target, of each category (missing is the last)."""
        size = column.n_categories + 1
        if self.n_classes:
            cell = codes * self.n_classes + self.truth[rows]
            count = np.bincount(cell, weights=moments[0], minlength=size * self.n_classes)
            return np.asarray(count, np.float64).reshape(size, self.n_classes)
        sums = [np.bincount(codes, weights=of_row, minlength=size) for of_row in moments]
        return np.stack(sums, axis=1).astype(np.float64)

    # ------------------------------------------------------------------ the questions

    def _choice(self, grouping: Grouping, rows: Rows) -> Choice:
        column = self.columns[grouping.column]
        group_of = np.full(column.n_categories + 1, -1, np.intp)
        for g, codes in enumerate(grouping.groups):
            for code in codes:
                group_of[code] = g  # -1, missing, is the last entry
        group = group_of[column.codes[rows]]
        counted = None if self.weight is None else self.weight[rows]
        size = np.bincount(group, weights=counted, minlength=len(grouping.groups))
        return Choice(self._question(grouping, group_of, column, size), group, grouping.merged.test)

    def _question(
        self,
        grouping: Grouping,
        group_of: npt.NDArray[np.intp],
        column: Binned,
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
        self, grouping: Grouping, parts: list[int], home: int, alone: int | None, column: Binned
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
