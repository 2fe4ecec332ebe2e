"""A split that is given, not searched for: read it, send rows by it, decide for the missing ones.

Rows that the split cannot place follow the rule of the tree, as if the split had been found:
"learn": the branch that gains most, or the heavier one if nothing is missing; "majority": the
heavier; "surrogate": stand-ins, found for this split, then the heavier; "fractional": all branches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.criteria import split_gain
from ceiba.errors import DataError, TreeError
from ceiba.grow import core_options, set_sizes
from ceiba.table import ColumnInfo, Kind, Table, exact_sum
from ceiba.tree import Cut, Intervals, LevelSets, Presence, SplitKind, SplitTable
from ceiba.tree.routing import MISSING, UNSEEN, ask
from ceiba.tree.splits import WRITTEN_FORMS, Split, SurrogateTable, read_written

if TYPE_CHECKING:
    from ceiba.grow import Problem

Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]

_STAYS: Final = -1
_EVERYWHERE: Final = -2
# Gains that are equal on paper may differ in the last bits.
_NOISE: Final = 1e-12
_UNPLACED: Final = 0xFFFF  # the core's word for a row without a branch
SplitLike = Split | str | Sequence[str] | tuple[str, Sequence[float]]


def read_split(split: SplitLike, table: Table, rows: Rows) -> tuple[SplitTable, int | None]:
    """Read a split as a table of one row, and the branch of missing values if it names one."""
    schema, missing = table.schema, None
    if isinstance(split, Cut | Intervals | LevelSets | Presence):
        question: Split = split
    elif isinstance(split, str) or (
        isinstance(split, list | tuple) and split and all(isinstance(part, str) for part in split)
    ):
        columns = {info.name: info for info in schema.columns}
        written = read_written(split, columns)
        question, missing = written.split, written.missing
    elif isinstance(split, tuple) and len(split) == 2 and isinstance(split[0], str):
        question = _of_cuts(*split)
    else:
        raise TreeError(
            f"{split!r} is not a split. Write {WRITTEN_FORMS}, ('x', [1.0, 3.0]) for several cuts; "
            "or give a Cut, Intervals, LevelSets or Presence: Cut('petal width', 0.8)."
        )
    info = schema.columns[schema.index(question.column)]
    if isinstance(question, LevelSets):
        if info.kind is not Kind.CATEGORICAL:
            raise TreeError(f"Column {info.name!r} is {info.kind}; split it by a Cut.")
        question = _all_levels(question, table, rows)
    elif isinstance(question, Cut) and info.kind is Kind.CATEGORICAL:
        raise TreeError(f"Column {info.name!r} is categorical; split it by LevelSets.")
    elif isinstance(question, Intervals):
        _check_intervals(question, info)
    if isinstance(question, Cut) and question.low_branch:
        raise TreeError("The split of a node sends x <= cut to branch 0. Leave low_branch out.")
    return SplitTable.from_splits([question], schema), missing


def _of_cuts(column: str, cuts: Any) -> Split:
    """Read a column with its cuts: one is a Cut, more are Intervals."""
    try:
        numbers = tuple(float(cut) for cut in np.asarray(cuts, np.float64).reshape(-1))
    except (TypeError, ValueError):
        raise TreeError(
            f"{cuts!r} are not cuts of column {column!r}. Pass numbers: ({column!r}, [1.0, 3.0])."
        ) from None
    return Cut(column, numbers[0]) if len(numbers) == 1 else Intervals(column, numbers)


def _check_intervals(split: Intervals, info: ColumnInfo) -> None:
    if info.kind is not Kind.NUMERIC:
        raise TreeError(f"Column {info.name!r} is {info.kind}; split it by LevelSets or a Cut.")
    cuts = np.asarray(split.cuts, np.float64)
    if len(cuts) + split.missing_branch < 2:
        raise TreeError(
            f"Column {info.name!r}: {len(cuts)} cuts make no intervals. Pass two or more."
        )
    if not (np.isfinite(cuts).all() and (np.diff(cuts) > 0).all()):
        raise TreeError(
            f"Column {info.name!r}: the cuts are {', '.join(f'{cut:g}' for cut in cuts)}. "
            "Pass finite numbers that ascend."
        )


def _all_levels(split: LevelSets, table: Table, rows: Rows) -> LevelSets:
    """Check that every level in the node is sent somewhere; one group alone is set against all."""
    info = table.column(split.column).info
    codes = np.unique(table.column(split.column).values[rows])
    present = [info.levels[code] for code in codes.tolist() if 0 <= code < len(info.levels)]
    named = {level for group in split.branches for level in group}
    rest = tuple(level for level in present if level not in named)
    if split.missing_branch and len(split.branches) < 2:
        raise TreeError(
            f"Column {split.column!r}: one group of levels and missing values are "
            f"Presence({split.column!r}). Pass two or more groups."
        )
    if rest and len(split.branches) == 1:
        return LevelSets(split.column, (split.branches[0], rest))
    if rest:
        raise TreeError(
            f"Column {split.column!r}: level {rest[0]!r} is in the node, but the split does not "
            f"say where it goes. Levels in the node: {', '.join(map(str, present))}."
        )
    return split


class EmptyBranchError(TreeError):
    """A forced split sends no rows down one of its branches."""


@dataclass(frozen=True)
class Division:
    """How a split parts the rows of a node."""

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

    def part(self, b: int, rows: Rows, weight: Array | None) -> tuple[Rows, Array | None]:
        """Return the rows of a branch, and the weights with their shares."""
        everywhere = self.branch == _EVERYWHERE
        if everywhere.any():
            weight = self.problem.row_weight.copy() if weight is None else weight.copy()
            weight[rows[everywhere]] *= self.share[b]
        return rows[(self.branch == b) | everywhere], weight


def divide(
    problem: Problem,
    splits: SplitTable,
    rows: Rows,
    weight: Array | None,
    missing: int | None = None,
) -> Division:
    """Part rows by the split in a table of one row; `missing` takes rows without a value."""
    branch = ask(splits, 0, problem.table, rows)
    # A level that the split does not know cannot be in the node: every level there was asked for.
    placed = (branch >= 0) & (branch != UNSEEN)
    row_weight = np.ones(len(rows)) if weight is None else weight[rows]
    alone = _missing_alone(splits)
    n_branches = 2
    if splits.kind[0] == SplitKind.LEVELS:
        n_branches = int(splits.level_branch.max(initial=1)) + 1 + alone
    elif splits.kind[0] == SplitKind.INTERVALS:
        n_branches = len(splits.interval_cut) + 1
    if alone:
        if problem.options.missing_rule not in ("learn", "majority", "surrogate"):
            raise TreeError(
                f"missing={problem.options.missing_rule!r} leaves no branch for missing values "
                "alone. Leave that branch out of the split, or use missing='learn'."
            )
        branch[branch == MISSING] = n_branches - 1
        placed = branch >= 0
    load: Array = np.bincount(
        branch[placed], weights=row_weight[placed], minlength=n_branches
    ).astype(np.float64)
    if (load <= 0).any():
        empty = int(np.argmax(load <= 0))
        raise EmptyBranchError(f"The split sends no rows of the node to branch {empty}.")
    decision = _Decision(problem, splits, rows, weight, branch, load)
    return decision.decided() if missing is None else decision.given(missing)


def _missing_alone(splits: SplitTable) -> bool:
    """Return whether levels or intervals have a last branch for missing values alone."""
    return bool(splits.parts_missing[0] and splits.kind[0] != SplitKind.PRESENCE)


@dataclass(frozen=True)
class _Decision:
    """The decision about rows that a split cannot place."""

    problem: Problem
    splits: SplitTable
    rows: Rows
    weight: Array | None
    branch: npt.NDArray[np.int64]
    load: Array

    def given(self, missing: int) -> Division:
        """Send what the split cannot place to one branch."""
        rule = self.problem.options.missing_rule
        if rule not in ("learn", "majority"):
            raise TreeError(
                f"missing={rule!r} decides where rows without a value go. Leave 'or missing' out "
                "of the split, or use missing='learn'."
            )
        open_ = self.branch < 0
        return self._division(
            np.where(open_, missing, self.branch), missing, int(np.count_nonzero(open_))
        )

    def decided(self) -> Division:
        open_ = self.branch < 0
        rule = self.problem.options.missing_rule
        if rule == "error" and open_.any():
            raise DataError("Values of the split's column are missing, and missing='error'.")
        if self.splits.kind[0] == SplitKind.PRESENCE:
            return self._division(self.branch, 1, 0)
        if _missing_alone(self.splits):
            last = len(self.load) - 1
            return self._division(self.branch, last, int(np.count_nonzero(self.branch == last)))
        if rule == "learn" and not open_.any():  # as in scikit-learn: the right one of equals
            last = len(self.load) - 1 - int(np.argmax(self.load[::-1]))
            return self._division(self.branch, last, 0)
        if self._is_learned:
            return self._learned(open_)
        if rule == "surrogate":
            return self._by_stand_ins(open_)
        heavier = int(np.argmax(self.load))
        if rule == "fractional":
            branch = np.where(open_, _EVERYWHERE, self.branch)
            return self._division(branch, heavier, 0)
        branch = np.where(open_, heavier, self.branch)
        return self._division(branch, heavier, int(np.count_nonzero(open_)))

    @property
    def _is_learned(self) -> bool:
        """Whether missing values are tried on every side; not with one branch per level."""
        options = self.problem.options
        one_each = options.categorical_splits != "binary"
        by_level = self.splits.kind[0] == SplitKind.LEVELS
        return options.missing == "learn" and not (one_each and by_level)

    def _learned(self, open_: npt.NDArray[np.bool_]) -> Division:
        tried = [
            self._division(np.where(open_, b, self.branch), b, int(np.count_nonzero(open_)))
            for b in range(len(self.load))[::-1]  # the first of equals: the last branch
        ]
        fair = [division for division in tried if self._large_enough(division)] or tried
        best = fair[0]
        for division in fair[1:]:
            if division.gain > best.gain * (1 + _NOISE):
                best = division
        return best

    def _large_enough(self, division: Division) -> bool:
        """Return whether every branch has the rows and the weight that a leaf needs."""
        n_rows = self.problem.table.n_rows
        total = float(n_rows) if self.weight is None else exact_sum(self.weight)
        core = _core.GrowOptions()  # of any criterion: those that are tests are not the core's
        set_sizes(core, self.problem.options, n_rows, total)
        row_weight = np.ones(len(self.rows)) if self.weight is None else self.weight[self.rows]
        rows = np.bincount(division.branch)
        weight = np.bincount(division.branch, weights=row_weight)
        return bool(rows.min() >= core.min_samples_leaf and weight.min() >= core.min_weight_leaf)

    def _by_stand_ins(self, open_: npt.NDArray[np.bool_]) -> Division:
        problem, options = self.problem, self.problem.options
        branch, surrogates = self.branch, None
        if options.surrogates.keep > 0 and len(self.load) == 2:
            branch, surrogates = _stand_ins(problem, self.splits, self.rows, self.weight, branch)
        left = branch < 0
        heavier = int(np.argmax(self.load))
        tie = len(self.load) == 2 and self.load[0] == self.load[1]
        like_rpart = options.rpart is not None
        stays = like_rpart and (tie or options.surrogates.keep == 0)
        stays = stays or options.use_surrogate < 2
        branch = np.where(left, _STAYS if stays else heavier, branch)
        default = -1 if options.use_surrogate < 2 else heavier
        if like_rpart and default >= 0:  # predicts where more rows went, nowhere on a tie
            counts = np.bincount(branch[branch >= 0], minlength=len(self.load))
            most = np.flatnonzero(counts == counts.max())
            default = int(most[0]) if len(most) == 1 else -1
        return self._division(branch, default, int(np.count_nonzero(left)), surrogates)

    def _division(
        self,
        branch: npt.NDArray[np.int64],
        default: int,
        sent: int,
        surrogates: SurrogateTable | None = None,
    ) -> Division:
        gain = self._gain(branch)
        share = self.load / self.load.sum()
        return Division(self.problem, branch, share, default, sent, gain, surrogates)

    def _gain(self, branch: npt.NDArray[np.int64]) -> float:
        """Return the gain per unit of the node's weight.

        Learned: of all rows as they are sent. Else of the rows that the split places, times their
        share of the weight.
        """
        if not self._is_learned:
            branch = self.branch
        placed = branch >= 0
        parts = [self.rows[branch == b] for b in range(len(self.load))]
        whole = _Statistic.of(self.problem, self.rows, self.weight)
        node = whole
        if not placed.all():
            node = _Statistic.of(self.problem, self.rows[placed], self.weight)
        sides = [_Statistic.of(self.problem, part, self.weight) for part in parts]
        of_split = split_gain(self.problem.options.criterion_name)
        if of_split is not None and len(sides) == 2:
            counts = np.array([side.counts for side in sides])
            return float(of_split(counts)) * node.mass / whole.mass
        within = sum(side.mass * side.impurity for side in sides)
        return (node.mass * node.impurity - within) / whole.mass


@dataclass(frozen=True)
class _Statistic:
    """Impurity and weight of some rows, as the split search sees them."""

    mass: float
    impurity: float
    counts: Array | None

    @classmethod
    def of(cls, problem: Problem, rows: Rows, weight: Array | None) -> _Statistic:
        node = problem.figures(rows.astype(np.uint32), weight)
        mass, counts = float(node.weight[0]), None
        if node.counts is not None:
            counts = node.counts[0, 0]
            scale = problem.scales.search
            counts = counts if scale is None else counts * scale
            if node.n_outputs == 1:
                mass = float(counts.sum())
        return cls(mass, float(node.impurity[0]), counts)


def _stand_ins(
    problem: Problem,
    splits: SplitTable,
    rows: Rows,
    weight: Array | None,
    branch: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], SurrogateTable]:
    """Find surrogates of the split, and send by them what it does not place."""
    where = np.full(problem.n_rows, _UNPLACED, np.uint16)
    where[rows[branch >= 0]] = branch[branch >= 0]
    options = core_options(problem.table, problem.options, weight, problem.scales, None)
    shared = (rows.astype(np.uint32), where, int(splits.column[0]), options)
    table, target = problem.table.core(), problem.target
    if problem.options.task.is_classification("A forced split"):
        sizes = [len(labels) for labels in target.info.classes]
        placed = _core.stand_ins_classes(table, target.values, sizes, weight, *shared)
    else:
        placed = _core.stand_ins_numbers(table, target.values, weight, *shared)
    sent = placed["branch"][rows].astype(np.int64)
    surrogates = SurrogateTable(
        np.array([0, len(placed["agreement"])]),
        SplitTable(**placed["splits"]),
        placed["agreement"],
        placed["adjusted"],
        placed["sent"],
        problem.options.use_surrogate > 0,
    )
    return np.where(sent == _UNPLACED, _STAYS, sent), surrogates
