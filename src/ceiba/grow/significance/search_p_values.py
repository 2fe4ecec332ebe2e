"""P-values of a split that was searched for: the best of many is no accident's equal.

The cut with the largest chi-square of a column of noise looks significant more often than not,
because it is the best of many. Three ways to be fair (correction=):

"search" asks about the search, not the winner. A level set is one of many ways to group the levels
of its column: the test is that of the whole table of levels by classes, of which every grouping is
a part. A cut is the best of m: with p its own p-value, the true one lies between p and m p; where
that does not settle the question, the search is repeated on permuted targets (Monte Carlo).
"bonferroni" multiplies that by the number of columns that were searched. "none" is the plain test
of branches by classes, right only for splits that were fixed beforehand.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import numpy.typing as npt

from ceiba.grow.significance.independence import (
    Method,
    Significance,
    chi_square_test,
    f_test,
    sequential,
)
from ceiba.table import Kind
from ceiba.tree import SplitKind
from ceiba.tree.routing.branches import ask

if TYPE_CHECKING:
    from ceiba.grow.problem import Problem
    from ceiba.tree import Tree

__all__ = ["Correction", "SplitTest"]

Correction = Literal["none", "search", "bonferroni"]
Rows = npt.NDArray[np.intp]
Array = npt.NDArray[np.float64]

# Numbers that a batch of permutations may take at once.
_CELLS: Final = 4_000_000


@dataclass(frozen=True)
class SplitTest:
    """Tests the splits of one tree on the rows it was grown on.

    Attributes
    ----------
    tree : Tree
    problem : Problem
    correction : {"none", "search", "bonferroni"}
    method : {"auto", "asymptotic", "monte_carlo"}
    significance : float
        Where the decision lies: Monte Carlo stops when it is clear.
    n_draws, seed : int
    n_columns : int
        Columns that were searched.
    """

    tree: Tree
    problem: Problem
    correction: Correction
    method: Method
    significance: float
    n_draws: int
    seed: int
    n_columns: int

    def __call__(self, node: int, rows: Rows) -> Significance:
        """Test the split of a node whose rows are given."""
        rows = self._repeated(rows)
        test = self._plain(node, rows) if self.correction == "none" else self._fair(node, rows)
        if self.correction != "bonferroni" or self.n_columns < 2:
            return test
        p_value = min(1.0, test.p_value * self.n_columns)
        return Significance(
            test.statistic, test.df, p_value, f"{test.method} x {self.n_columns} columns"
        )

    def _plain(self, node: int, rows: Rows) -> Significance:
        branch = ask(self.tree.splits, node, self.problem.table, rows)
        return self._of_groups(rows[branch >= 0], branch[branch >= 0])

    def _fair(self, node: int, rows: Rows) -> Significance:
        kind = self.tree.splits.kind[node]
        column = self.problem.table.columns[int(self.tree.splits.column[node])]
        values = column.values[rows]
        if kind == SplitKind.LEVELS:
            # Missing values that were tried on both sides are one more level.
            present = values >= (-1 if self.tree.missing == "learn" else 0)
            return self._of_groups(rows[present], values[present])
        if kind == SplitKind.PRESENCE:
            return self._plain(node, rows)
        missing = np.isnan(values) if column.info.kind is Kind.NUMERIC else values < 0
        return self._of_cut(node, rows[~missing], values[~missing])

    def _of_groups(self, rows: Rows, group: npt.NDArray[np.int64]) -> Significance:
        if len(rows) == 0:
            return Significance(0.0, (0,), 1.0, "nothing to test")
        group = np.unique(group, return_inverse=True)[1]
        truth = self.problem.target.values[rows, 0]
        if self.tree.task == "regression":
            return f_test(truth, group)
        size = len(self.problem.target.info.classes[0])
        table = np.bincount(
            group * size + truth, weights=self._counted(rows), minlength=(group.max() + 1) * size
        )
        draws, enough = self._draws()
        return chi_square_test(
            table.reshape(-1, size), self.method, n_draws=draws, enough=enough, seed=self.seed
        )

    @cached_property
    def _frequency(self) -> Array | None:
        """Weights that are frequencies; None: every row counts once."""
        return self.problem.weight if self.problem.options.frequency_weights else None

    @cached_property
    def _repeats(self) -> bool:
        """Whether rows can be repeated as often as their frequency says."""
        weight = self._frequency
        if weight is None or weight.sum() > _CELLS:
            return False
        return bool(np.all(weight == np.rint(weight)))

    def _repeated(self, rows: Rows) -> Rows:
        """Repeat rows as often as they count, for tests that know rows only."""
        if self._frequency is None or not self._repeats:
            return rows
        return np.repeat(rows, self._frequency[rows].astype(np.intp))

    def _counted(self, rows: Rows) -> Array | None:
        """Give how often each row counts in a table; None: once."""
        return None if self._frequency is None or self._repeats else self._frequency[rows]

    @property
    def _level(self) -> float:
        """The level at which a p-value of one column decides."""
        several = self.correction == "bonferroni"
        return self.significance / self.n_columns if several else self.significance

    def _draws(self) -> tuple[int, int]:
        """Give the draws that a decision needs, and how many beyond the observed settle it."""
        draws = max(self.n_draws, int(np.ceil(20 / self._level)) - 1)
        return draws, int(self._level * (draws + 1) + 1e-9) + 1

    # ------------------------------------------------------------------ the best of many cuts

    def _of_cut(self, node: int, rows: Rows, values: npt.NDArray[np.float64]) -> Significance:
        plain = self._of_groups(rows, (values > self.tree.splits.cut[node]).astype(np.int64))
        order = np.argsort(values, kind="stable")
        ends = np.flatnonzero(np.diff(values[order]) > 0) + 1  # rows below each possible cut
        if plain.p_value > self._level or len(ends) <= 1:
            return plain  # the best of several can only be less surprising
        bound = plain.p_value * len(ends)
        if bound <= self._level:
            return Significance(
                plain.statistic, plain.df, bound, f"{plain.method} x {len(ends)} cuts"
            )
        best = _BestCut.of(self, rows[order], ends)
        p_value = sequential(best.observed, best.draw, *self._draws())
        return Significance(plain.statistic, plain.df, p_value, "Monte Carlo over cuts")


@dataclass
class _BestCut:
    """The largest separation over all cuts, of the target as it is and of permuted ones.

    For classes the separation is chi-square, n^2 / (nL nR) sum_k d_k^2 / n_k with d_k the excess of
    class k on the left; for numbers the sum of squares between the sides, d^2 n / (nL nR).
    """

    centred: Array  # (rows, columns): indicators less shares, over the root of the class size
    ends: Rows
    rng: np.random.Generator

    @classmethod
    def of(cls, test: SplitTest, rows: Rows, ends: Rows) -> _BestCut:
        truth = test.problem.target.values[rows, 0]
        if test.tree.task == "regression":
            centred = (truth - truth.mean())[:, None]
        else:
            classes, code = np.unique(truth, return_inverse=True)
            share = np.bincount(code) / len(code)
            centred = (code[:, None] == np.arange(len(classes))) - share
            centred = centred / np.sqrt(share)
            if len(classes) == 2:  # the second column says what the first does
                centred = centred[:, :1] / np.sqrt(share[1])
        return cls(centred, ends, np.random.default_rng(test.seed))

    @property
    def observed(self) -> float:
        return float(self._largest(self.centred[None])[0])

    def draw(self, n: int) -> Array:
        """Give the largest separation of n permuted targets."""
        rows, width = self.centred.shape
        result = []
        while n > 0:
            batch = max(1, min(n, _CELLS // (rows * width)))
            order = np.argsort(self.rng.random((batch, rows)), axis=1)
            result.append(self._largest(self.centred[order]))
            n -= batch
        return np.concatenate(result)

    def _largest(self, targets: Array) -> Array:
        n = targets.shape[1]
        left = np.cumsum(targets, axis=1)[:, self.ends - 1, :]
        scale = n / (self.ends * (n - self.ends))
        return np.asarray(((left**2).sum(axis=2) * scale).max(axis=1))
