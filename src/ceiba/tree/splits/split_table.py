"""Splits as arrays (`SplitTable`) and as single values (`Cut`, `LevelSets`, ...).

A tree has a `SplitTable` for primary splits (one row per node), one for surrogates and one for
competitors. A single split is a `Cut`, `LevelSets` (binary level sets, multiway splits and CHAID
groups), `Intervals` or `Presence`. `sentences.py` formats them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, ClassVar, Final

import numpy as np

from ceiba.errors import TreeError
from ceiba.table import Schema
from ceiba.tree.arrays import Array, ArrayRecord, take_ragged
from ceiba.tree.splits.sentences import (
    ALL_DIGITS,
    cut_sentence,
    levels_sentence,
    presence_sentence,
    range_sentence,
)


class SplitKind(IntEnum):
    """Kind of a split in a `SplitTable`.

    Examples
    --------
    >>> from ceiba.tree import SplitKind
    >>> SplitKind.CUT
    <SplitKind.CUT: 1>
    """

    NONE = 0
    CUT = 1
    LEVELS = 2
    PRESENCE = 3
    INTERVALS = 4


class _SplitBase:
    """Base class of single splits: cuts, level sets, intervals and presence splits."""

    column: str

    @property
    def n_branches(self) -> int:
        """Number of branches: two, unless a subclass overrides it."""
        return 2

    def sentence(
        self,
        branch: int = 0,
        schema: Schema | None = None,
        *,
        digits: int | None = None,
        max_levels: int | None = None,
        lang: str = "en",
    ) -> str:
        """Return the condition of `branch` as text, with level names and dates where known.

        A cut that is not a short decimal has at least `digits` digits (6 by default), and enough
        digits that every value of the training column keeps its branch.
        """
        info = None if schema is None else schema.columns[schema.index(self.column)]
        name = self.column
        if isinstance(self, Cut):
            low = branch == self.low_branch
            return cut_sentence(name, self.cut, low, info, self.digits, digits, lang)
        if isinstance(self, LevelSets) and branch < len(self.branches):
            return levels_sentence(name, self.branches[branch], max_levels, lang)
        if isinstance(self, Intervals) and branch <= len(self.cuts):
            ends = (-np.inf, *self.cuts, np.inf)
            bounds = (ends[branch], ends[branch + 1])
            return range_sentence(name, bounds, info, (self.digits, self.digits), digits, lang)
        return presence_sentence(name, not isinstance(self, Presence) or branch == 1, lang)


@dataclass(frozen=True)
class Cut(_SplitBase):
    """A split of a numeric or ordered column: `x <= cut` goes to `low_branch`.

    On an ordered column the cut is between two level codes (1.5: codes 0 and 1 are low). `digits`
    is the number of digits of the printed cut (17 without training data) and is not compared.

    Examples
    --------
    >>> from ceiba.tree import Cut
    >>> Cut("Petal.Length", 2.45).sentence(0)
    'Petal.Length <= 2.45'
    >>> Cut("Petal.Length", 2.45).sentence(1)
    'Petal.Length > 2.45'
    """

    column: str
    cut: float
    low_branch: int = 0
    digits: int = field(default=ALL_DIGITS, repr=False, compare=False)


@dataclass(frozen=True)
class LevelSets(_SplitBase):
    """A split of a categorical column with a branch for each group of levels.

    `branches[b]` are the levels that go to branch b. A level in no group was not present in the
    node and is handled by the tree's `unseen` rule. With `missing_branch` an additional last branch
    takes the missing values, as in CHAID if they differ from every group.

    Examples
    --------
    >>> from ceiba.tree import LevelSets
    >>> LevelSets("Patrons", (("None", "Some"), ("Full",))).sentence(0)
    'Patrons in {None, Some}'
    """

    column: str
    branches: tuple[tuple[Any, ...], ...]
    missing_branch: bool = False

    @property
    def n_branches(self) -> int:
        """Number of branches: one per level group, plus any separate branch for missing values."""
        return len(self.branches) + self.missing_branch


@dataclass(frozen=True)
class Intervals(_SplitBase):
    """A split of a numeric column with a branch for each interval between its cuts.

    Branch 0 takes `x <= cuts[0]`, branch b the values above `cuts[b - 1]` up to `cuts[b]`, and the
    next one all values above the last cut. With `missing_branch` an additional last branch takes
    the missing values, as in CHAID if they differ from every interval.

    Examples
    --------
    >>> from ceiba.tree import Intervals
    >>> ages = Intervals("age", (18.0, 65.0))
    >>> [ages.sentence(branch) for branch in range(ages.n_branches)]
    ['age <= 18', '18 < age <= 65', 'age > 65']
    """

    column: str
    cuts: tuple[float, ...]
    missing_branch: bool = False
    digits: int = field(default=ALL_DIGITS, repr=False, compare=False)

    @property
    def n_branches(self) -> int:
        """Number of branches: one per interval, plus any separate branch for missing values."""
        return len(self.cuts) + 1 + self.missing_branch


@dataclass(frozen=True)
class Presence(_SplitBase):
    """A split into present (branch 0) and missing values (branch 1).

    Examples
    --------
    >>> from ceiba.tree import Presence
    >>> Presence("income").sentence(1)
    'income is missing'
    """

    column: str


Split = Cut | LevelSets | Presence | Intervals


_CUTS: Final = (SplitKind.CUT, SplitKind.INTERVALS)
_no_values = partial(np.zeros, 0)


@dataclass(frozen=True, eq=False)
class SplitTable(ArrayRecord):
    """Splits stored as arrays, one row per split.

    Parameters
    ----------
    kind : int8 array of shape (m,)
        `SplitKind` of each row; NONE at leaves.
    column : int32 array of shape (m,)
        Column index in the schema; -1 where there is no split.
    cut : float64 array of shape (m,)
        Boundary of a CUT, NaN elsewhere; on ordered columns a cut between codes.
    low_branch : int8 array of shape (m,)
        Branch of `x <= cut`; 0 for primary splits, 0 or 1 for surrogates.
    level_start : int64 array of shape (m + 1,)
        Row i's level map is the slice `level_start[i]:level_start[i + 1]` of the next two.
    level_code, level_branch : int32 arrays
        Codes present in the node, ascending, and the branch of each.
    interval_start : int64 array of shape (m + 1,), optional
        Row i's cuts of INTERVALS are the slice `interval_start[i]:interval_start[i + 1]` of the
        next.
    interval_cut : float64 array, optional
        Ascending. An infinite last cut marks the next branch as the one for missing values. LEVELS
        have none, or one infinite cut if their last branch takes the missing values.
    digits : int8 array of shape (m,), optional
        Fewest significant digits at which the rounded cuts of a CUT or INTERVALS keep every value
        of the training column in its branch; 17 by default, 0 for other kinds.

    Examples
    --------
    >>> from ceiba.tree import SplitTable
    >>> len(SplitTable.none(3))
    3
    """

    kind: Array
    column: Array
    cut: Array
    low_branch: Array
    level_start: Array
    level_code: Array
    level_branch: Array
    interval_start: Array = field(default_factory=_no_values)
    interval_cut: Array = field(default_factory=_no_values)
    digits: Array = field(default_factory=_no_values)

    _DTYPES: ClassVar = {
        "kind": np.int8,
        "column": np.int32,
        "cut": np.float64,
        "low_branch": np.int8,
        "level_start": np.int64,
        "level_code": np.int32,
        "level_branch": np.int32,
        "interval_start": np.int64,
        "interval_cut": np.float64,
        "digits": np.int8,
    }

    def __post_init__(self) -> None:
        if not len(self.interval_start):  # no intervals
            object.__setattr__(self, "interval_start", np.zeros(len(self.kind) + 1, np.int64))
        if not len(self.digits):  # without training data
            object.__setattr__(self, "digits", np.where(np.isin(self.kind, _CUTS), ALL_DIGITS, 0))
        super().__post_init__()

    def __len__(self) -> int:
        return len(self.kind)

    def __hash__(self) -> int:
        return hash((len(self), self.column.tobytes()))

    @classmethod
    def none(cls, m: int) -> SplitTable:
        """Return a table of `m` rows without splits (all leaves)."""
        return cls.cuts(np.full(m, -1), np.full(m, np.nan))

    @classmethod
    def cuts(cls, column: Array, cut: Array) -> SplitTable:
        """Return a table of numeric cuts; rows whose column is negative are leaves."""
        column = np.asarray(column, np.int32)
        inner = column >= 0
        empty = np.zeros(0, np.int32)
        return cls(
            kind=np.where(inner, SplitKind.CUT, SplitKind.NONE).astype(np.int8),
            column=np.where(inner, column, -1),
            cut=np.where(inner, cut, np.nan),
            low_branch=np.zeros(len(column), np.int8),
            level_start=np.zeros(len(column) + 1, np.int64),
            level_code=empty,
            level_branch=empty,
        )

    @classmethod
    def from_splits(cls, splits: Sequence[Split | None], schema: Schema) -> SplitTable:
        """Build a table from single splits, where None is a leaf.

        Level names become codes and column names become indices by `schema`.
        """
        m = len(splits)
        kind, column = np.zeros(m, np.int8), np.full(m, -1, np.int32)
        cut, low = np.full(m, np.nan), np.zeros(m, np.int8)
        start = np.zeros(m + 1, np.int64)
        codes: list[int] = []
        branches: list[int] = []
        cut_start = np.zeros(m + 1, np.int64)
        cuts: list[float] = []
        index = {name: j for j, name in enumerate(schema.names)}
        code_of: dict[int, dict[Any, int]] = {}
        for i, split in enumerate(splits):
            if split is not None:
                # `schema.index` raises the error for an unknown name.
                j = index[split.column] if split.column in index else schema.index(split.column)
                column[i] = j
            if isinstance(split, Cut):
                kind[i], cut[i], low[i] = SplitKind.CUT, split.cut, split.low_branch
            elif isinstance(split, Presence):
                kind[i] = SplitKind.PRESENCE
            elif isinstance(split, Intervals):
                kind[i] = SplitKind.INTERVALS
                cuts += [*split.cuts, *([np.inf] if split.missing_branch else [])]
            elif isinstance(split, LevelSets):
                kind[i] = SplitKind.LEVELS
                level_codes = code_of.setdefault(
                    j, {level: code for code, level in enumerate(schema.columns[j].levels)}
                )
                for code, branch in _level_map(split, level_codes):
                    codes.append(code)
                    branches.append(branch)
                cuts += [np.inf] if split.missing_branch else []
            start[i + 1], cut_start[i + 1] = len(codes), len(cuts)
        return cls(
            kind,
            column,
            cut,
            low,
            start,
            np.array(codes, np.int32),
            np.array(branches, np.int32),
            cut_start,
            np.array(cuts, np.float64),
            np.array([getattr(split, "digits", 0) for split in splits], np.int8),
        )

    def level_map(self, i: int) -> tuple[Array, Array]:
        """Return the ascending level codes of row i, and the branch of each code."""
        entries = slice(int(self.level_start[i]), int(self.level_start[i + 1]))
        return self.level_code[entries], self.level_branch[entries]

    def interval_cuts(self, i: int) -> Array:
        """Return the ascending interval cuts of row i, one fewer than its branches."""
        return self.interval_cut[int(self.interval_start[i]) : int(self.interval_start[i + 1])]

    @property
    def has_digits(self) -> bool:
        """Whether any cut can be printed with fewer than 17 digits."""
        return bool(np.any(self.digits[np.isin(self.kind, _CUTS)] < ALL_DIGITS))

    @cached_property
    def has_missing_branch(self) -> Array:
        """Whether the last branch of each row takes only missing values."""
        has = np.diff(self.interval_start) > 0
        alone = np.zeros(len(self), bool)
        alone[has] = self.interval_cut[self.interval_start[1:][has] - 1] == np.inf
        return np.asarray(alone | (self.kind == SplitKind.PRESENCE), bool)

    def node_cuts(self, i: int) -> list[float]:
        """Return the finite cuts of row i if it is a CUT or INTERVALS, or [] for other kinds."""
        if self.kind[i] == SplitKind.CUT:
            return [float(self.cut[i])]
        cuts = self.interval_cuts(i)
        return [float(cut) for cut in cuts[np.isfinite(cuts)]]

    def bounds(self, i: int, branch: int) -> tuple[float, float]:
        """Return the interval (low, high] of values that row i sends to `branch`.

        For a CUT or INTERVALS; a branch for missing values has an empty interval at infinity.
        """
        if self.kind[i] == SplitKind.CUT:
            cut = float(self.cut[i])
            return (-np.inf, cut) if branch == self.low_branch[i] else (cut, np.inf)
        cuts = (-np.inf, *self.interval_cuts(i).tolist(), np.inf)
        return cuts[branch], cuts[branch + 1]

    def cuts_of(self, column: int) -> Array:
        """Return the distinct cuts of a column, ascending.

        Examples
        --------
        >>> import ceiba
        >>> ceiba.tree.build(("x <= 2.5", "a", ("x <= 1", "b", "a"))).splits.cuts_of(0).tolist()
        [1.0, 2.5]
        """
        asks = self.column == column
        single = self.cut[asks & (self.kind == SplitKind.CUT)]
        several = self.interval_cut[np.repeat(asks, np.diff(self.interval_start))]
        return np.unique(np.concatenate((single, several[np.isfinite(several)])))

    def split(self, i: int, schema: Schema) -> Split | None:
        """Return row i as a `Cut`, `LevelSets`, `Intervals` or `Presence`, or None for a leaf."""
        kind = self.kind[i]
        if kind == SplitKind.NONE:
            return None
        info = schema.columns[int(self.column[i])]
        if kind == SplitKind.CUT:
            return Cut(info.name, float(self.cut[i]), int(self.low_branch[i]), int(self.digits[i]))
        if kind == SplitKind.PRESENCE:
            return Presence(info.name)
        if kind == SplitKind.INTERVALS:
            cuts = self.interval_cuts(i)
            finite = cuts[np.isfinite(cuts)]
            alone = len(finite) < len(cuts)
            return Intervals(info.name, tuple(finite.tolist()), alone, int(self.digits[i]))
        codes, branches = self.level_map(i)
        groups: list[list[Any]] = [[] for _ in range(int(branches.max(initial=-1)) + 1)]
        for code, branch in zip(codes.tolist(), branches.tolist(), strict=True):
            groups[branch].append(info.levels[code])
        return LevelSets(info.name, tuple(map(tuple, groups)), bool(self.has_missing_branch[i]))

    def take(self, rows: Array, leaf: Array | None = None) -> SplitTable:
        """Return a table of the given rows, without a split where `leaf` is True."""
        rows = np.asarray(rows, np.int64)
        levels = (self.level_code, self.level_branch)
        level_start, (codes, branches) = take_ragged(self.level_start, levels, rows, leaf)
        cut_start, (cuts,) = take_ragged(self.interval_start, (self.interval_cut,), rows, leaf)
        per_row: dict[str, Any] = {name: getattr(self, name)[rows] for name in _NO_SPLIT}
        if leaf is not None:
            per_row = {
                name: np.where(leaf, _NO_SPLIT[name], array) for name, array in per_row.items()
            }
        return SplitTable(
            level_start=level_start,
            level_code=codes,
            level_branch=branches,
            interval_start=cut_start,
            interval_cut=cuts,
            **per_row,
        )


#: Values of the fields for a row without a split.
_NO_SPLIT: Final = {
    "kind": SplitKind.NONE, "column": -1, "cut": np.nan, "low_branch": 0, "digits": 0
}  # fmt: skip


def _level_map(split: LevelSets, level_codes: dict[Any, int]) -> list[tuple[int, int]]:
    """Return the (level code, branch) pairs of a split, sorted by code."""
    pairs: list[tuple[int, int]] = []
    for branch, group in enumerate(split.branches):
        for level in group:
            if level not in level_codes:
                allowed = ", ".join(map(str, level_codes))
                raise TreeError(
                    f"Column {split.column!r}: level {level!r} in a split is not in the schema. "
                    f"Levels: {allowed}. Add it to the column's levels."
                )
            pairs.append((level_codes[level], branch))
    pairs.sort()
    for (code, _), (following, _) in pairwise(pairs):
        if code == following:
            level = list(level_codes)[code]
            raise TreeError(
                f"Column {split.column!r}: level {level!r} is in two branches of a split."
            )
    return pairs
