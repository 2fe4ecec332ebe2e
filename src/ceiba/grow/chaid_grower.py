"""Grow trees by CHAID (Kass 1980): `criterion="chi2"`, "likelihood_ratio" or "f_test".

The categories of each column are merged into groups that differ, and the column with the smallest
p-value splits the node; the tree stops where no column is significant. The impurity of nodes is
gini, or squared error: a test measures splits, not nodes. Numbers are first cut into at most `bins`
bins of about equal size: the k-th cut follows the first value up to which there are at least
floor(k n / bins) of the n rows; a column with at most `bins` values is cut between all of them.

The most similar pair of categories (largest p-value) is merged as long as that p-value is above
alpha_merge and more than two groups are left; groups with too few rows are always merged. Nominal
columns may merge any two categories, ordered ones only neighbors; missing values of an ordered
column are a floating category that may merge with any other. The core does this
(`cpp/core/split/levels`). The p-value of the merged table is multiplied by the number of groupings
of c categories into r groups:

    ordered    C(c - 1, r - 1)
    floating   C(c - 2, r - 2) + r C(c - 2, r - 1)
    nominal    sum over i < r of (-1)^i (r - i)^c / (i! (r - i)!)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import comb, factorial, log
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.criteria import DEFAULT_CRITERION
from ceiba.grow.core_grower import SubtreeContext, resolve_min_leaf, resolve_min_split
from ceiba.grow.option_objects import Chaid, expand
from ceiba.grow.python_grower import GroupSplit, SplitChoice, grow_with_chooser
from ceiba.table import Column, Kind, exact_sum, exact_sums
from ceiba.tree import NodeTest, SplitKind, Tree

if TYPE_CHECKING:
    from ceiba.grow.problem import Problem

Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]
MergeKind = Literal["nominal", "ordered", "floating"]
Statistic = Literal["chi2", "likelihood_ratio", "f_test"]

_CORE_NAME: Final = {"chi2": "pearson", "likelihood_ratio": "likelihood_ratio", "f_test": "f"}
_MISSING: Final = -1
_MANY_LEVELS: Final = 30
_LOG_SMALLEST: Final = -745.2  # exp of smaller numbers is 0 in float64


def grow_by_tests(
    problem: Problem, rows: npt.NDArray[np.uint32] | None, subtree: SubtreeContext | None
) -> Tree:
    """Grow a tree by CHAID on all rows or a subset."""
    options, weight = problem.options, problem.weight
    indices = np.arange(problem.n_rows) if rows is None else rows.astype(np.intp)
    if weight is not None:
        indices = indices[weight[indices] > 0]
    tree = grow_with_chooser(
        problem.table,
        problem.target,
        _ChaidChooser(problem, indices, subtree),
        weight=weight,
        rows=indices,
        criterion=options.task.lookup(DEFAULT_CRITERION, "CHAID"),
        unseen=options.unseen,
    )
    if options.missing == "error":
        tree = replace(tree, missing="error")
    if options.frequency_weights:
        tree = replace(tree, n_rows=np.rint(tree.weight).astype(np.int64))
    return tree


@dataclass(frozen=True)
class Categories:
    """Categories of a column: their number, whether they are ordered, and cuts that bin numbers."""

    n: int
    ordered: bool
    cuts: Array | None = None

    def codes(self, column: Column) -> npt.NDArray[np.int32]:
        """Return the category of each value, or -1 if it is missing."""
        if self.cuts is None:
            return np.asarray(column.values, np.int32)
        numbers = np.asarray(column.values, np.float64)
        codes = np.searchsorted(self.cuts, numbers, side="left").astype(np.int32)
        codes[np.isnan(numbers)] = _MISSING
        return codes


def read_categories(column: Column, bins: int, rows: Rows, weight: Array | None) -> Categories:
    """Return the categories of a column; numbers are binned by their values in `rows`."""
    if column.info.kind is not Kind.NUMERIC:
        return Categories(len(column.info.levels), column.info.kind is Kind.ORDERED)
    values = np.asarray(column.values, np.float64)[rows]
    present = ~np.isnan(values)
    distinct, code = np.unique(values[present], return_inverse=True)
    lower = np.arange(max(len(distinct) - 1, 0))
    if len(distinct) > bins:
        each = None if weight is None else weight[rows][present]
        up_to = np.cumsum(np.bincount(code, weights=each))  # cumulative number of rows by value
        limits = np.floor(np.arange(1, bins) * up_to[-1] / bins)
        lower = np.unique(np.searchsorted(up_to, limits))
        lower = lower[lower + 1 < len(distinct)]
    low, high = distinct[lower], distinct[lower + 1]
    with np.errstate(over="ignore"):
        middle = (low + high) / 2
    middle = np.where(np.isfinite(middle), middle, low / 2 + high / 2)
    cuts = np.where(middle < high, middle, low)  # `low` if no float lies between the two
    return Categories(len(cuts) + 1, True, cuts)


@dataclass(frozen=True)
class MergeResult:
    """Groups of merged categories of a column, the test between the groups, and all merges."""

    group: npt.NDArray[np.intp]
    test: NodeTest
    steps: list[tuple[int, int, float]]

    @property
    def n_groups(self) -> int:
        """The number of groups after merging."""
        return int(self.group.max()) + 1

    @property
    def groups(self) -> list[list[int]]:
        """The indices of the categories in each group."""
        order = np.argsort(self.group, kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(self.group[order])) + 1)
        return [group.tolist() for group in parts]


@lru_cache(maxsize=4096)
def count_groupings(c: int, r: int, kind: MergeKind) -> int:
    """Return the number of ways to merge c categories into r groups by the rules of `kind`."""
    if kind == "ordered":
        return comb(c - 1, r - 1)
    if kind == "floating":
        return (comb(c - 2, r - 2) if r >= 2 else 0) + r * comb(c - 2, r - 1)
    signed: list[int] = [comb(r, i) * (r - i) ** c * (-1 if i % 2 else 1) for i in range(r)]
    return sum(signed) // factorial(r)


def merge(
    cells: Array,
    kind: MergeKind,
    statistic: Statistic,
    *,
    alpha_merge: float = 0.05,
    min_rows: float = 1,
) -> MergeResult:
    """Merge similar categories of a column, and test the resulting groups."""
    cells = np.ascontiguousarray(cells, np.float64)
    # leader[i] is the first category in the group of category i; number groups in this order.
    leader, steps = _core.merge_levels(cells, kind, _CORE_NAME[statistic], alpha_merge, min_rows)
    is_leader = np.zeros(len(cells), bool)
    is_leader[leader] = True
    group = (np.cumsum(is_leader) - 1)[leader]
    n_groups = int(group.max()) + 1
    if n_groups == 1:  # a single group cannot be tested
        dof = (0.0, float(cells[:, 0].sum()) - 1.0) if statistic == "f_test" else (0.0,)
        return MergeResult(group, NodeTest(statistic, 0.0, dof, 1.0, 0.0), list(steps))
    merged = np.zeros((n_groups, cells.shape[1]))
    np.add.at(merged, group, cells)
    ways = count_groupings(len(cells), n_groups, kind)
    test = _test_groups(merged, statistic, log(ways) if ways > 0 else 0.0)
    return MergeResult(group, test, list(steps))


def is_hopeless(cells: Array, statistic: Statistic, log_limit: float, min_rows: float = 1) -> bool:
    """Whether a bound shows that no grouping of nominal categories reaches the p-value limit."""
    cells = np.ascontiguousarray(cells, np.float64)
    return _core.merging_is_hopeless(cells, _CORE_NAME[statistic], log_limit, min_rows)


def _test_groups(cells: Array, statistic: Statistic, log_factor: float) -> NodeTest:
    """Test the independence of groups and target, with a Bonferroni factor exp(`log_factor`)."""
    from scipy.special import chdtrc, fdtrc  # import scipy only when needed

    if statistic == "f_test":
        value, df1, df2 = _f_statistic(cells)
        p = 1.0
        if df1 > 0 and df2 > 0:
            p = 0.0 if np.isinf(value) else float(fdtrc(df1, df2, value))
        return NodeTest(statistic, value, (df1, df2), p, log_factor)
    value, df = _chi_square_statistic(cells, statistic)
    p = float(chdtrc(df, value)) if df > 0 else 1.0
    return NodeTest(statistic, value, (float(df),), p, log_factor)


def _chi_square_statistic(cells: Array, statistic: Statistic) -> tuple[float, int]:
    rows, columns = cells.sum(axis=1), cells.sum(axis=0)
    expected = rows[:, None] * columns / max(float(rows.sum()), 1e-300)
    positive = expected > 0
    counts, expected = cells[positive], expected[positive]
    if statistic == "chi2":
        value = float(((counts - expected) ** 2 / expected).sum())
    else:
        nonzero = counts > 0
        value = float(2.0 * (counts[nonzero] * np.log(counts[nonzero] / expected[nonzero])).sum())
    df = (np.count_nonzero(rows) - 1) * (np.count_nonzero(columns) - 1)
    return max(value, 0.0), int(df)


def _f_statistic(cells: Array) -> tuple[float, float, float]:
    """Return the F statistic and its degrees of freedom from the moments of each group."""
    n, total, squares = cells[cells[:, 0] > 0].T
    share = total**2 / n
    between = float(share.sum() - total.sum() ** 2 / n.sum())
    within = max(float((squares - share).sum()), 0.0)
    df1, df2 = len(n) - 1.0, float(n.sum()) - len(n)
    if df1 <= 0 or df2 <= 0 or between <= 0:
        return 0.0, df1, df2
    return (between / df1) / (within / df2) if within > 0 else float("inf"), df1, df2


@dataclass(frozen=True)
class Grouping:
    """Groups of merged categories of a column (-1: missing), and the test between the groups."""

    column: int
    groups: tuple[tuple[int, ...], ...]
    test: NodeTest
    size: Array  # number of rows in each category


class _ChaidChooser:
    """Callable that merges categories and returns the split with the smallest p-value."""

    def __init__(self, problem: Problem, rows: Rows, subtree: SubtreeContext | None) -> None:
        table, target, options = problem.table, problem.target, problem.options
        chaid: Chaid = expand("criterion", options.criterion)
        self.weight = problem.weight
        self.counted = problem.weight if options.frequency_weights else None
        self.columns = [
            read_categories(column, chaid.bins, rows, self.counted) for column in table.columns
        ]
        self.codes = list(map(Categories.codes, self.columns, table.columns))
        truth = target.values[:, 0]
        self.n_classes = 0
        if options.task.is_classification("CHAID"):
            self.n_classes = len(target.info.classes[0])
        else:  # scaling the target leaves F unchanged and keeps squares finite
            truth = np.ldexp(truth, -int(np.frexp(float(np.abs(truth).max()))[1]))
        self.truth = truth
        n_rows, total, self.depth = len(rows), float(len(rows)), 0
        if subtree is not None:
            n_rows, total, self.depth = subtree.n_rows, subtree.weight, subtree.depth
        elif self.weight is not None:
            total = exact_sum(self.weight[rows])
        n = n_rows if self.counted is None else float(self.counted[rows].sum())
        self.max_depth = options.max_depth
        self.min_weight = options.min_weight_fraction_leaf * total
        self.min_leaf = resolve_min_leaf(options.min_samples_leaf, n)
        self.min_split = resolve_min_split(options.min_samples_split, 1, n)
        self.statistic: Any = options.criterion_name
        self.alpha_merge = chaid.merge
        alpha = chaid.split
        self.log_alpha = log(alpha) if alpha > 0 else _LOG_SMALLEST
        # Merge columns with many levels last: the best p-value so far may rule them out.
        many = [not column.ordered and column.n > _MANY_LEVELS for column in self.columns]
        self.order = sorted(range(len(many)), key=many.__getitem__)

    def __call__(self, rows: Rows, depth: int) -> SplitChoice | None:
        """Return the split of a node that contains `rows`, or None if the node becomes a leaf."""
        size = len(rows) if self.counted is None else float(self.counted[rows].sum())
        deep = self.max_depth is not None and self.depth + depth >= self.max_depth
        if deep or size < self.min_split or np.all(self.truth[rows] == self.truth[rows[0]]):
            return None
        moments: list[Array] = []  # per row: frequency x t and frequency x t^2 (t: centered target)
        if not self.n_classes:
            truth = self.truth[rows] - exact_sum(self.truth[rows]) / len(rows)
            first = truth if self.counted is None else self.counted[rows] * truth
            moments = [first, first * truth]
        best, limit = None, self.log_alpha
        for j in self.order:
            candidate = self._merge(j, self._cells(j, rows, moments), limit)
            if candidate is None or self._is_too_light(candidate, rows):
                continue
            log_p = candidate.test.log_adjusted_p_value
            if best is None or (log_p, j) < (limit, best.column):
                best, limit = candidate, log_p
        if best is None:
            return None
        group_of = np.full(self.columns[best.column].n + 1, -1, np.intp)
        for g, codes in enumerate(best.groups):
            group_of[list(codes)] = g  # -1, the code of missing values, indexes the last entry
        split = self._group_split(best, int(group_of[_MISSING]))
        return SplitChoice(split, group_of[self.codes[best.column][rows]], best.test)

    # ------------------------------------------------------------------ counts of rows

    def _row_categories(self, j: int, rows: Rows) -> npt.NDArray[np.int32]:
        """Return the category of each row, with missing values as the last category."""
        codes = self.codes[j][rows]
        return np.where(codes < 0, np.int32(self.columns[j].n), codes)

    def _cells(self, j: int, rows: Rows, moments: list[Array]) -> Array:
        """Return class counts or target moments of each category, with missing values last."""
        codes, size = self._row_categories(j, rows), self.columns[j].n + 1
        weight: Any = None if self.counted is None else self.counted[rows]
        if self.n_classes:
            cell = codes * self.n_classes + self.truth[rows]
            count = np.bincount(cell, weights=weight, minlength=size * self.n_classes)
            return np.asarray(count, np.float64).reshape(size, self.n_classes)
        count = np.bincount(codes, weights=weight, minlength=size).astype(np.float64)
        return np.stack([count, *(exact_sums(moment, codes, size) for moment in moments)], axis=1)

    def _is_too_light(self, grouping: Grouping, rows: Rows) -> bool:
        """Whether the weight of any group is below the minimum weight of a leaf."""
        if not self.min_weight > 0:
            return False
        codes, size = self._row_categories(grouping.column, rows), len(grouping.size)
        if self.weight is None:
            weight = np.bincount(codes, minlength=size).astype(np.float64)
        else:
            weight = exact_sums(self.weight[rows], codes, size)
        return any(weight[list(group)].sum() < self.min_weight for group in grouping.groups)

    # ------------------------------------------------------------------ groups and splits

    def _merge(self, j: int, cells: Array, limit: float) -> Grouping | None:
        """Return the merged categories, or None if no split remains or the p-value is too large."""
        column = self.columns[j]
        size = cells[:, 0] if self.statistic == "f_test" else cells.sum(axis=1)
        present = np.flatnonzero(size > 0)
        if len(present) < 2:
            return None
        kind: MergeKind = "nominal"
        if column.ordered:
            kind = "floating" if present[-1] == column.n else "ordered"
        many = kind == "nominal" and len(present) > _MANY_LEVELS and limit < 0
        if many and is_hopeless(cells[present], self.statistic, limit, self.min_leaf):
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
        return Grouping(j, groups, merged.test, size)

    def _group_split(self, grouping: Grouping, home: int) -> GroupSplit:
        """Return the split for a grouping; missing values go to group `home` (-1: no group)."""
        # A group that contains only missing values becomes the last branch.
        j, groups, cuts = grouping.column, grouping.groups, self.columns[grouping.column].cuts
        alone = next((g for g, group in enumerate(groups) if group == (_MISSING,)), None)
        parts = [g for g in range(len(groups)) if g != alone]
        if len(parts) == 1:
            assert alone is not None
            return GroupSplit(SplitKind.PRESENCE, j, (parts[0], alone), missing=1)
        if home not in parts:  # if the node has no missing values, use the largest group
            home = max(parts, key=lambda g: float(grouping.size[list(groups[g])].sum()))
        if cuts is not None:
            parts.sort(key=lambda g: max(groups[g]))
        missing = parts.index(home) if alone is None else len(parts)
        ordered = (*parts, *([] if alone is None else [alone]))
        # A final cut at infinity marks the branch for missing values.
        end = () if alone is None else (np.inf,)
        if cuts is None:
            pairs = sorted(
                (code, branch)
                for branch, g in enumerate(parts)
                for code in groups[g]
                if code != _MISSING
            )
            return GroupSplit(
                SplitKind.LEVELS, j, ordered, cuts=end, levels=tuple(pairs), missing=missing
            )
        at = (*(float(cuts[max(groups[g])]) for g in parts[:-1]), *end)
        if len(at) == 1:
            return GroupSplit(SplitKind.CUT, j, ordered, cut=at[0], missing=missing)
        return GroupSplit(SplitKind.INTERVALS, j, ordered, cuts=at, missing=missing)
