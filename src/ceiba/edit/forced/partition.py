"""Read a forced split and partition the rows of a node by it.

Rows that the split cannot place follow the missing rule of the tree, as if the split had been
found: "learn" takes the branch with the largest gain (the heavier one if no value is missing),
"majority" the heavier one, "surrogate" the surrogates of this split, then the heavier one,
"fractional" all branches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.criteria import split_gain
from ceiba.errors import DataError, TreeError
from ceiba.grow import core_options, set_sizes
from ceiba.table import ColumnInfo, Kind, Table, exact_sum
from ceiba.table.targets import log_rank_chi_square
from ceiba.tree import Cut, Intervals, LevelSets, Presence, SplitKind, SplitTable
from ceiba.tree.routing import MISSING, evaluate_split
from ceiba.tree.splits import SPLIT_FORMS, Split, SurrogateTable, parse_split

if TYPE_CHECKING:
    from ceiba.grow import Problem

Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]

_STAYS: Final = -1
_ALL_BRANCHES: Final = -2
# Equal gains may differ by rounding errors.
_NOISE: Final = 1e-12
_UNPLACED: Final = 0xFFFF  # code of the C++ core for a row without a branch
SplitLike = Split | str | Sequence[str] | tuple[str, Sequence[float]]


def read_split(split: SplitLike, table: Table, rows: Rows) -> tuple[SplitTable, int | None]:
    """Return a split as a one-row table, and the branch of missing values if it is specified."""
    schema, missing = table.schema, None
    if isinstance(split, Cut | Intervals | LevelSets | Presence):
        question: Split = split
    elif isinstance(split, str) or (
        isinstance(split, list | tuple) and split and all(isinstance(text, str) for text in split)
    ):
        columns = {info.name: info for info in schema.columns}
        parsed = parse_split(split, columns)
        question, missing = parsed.split, parsed.missing
    elif isinstance(split, tuple) and len(split) == 2 and isinstance(split[0], str):
        column, cuts = split
        try:
            numbers = tuple(np.asarray(cuts, np.float64).reshape(-1).tolist())
        except (TypeError, ValueError):
            raise TreeError(
                f"Cuts on column {column!r} must be numbers, got {cuts!r}. "
                f"Pass the column and a list of cuts, such as ({column!r}, [1.0, 3.0])."
            ) from None
        question = Cut(column, numbers[0]) if len(numbers) == 1 else Intervals(column, numbers)
    else:
        raise TreeError(
            f"{split!r} is not a valid split. Write it as {SPLIT_FORMS}, or as ('x', [1.0, 3.0]) "
            "for several cuts. Alternatively, pass a Cut, Intervals, LevelSets or Presence object, "
            "such as Cut('petal width', 0.8)."
        )
    info = schema.columns[schema.index(question.column)]
    if isinstance(question, LevelSets):
        if info.kind is not Kind.CATEGORICAL:
            raise TreeError(
                f"LevelSets does not support {info.kind} column {info.name!r}. Pass a Cut."
            )
        question = _complete_levels(question, table, rows)
    elif isinstance(question, Cut) and info.kind is Kind.CATEGORICAL:
        raise TreeError(f"Column {info.name!r} is categorical. Pass LevelSets instead of a Cut.")
    elif isinstance(question, Intervals):
        _check_intervals(question, info)
    if isinstance(question, Cut) and question.low_branch:
        raise TreeError(f"low_branch must be 0 except in surrogates, got {question.low_branch}.")
    return SplitTable.from_splits([question], schema), missing


def _check_intervals(split: Intervals, info: ColumnInfo) -> None:
    if info.kind is not Kind.NUMERIC:
        raise TreeError(
            f"Intervals requires a numeric column, but {info.name!r} is {info.kind}. Pass "
            f"{'LevelSets' if info.kind is Kind.CATEGORICAL else 'a Cut'}."
        )
    cuts = np.asarray(split.cuts, np.float64)
    if len(cuts) + split.missing_branch < 2:
        n_branches = len(cuts) + 1 + split.missing_branch
        raise TreeError(f"Intervals must have at least 3 branches, got {n_branches}. Pass a Cut.")
    if not (np.isfinite(cuts).all() and (np.diff(cuts) > 0).all()):
        raise TreeError(
            f"Cuts on column {info.name!r} must be finite and strictly ascending, "
            f"got [{', '.join(f'{cut:g}' for cut in cuts)}]."
        )


def _complete_levels(split: LevelSets, table: Table, rows: Rows) -> LevelSets:
    """Complete a split by levels to cover every level in the node, or raise an error."""
    info = table.column(split.column).info
    codes = np.unique(table.column(split.column).values[rows])
    present = [info.levels[code] for code in codes.tolist() if 0 <= code < len(info.levels)]
    named = {level for group in split.branches for level in group}
    remaining = tuple(level for level in present if level not in named)
    if split.missing_branch and len(split.branches) < 2:
        raise TreeError(
            f"A branch for missing values of {split.column!r} requires two or more level sets, "
            f"got {len(split.branches)}. Pass Presence({split.column!r}) instead."
        )
    if remaining and len(split.branches) == 1:
        return LevelSets(split.column, (split.branches[0], remaining))
    if remaining:
        raise TreeError(
            f"The split on {split.column!r} must have a branch for every level in the node, but "
            f"has none for {remaining[0]!r}. Levels in the node: {', '.join(map(repr, present))}."
        )
    return split


class EmptyBranchError(TreeError):
    """Raised if a branch of a forced split has no rows with positive weight."""


@dataclass(frozen=True)
class RowPartition:
    """Branch of each row of a node, with the gain, default branch and surrogates of the split."""

    problem: Problem
    branch: npt.NDArray[np.int64]
    share: Array
    default_branch: int
    sent_default: int
    gain: float
    surrogates: SurrogateTable | None = None

    def __len__(self) -> int:
        return len(self.share)

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self)))

    def branch_rows(self, b: int, rows: Rows, weight: Array | None) -> tuple[Rows, Array | None]:
        """Return the rows of a branch and their weights, which are smaller for divided rows."""
        everywhere = self.branch == _ALL_BRANCHES
        if everywhere.any():
            weight = self.problem.row_weight.copy() if weight is None else weight.copy()
            weight[rows[everywhere]] *= self.share[b]
        return rows[(self.branch == b) | everywhere], weight


def partition_rows(
    problem: Problem,
    splits: SplitTable,
    rows: Rows,
    weight: Array | None,
    missing: int | None = None,
) -> RowPartition:
    """Partition rows by a one-row split table; `missing` is the branch of missing values."""
    branch = evaluate_split(splits, 0, problem.table, rows)
    # Only missing values have no branch: `read_split` checked that every level in the node has one.
    has_branch = branch >= 0
    row_weight = np.ones(len(rows)) if weight is None else weight[rows]
    alone = _has_missing_branch(splits)
    n_branches = 2
    if splits.kind[0] == SplitKind.LEVELS:
        n_branches = int(splits.level_branch.max(initial=1)) + 1 + alone
    elif splits.kind[0] == SplitKind.INTERVALS:
        n_branches = len(splits.interval_cut) + 1
    if alone:
        if problem.options.missing_rule not in ("learn", "majority", "surrogate"):
            raise TreeError(
                "A branch for missing values is not supported with "
                f"missing={problem.options.missing_rule!r}. Use missing='learn'."
            )
        branch[branch == MISSING] = n_branches - 1
        has_branch = branch >= 0
    load: Array = np.bincount(
        branch[has_branch], weights=row_weight[has_branch], minlength=n_branches
    ).astype(np.float64)
    if (load <= 0).any():
        empty = int(np.argmax(load <= 0))
        raise EmptyBranchError(f"Branch {empty} of the split has no rows with positive weight.")
    unplaced = _UnplacedRows(problem, splits, rows, weight, branch, load)
    return unplaced.resolve() if missing is None else unplaced.send_to(missing)


def _has_missing_branch(splits: SplitTable) -> bool:
    """Whether a split by levels or intervals has a separate last branch for missing values."""
    return bool(splits.has_missing_branch[0] and splits.kind[0] != SplitKind.PRESENCE)


@dataclass(frozen=True)
class _UnplacedRows:
    """Rows of a node with their branches, which are negative where the split value is missing."""

    problem: Problem
    splits: SplitTable
    rows: Rows
    weight: Array | None
    branch: npt.NDArray[np.int64]
    load: Array

    def send_to(self, missing: int) -> RowPartition:
        """Route rows with a missing split value to the branch `missing`."""
        rule = self.problem.options.missing_rule
        if rule not in ("learn", "majority"):
            raise TreeError(
                f"'or missing' in a split requires missing='learn' or 'majority', got {rule!r}."
            )
        open_ = self.branch < 0
        return self._partition(
            np.where(open_, missing, self.branch), missing, int(np.count_nonzero(open_))
        )

    def resolve(self) -> RowPartition:
        """Route rows with a missing split value by the tree's `missing` option."""
        open_ = self.branch < 0
        rule = self.problem.options.missing_rule
        if rule == "error" and open_.any():
            raise DataError(
                "Missing values are not supported with missing='error'. Use missing='learn'."
            )
        if self.splits.kind[0] == SplitKind.PRESENCE:
            return self._partition(self.branch, 1, 0)
        if _has_missing_branch(self.splits):
            last = len(self.load) - 1
            return self._partition(self.branch, last, int(np.count_nonzero(self.branch == last)))
        if rule == "learn" and not open_.any():  # the last branch wins ties, as in scikit-learn
            last = len(self.load) - 1 - int(np.argmax(self.load[::-1]))
            return self._partition(self.branch, last, 0)
        if self._is_learned:
            return self._learn_branch(open_)
        if rule == "surrogate":
            return self._by_surrogates(open_)
        heavier = int(np.argmax(self.load))
        if rule == "fractional":
            branch = np.where(open_, _ALL_BRANCHES, self.branch)
            return self._partition(branch, heavier, 0)
        branch = np.where(open_, heavier, self.branch)
        return self._partition(branch, heavier, int(np.count_nonzero(open_)))

    @property
    def _is_learned(self) -> bool:
        """Whether missing values go to the branch with the largest gain."""
        options = self.problem.options
        one_each = options.categorical_splits != "binary"
        by_level = self.splits.kind[0] == SplitKind.LEVELS
        return options.missing == "learn" and not (one_each and by_level)

    def _learn_branch(self, open_: npt.NDArray[np.bool_]) -> RowPartition:
        tried = [
            self._partition(np.where(open_, b, self.branch), b, int(np.count_nonzero(open_)))
            for b in range(len(self.load))[::-1]  # the last branch wins ties, so try it first
        ]
        fair = [partition for partition in tried if self._large_enough(partition)] or tried
        best = fair[0]
        for partition in fair[1:]:
            if partition.gain > best.gain * (1 + _NOISE):
                best = partition
        return best

    def _large_enough(self, partition: RowPartition) -> bool:
        """Whether every branch has the minimum number of rows and the minimum weight of a leaf."""
        n_rows = self.problem.table.n_rows
        total = float(n_rows) if self.weight is None else exact_sum(self.weight)
        core = _core.GrowOptions()  # only the minimum leaf sizes are used
        set_sizes(core, self.problem.options, n_rows, total)
        row_weight = np.ones(len(self.rows)) if self.weight is None else self.weight[self.rows]
        rows = np.bincount(partition.branch)
        weight = np.bincount(partition.branch, weights=row_weight)
        return bool(rows.min() >= core.min_samples_leaf and weight.min() >= core.min_weight_leaf)

    def _by_surrogates(self, open_: npt.NDArray[np.bool_]) -> RowPartition:
        problem, options = self.problem, self.problem.options
        branch, surrogates = self.branch, None
        if options.surrogates.keep > 0 and len(self.load) == 2:
            branch, surrogates = _find_surrogates(
                problem, self.splits, self.rows, self.weight, branch
            )
        left = branch < 0
        heavier = int(np.argmax(self.load))
        tie = len(self.load) == 2 and self.load[0] == self.load[1]
        like_rpart = options.rpart is not None
        stays = like_rpart and (tie or options.surrogates.keep == 0)
        stays = stays or options.use_surrogate < 2
        branch = np.where(left, _STAYS if stays else heavier, branch)
        default = -1 if options.use_surrogate < 2 else heavier
        if like_rpart and default >= 0:  # rpart's default branch is the child with more rows
            counts = np.bincount(branch[branch >= 0], minlength=len(self.load))
            largest = np.flatnonzero(counts == counts.max())
            default = int(largest[0]) if len(largest) == 1 else -1
        return self._partition(branch, default, int(np.count_nonzero(left)), surrogates)

    def _partition(
        self,
        branch: npt.NDArray[np.int64],
        default: int,
        sent: int,
        surrogates: SurrogateTable | None = None,
    ) -> RowPartition:
        gain = self._gain(branch)
        share = self.load / self.load.sum()
        return RowPartition(self.problem, branch, share, default, sent, gain, surrogates)

    def _gain(self, branch: npt.NDArray[np.int64]) -> float:
        """Return the gain of the split per unit of node weight."""
        # If the gain decides the branch of missing values, compute it from all rows. Otherwise, use
        # the rows without missing values, and multiply the gain by their share of the weight.
        if not self._is_learned:
            branch = self.branch
        has_branch = branch >= 0
        parts = [self.rows[branch == b] for b in range(len(self.load))]
        total = _Statistic.of(self.problem, self.rows, self.weight)
        node = total
        if not has_branch.all():
            node = _Statistic.of(self.problem, self.rows[has_branch], self.weight)
        sides = [_Statistic.of(self.problem, rows, self.weight) for rows in parts]
        of_split = split_gain(self.problem.options.criterion_name)
        if of_split is not None and len(sides) == 2:
            counts = np.array([side.counts for side in sides])
            return float(of_split(counts)) * node.mass / total.mass
        if self.problem.options.criterion_name == "logrank" and self.weight is None:
            times, group = self.problem.target.values[self.rows[has_branch]], branch[has_branch]
            return log_rank_chi_square(times, group, len(sides)) / (2 * total.mass)
        within = sum(side.mass * side.impurity for side in sides)
        return (node.mass * node.impurity - within) / total.mass


@dataclass(frozen=True)
class _Statistic:
    """Impurity and weight of some rows, with the priors and costs of the split search."""

    mass: float
    impurity: float
    counts: Array | None

    @classmethod
    def of(cls, problem: Problem, rows: Rows, weight: Array | None) -> _Statistic:
        node = problem.node_figures(rows.astype(np.uint32), weight)
        mass, counts = float(node.weight[0]), None
        if node.counts is not None:
            counts = node.counts[0, 0]
            scale = problem.scales.search
            counts = counts if scale is None else counts * scale
            if node.n_outputs == 1:
                mass = float(counts.sum())
        return cls(mass, float(node.impurity[0]), counts)


def _find_surrogates(
    problem: Problem,
    splits: SplitTable,
    rows: Rows,
    weight: Array | None,
    branch: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], SurrogateTable]:
    """Find the surrogates of a split, and route rows with a missing split value by them."""
    branch_of = np.full(problem.n_rows, _UNPLACED, np.uint16)
    branch_of[rows[branch >= 0]] = branch[branch >= 0]
    options = core_options(problem.table, problem.options, weight, problem.scales, None)
    shared = (rows.astype(np.uint32), branch_of, int(splits.column[0]), options)
    table, target = problem.table.core(), problem.target
    if problem.options.task.is_classification("A forced split"):
        sizes = [len(labels) for labels in target.info.classes]
        result = _core.stand_ins_classes(table, target.values, sizes, weight, *shared)
    else:
        result = _core.stand_ins_numbers(table, target.values, weight, *shared)
    answer = result["branch"][rows].astype(np.int64)
    surrogates = SurrogateTable(
        np.array([0, len(result["agreement"])]),
        SplitTable(**result["splits"]),
        result["agreement"],
        result["adjusted"],
        result["sent"],
        problem.options.use_surrogate > 0,
    )
    return np.where(answer == _UNPLACED, _STAYS, answer), surrogates
