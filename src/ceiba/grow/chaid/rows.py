"""The rows of a table in memory, counted by category for CHAID."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.grow.chaid.categories import categories_of, codes_of
from ceiba.grow.chaid.choose import Chooser, unit_of
from ceiba.grow.grow_options import GrowOptions
from ceiba.grow.planting import Choice
from ceiba.table import Table, Target
from ceiba.table.weights import exact_sum, exact_sums

Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]


class RowChooser:
    """Chooses the split of a node by its rows."""

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
        assert options.chaid is not None
        self.counted = weight if options.frequency_weights else None
        bins = options.chaid.bins
        columns = [categories_of(column, bins, rows, self.counted) for column in table.columns]
        self.codes = [
            codes_of(column.values, own.cuts)
            for column, own in zip(table.columns, columns, strict=True)
        ]
        classes = options.task.is_classification("CHAID")
        self.n_classes = len(target.info.classes[0]) if classes else 0
        truth = target.values[:, 0]
        self.truth = truth if classes else np.ldexp(truth, -unit_of(float(np.abs(truth).max())))
        self.weight = weight
        n = n_rows if self.counted is None else float(self.counted[rows].sum())
        self.chooser = Chooser(columns, options, n=n, total=total, depth=depth)

    def __call__(self, rows: Rows, depth: int) -> Choice | None:
        """Return the choice for these rows, None for a leaf."""
        size = len(rows) if self.counted is None else float(self.counted[rows].sum())
        if not self.chooser.may_split(size, depth):
            return None
        if np.all(self.truth[rows] == self.truth[rows[0]]):
            return None
        moments = self._moments(rows)
        decision = self.chooser.choose(
            lambda j: self._cells(j, rows, moments), lambda j: self._weights(j, rows)
        )
        if decision is None:
            return None
        group = decision.group_of[self.codes[decision.question.column][rows]]
        return Choice(decision.question, group, decision.test)

    def _codes(self, j: int, rows: Rows) -> npt.NDArray[np.int32]:
        """Return the category of each row; missing is the last."""
        codes = self.codes[j][rows]
        return np.where(codes < 0, np.int32(self.chooser.columns[j].n), codes)

    def _moments(self, rows: Rows) -> list[Array]:
        """Return what is summed by category for numbers: weights times target, and its square."""
        if self.n_classes:
            return []
        truth = self.truth[rows]
        weight = None if self.counted is None else self.counted[rows]
        truth = truth - exact_sum(truth) / len(truth)
        first = truth if weight is None else weight * truth
        return [first, first * truth]

    def _cells(self, j: int, rows: Rows, moments: list[Array]) -> Array:
        """Give class counts, or moments of the target, of each category (missing is the last)."""
        codes, size = self._codes(j, rows), self.chooser.columns[j].n + 1
        weight: Any = None if self.counted is None else self.counted[rows]
        if self.n_classes:
            cell = codes * self.n_classes + self.truth[rows]
            count = np.bincount(cell, weights=weight, minlength=size * self.n_classes)
            return np.asarray(count, np.float64).reshape(size, self.n_classes)
        count = np.bincount(codes, weights=weight, minlength=size).astype(np.float64)
        return np.stack([count, *(exact_sums(one, codes, size) for one in moments)], axis=1)

    def _weights(self, j: int, rows: Rows) -> Array:
        """Return the weight of each category."""
        codes, size = self._codes(j, rows), self.chooser.columns[j].n + 1
        if self.weight is None:
            return np.bincount(codes, minlength=size).astype(np.float64)
        return exact_sums(self.weight[rows], codes, size)
