"""Compute p-values of a column's best split, corrected for the search over the column.

The cut with the largest chi-square in a column of noise mostly looks significant, because it is the
best of many. Corrections:

"search"      One test per column, for the search and not for the selected split. Levels: the test
              of the table of levels by classes, which contains every grouping of levels; missing
              values that the search tried on each side are one more level. Numbers: a cut is the
              best of m divisions (cuts, times the sides of missing values, or missing alone).
              With p the plain p-value, the corrected one is between p and m p. If the bounds do not
              decide, the search is repeated on permuted targets (Monte Carlo; for two classes
              exactly, over all permutations). In regression p assumes normal targets, so the search
              is always repeated, unless a distribution-free bound decides (`separation.py`).
              Survival times are tested as numbers, by the log-rank scores of the node's rows
              (Hothorn and Lausen 2003).
"bonferroni"  The p-value of "search" times the number of columns that were searched.
"none"        The plain test of branches by classes, valid only for splits fixed beforehand.

A p-value that is only bounded has a method that begins with "at least" or "at most".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import numpy.typing as npt

from ceiba.grow.significance.independence import (
    Method,
    TestResult,
    chi_square_test,
    f_test,
    monte_carlo_p_value,
)
from ceiba.grow.significance.separation import (
    BestDivision,
    BetweenLevels,
    CentredTarget,
    Separation,
)
from ceiba.table import Kind
from ceiba.table.targets import log_rank_scores
from ceiba.task import Task
from ceiba.tree import Tree
from ceiba.tree.routing import evaluate_split

if TYPE_CHECKING:
    from ceiba.grow.problem import Problem

Correction = Literal["none", "search", "bonferroni"]
Rows = npt.NDArray[np.intp]
Array = npt.NDArray[np.float64]

# The maximum number of rows after repeating them by their frequencies.
_MAX_REPEATED_ROWS: Final = 4_000_000
_NOTHING: Final = TestResult(0.0, (0,), 1.0, "nothing to test")


@dataclass(frozen=True)
class SplitTest:
    """Significance test of the splits of a tree on its training rows."""

    tree: Tree
    problem: Problem
    correction: Correction
    method: Method
    significance: float
    n_draws: int
    seed: int
    n_columns: int

    def __call__(self, node: int, rows: Rows) -> TestResult:
        """Test the split of a node on its rows."""
        if self.correction == "none":
            rows = self._repeat_rows(rows)
            branch = evaluate_split(self.tree.splits, node, self.problem.table, rows)
            return self._test_groups(rows[branch >= 0], branch[branch >= 0])
        test, _ = self.test_column(node, rows)
        if self.correction != "bonferroni" or self.n_columns < 2:
            return test
        p_value = min(1.0, test.p_value * self.n_columns)
        return TestResult(
            test.statistic, test.df, p_value, f"{test.method} x {self.n_columns} columns"
        )

    def test_column(self, node: int, rows: Rows) -> tuple[TestResult, Separation | None]:
        """Return the test of a column's best split, and a `Separation` for comparing columns."""
        rows = self._repeat_rows(rows)
        column = self.problem.table.columns[int(self.tree.splits.column[node])]
        info, values = column.info, column.values[rows]
        missing = np.isnan(values) if info.kind == Kind.NUMERIC else values < 0
        if not self._searched_missing:
            rows, values, missing = rows[~missing], values[~missing], missing[~missing]
        if len(rows) == 0:
            return _NOTHING, None
        if info.kind == Kind.CATEGORICAL:
            return self._test_levels(rows, values)
        # Put rows with a missing value first, and sort the other rows by value.
        order = np.lexsort((np.where(missing, 0, values), ~missing))
        absent = int(np.count_nonzero(missing))
        ends = np.flatnonzero(np.diff(values[order[absent:]]) > 0) + 1
        if absent == len(rows) or (len(ends) == 0 and absent == 0):
            return _NOTHING, None
        best = BestDivision(self._centred_target(rows), order, ends, absent, self.seed)
        # Test the selected split as if it had been fixed beforehand.
        branch = evaluate_split(self.tree.splits, node, self.problem.table, rows)
        if self._searched_missing:
            branch = np.where(branch < 0, int(self.tree.default_branch[node]), branch)
        winner = self._test_groups(rows[branch >= 0], branch[branch >= 0])
        return self._test_search(best, winner, best.n_divisions), best

    @property
    def _searched_missing(self) -> bool:
        """Whether the search tried to send missing values left, right and to their own branch."""
        return self.tree.missing == "learn"

    def _test_levels(
        self, rows: Rows, codes: npt.NDArray[np.int64]
    ) -> tuple[TestResult, Separation | None]:
        plain = self._test_groups(rows, codes)
        classes = self.tree.task.has_classes
        if plain.method == _NOTHING.method or (classes and plain.p_value > self._level):
            return plain, None
        order = np.argsort(codes, kind="stable")
        ends = np.flatnonzero(np.diff(codes[order])) + 1
        kind = BestDivision if len(ends) == 1 else BetweenLevels
        search = kind(self._centred_target(rows), order, ends, seed=self.seed)
        return plain if classes else self._test_search(search, plain, 1), search

    def _centred_target(self, rows: Rows) -> CentredTarget:
        truth = self._truth(rows)
        if not self.tree.task.has_classes:
            return CentredTarget.of_numbers(truth)
        return CentredTarget.of_classes(truth)

    def _truth(self, rows: Rows) -> npt.NDArray[Any]:
        """Return the target values of rows, with log-rank scores for survival times."""
        values = self.problem.target.values[rows]
        return log_rank_scores(values) if self.tree.task is Task.SURVIVAL else values[:, 0]

    def _test_search(self, search: Separation, plain: TestResult, n: int) -> TestResult:
        """Test the best of n divisions; the p-value is a bound, exact or from permutations."""
        classes = self.tree.task.has_classes
        if classes and n == 1:
            return plain
        if plain.p_value > self._level and search.values.is_nearly_normal:
            # The correction only raises the p-value, which already exceeds the level.
            by = plain.method if n == 1 else f"at least, {plain.method} of the best of {n}"
            return replace(plain, method=by)
        bound = min(1.0, plain.p_value * n) if classes else search.bound()
        if bound <= self._level:
            by = f"{plain.method} x {n} divisions" if classes else "Bernstein's bound"
            return replace(plain, p_value=bound, method=f"at most, {by}")
        exact = search.log_exact if self.method != "monte_carlo" else None
        if exact is not None:
            return replace(plain, p_value=float(np.exp(exact)), method="exact over the search")
        p_value = monte_carlo_p_value(search.observed, search.draw, *self._n_draws_and_limit())
        return replace(plain, p_value=p_value, method="Monte Carlo over the search")

    def _test_groups(self, rows: Rows, group: npt.NDArray[np.int64]) -> TestResult:
        if len(rows) == 0:
            return _NOTHING
        group = np.unique(group, return_inverse=True)[1]
        truth = self._truth(rows)
        if not self.tree.task.has_classes:
            return f_test(truth, group)
        size = len(self.problem.target.info.classes[0])
        repeated = self._frequency is None or self._can_repeat_rows
        counts: Any = None if repeated else self._frequency[rows]  # type: ignore[index]
        cells = group * size + truth
        table = np.bincount(cells, weights=counts, minlength=(group.max() + 1) * size)
        draws, enough = self._n_draws_and_limit()
        return chi_square_test(
            table.reshape(-1, size), self.method, n_draws=draws, enough=enough, seed=self.seed
        )

    @cached_property
    def _frequency(self) -> Array | None:
        """Frequency weights, or None if every row counts once."""
        return self.problem.weight if self.problem.options.frequency_weights else None

    @cached_property
    def _can_repeat_rows(self) -> bool:
        """Whether the frequencies are whole numbers with a sum small enough to repeat rows."""
        weight = self._frequency
        if weight is None or weight.sum() > _MAX_REPEATED_ROWS:
            return False
        return bool(np.all(weight == np.rint(weight)))

    def _repeat_rows(self, rows: Rows) -> Rows:
        """Return the rows, each repeated by its frequency if this is possible."""
        if self._frequency is None or not self._can_repeat_rows:
            return rows
        return np.repeat(rows, self._frequency[rows].astype(np.intp))

    @property
    def _level(self) -> float:
        """The significance level of one column, divided by `n_columns` for Bonferroni."""
        several = self.correction == "bonferroni"
        return self.significance / self.n_columns if several else self.significance

    def _n_draws_and_limit(self) -> tuple[int, int]:
        """Return the number of draws, and the number of exceedances at which drawing stops."""
        draws = max(self.n_draws, int(np.ceil(20 / self._level)) - 1)
        return draws, int(self._level * (draws + 1) + 1e-9) + 1
