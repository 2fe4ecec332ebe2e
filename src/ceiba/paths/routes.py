"""Where a row ends, as conditions: one list of clauses per end, for formats that are flat.

A numeric column is restricted to an interval (low, high] and to present or missing values; a
column with levels to a set of known levels, to unknown levels and to missing values. Along a path
the restrictions of one column merge into one (``x > 1 AND x <= 4``, never the same column twice).
A split with surrogates is a choice of ways: the primary decides, or it is undecided and the first
surrogate decides, and so on to the default branch. An end is a leaf, or an inner node in which
rows stay. The rules are those of `ceiba/tree/trace.py`; every row satisfies exactly one end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ceiba.errors import TreeError
from ceiba.table import Kind
from ceiba.tree.splits.split_table import SplitKind

if TYPE_CHECKING:
    from ceiba.tree.splits.split_table import SplitTable
    from ceiba.tree.tree import Tree

__all__ = [
    "End",
    "LevelSet",
    "Numbers",
    "Restriction",
    "Way",
    "ends_of",
    "refuse_fractional",
    "ways_of",
]


@dataclass(frozen=True)
class Numbers:
    """Values of a numeric column: low < x <= high if present, and whether missing is in.

    Examples
    --------
    >>> from ceiba.paths.routes import Numbers
    >>> Numbers(high=4.0).both(Numbers(low=1.0, missing=False))
    Numbers(low=1.0, high=4.0, present=True, missing=False)
    """

    low: float = -math.inf
    high: float = math.inf
    present: bool = True
    missing: bool = True

    def both(self, other: Numbers) -> Numbers:
        """Give what satisfies both."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        present = self.present and other.present
        present = present and (low < high or (low == -math.inf and high == math.inf))
        return Numbers(low, high, present, self.missing and other.missing)

    @property
    def is_empty(self) -> bool:
        """Whether nothing satisfies it."""
        return not self.present and not self.missing

    @property
    def is_all(self) -> bool:
        """Whether everything satisfies it."""
        bounded = self.low > -math.inf or self.high < math.inf
        return self.present and self.missing and not bounded


@dataclass(frozen=True)
class LevelSet:
    """Values of a column with levels: known codes, unknown levels, missing.

    Examples
    --------
    >>> from ceiba.paths.routes import LevelSet
    >>> LevelSet(frozenset({0, 1}), False, True, 3).is_all
    False
    """

    codes: frozenset[int]
    unknown: bool
    missing: bool
    n_levels: int

    def both(self, other: LevelSet) -> LevelSet:
        """Give what satisfies both."""
        return LevelSet(
            self.codes & other.codes,
            self.unknown and other.unknown,
            self.missing and other.missing,
            self.n_levels,
        )

    @property
    def is_empty(self) -> bool:
        """Whether nothing satisfies it."""
        return not self.codes and not self.unknown and not self.missing

    @property
    def is_all(self) -> bool:
        """Whether everything satisfies it."""
        return len(self.codes) == self.n_levels and self.unknown and self.missing


Restriction = Numbers | LevelSet
Way = dict[int, Restriction]  # column -> what its value must be; all of them


@dataclass(frozen=True)
class End:
    """Where rows end, and what is true of them.

    Attributes
    ----------
    node : int
    merged : dict of column to restriction
        All of them hold.
    choices : tuple of tuples of ways
        Of each choice, one way holds; ways of one choice exclude each other.
    """

    node: int
    merged: Way
    choices: tuple[tuple[Way, ...], ...]


def refuse_fractional(tree: Tree, format_name: str) -> None:
    """Raise if rows go down several branches, which a flat format cannot say."""
    if tree.missing == "fractional":
        raise TreeError(
            f"{format_name}: this tree sends a row with a missing value down every branch "
            "(missing='fractional') and averages the leaves, which the format cannot say. Export "
            "to python, c or javascript, or refit with another `missing`."
        )


def ends_of(tree: Tree) -> Iterator[End]:
    """Give the ends of a tree in pre-order of their nodes, leaving out those no row can reach.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.paths.routes import ends_of
    >>> tree = ceiba.tree.build(("x <= 4", ("x <= 1", "a", "b"), "c"))
    >>> [(end.node, end.merged[0].low, end.merged[0].high) for end in ends_of(tree)]
    [(2, -inf, 1.0), (3, 1.0, 4.0), (4, 4.0, inf)]
    """
    start, nodes = tree.branch_start.tolist(), tree.branch_node.tolist()
    default = tree.default_branch.tolist()
    waiting: list[tuple[int, Way, tuple[tuple[Way, ...], ...]]] = [(0, {}, ())]
    while waiting:
        node, merged, choices = waiting.pop()
        n_branches = start[node + 1] - start[node]
        if n_branches == 0:
            yield End(node, merged, choices)
            continue
        ways = ways_of(tree, node)
        for branch in range(n_branches - 1, -1, -1):
            if (found := _narrow(merged, choices, ways[branch])) is not None:
                waiting.append((nodes[start[node] + branch], *found))
        if default[node] < 0 and (found := _narrow(merged, choices, ways[-1])) is not None:
            yield End(node, *found)


def _narrow(
    merged: Way, choices: tuple[tuple[Way, ...], ...], ways: list[Way]
) -> tuple[Way, tuple[tuple[Way, ...], ...]] | None:
    """Add one more condition (some way of `ways`) to a path; None if no row is left."""
    possible = [way for way in ways if _both(merged, way) is not None]
    if not possible:
        return None
    if len(possible) == 1:
        both = _both(merged, possible[0])
        assert both is not None
        return both, choices
    return merged, (*choices, tuple(possible))


def _both(one: Way, other: Way) -> Way | None:
    result = dict(one)
    for column, wanted in other.items():
        held = result.get(column)
        both = wanted if held is None else held.both(wanted)  # type: ignore[arg-type]
        if both.is_empty:
            return None
        result[column] = both
    return result


def ways_of(tree: Tree, node: int) -> list[list[Way]]:
    """Give the ways into each branch of a node, and last the ways of staying in it."""
    n_branches = int(tree.n_branches[node])
    column, takes, undecided = _primary(tree, node, n_branches)
    ways: list[list[Way]] = [[{column: one}] for one in takes]
    open_way: Way | None = {column: undecided}
    if tree.stand_ins is not None:
        first, last = tree.stand_ins.start[node : node + 2].tolist()
        for k in range(first, last):
            column, takes, left = _ask(tree, tree.stand_ins.splits, k, n_branches)
            for branch, one in enumerate(takes):
                if open_way is not None and (way := _both(open_way, {column: one})) is not None:
                    ways[branch].append(way)
            open_way = None if open_way is None else _both(open_way, {column: left})
    rest: list[Way] = []
    if open_way is not None and not any(one.is_empty for one in open_way.values()):
        rest = [open_way]
    if tree.missing == "error":
        rest = []
    elif (default := int(tree.default_branch[node])) >= 0:
        ways[default].extend(rest)
        rest = []
    return [*(_joined(one) for one in ways), rest]


def _joined(ways: list[Way]) -> list[Way]:
    """Join ways that differ in one column only: ``x <= 2`` or missing is one restriction."""
    kept: list[Way] = []
    for way in ways:
        if any(one.is_empty for one in way.values()):
            continue
        for at, other in enumerate(kept):
            if len(way) == len(other) == 1 and (union := _union(other, way)) is not None:
                kept[at] = union
                break
        else:
            kept.append(way)
    return kept


def _union(one: Way, other: Way) -> Way | None:
    (column, a), (second, b) = next(iter(one.items())), next(iter(other.items()))
    if column != second:
        return None
    if isinstance(a, LevelSet) and isinstance(b, LevelSet):
        union = LevelSet(
            a.codes | b.codes, a.unknown or b.unknown, a.missing or b.missing, a.n_levels
        )
        return {column: union}
    assert isinstance(a, Numbers)
    assert isinstance(b, Numbers)
    if not b.present:
        return {column: replace(a, missing=a.missing or b.missing)}
    return None


def _primary(tree: Tree, node: int, n_branches: int) -> tuple[int, list[Restriction], Restriction]:
    """Give the column, what goes into each branch by the split itself, and what is undecided."""
    column, takes, left = _ask(tree, tree.splits, node, n_branches)
    if not isinstance(left, LevelSet) or tree.splits.kind[node] == SplitKind.PRESENCE:
        return column, takes, left
    if tree.unseen == "missing":
        return column, takes, left
    # A level that the node has not seen goes with the majority; only missing is undecided.
    most = int(tree.majority_branch[node])
    one = takes[most]
    assert isinstance(one, LevelSet)
    unknown = left.unknown and tree.unseen != "error"
    takes[most] = replace(one, codes=one.codes | left.codes, unknown=unknown)
    return column, takes, replace(left, codes=frozenset(), unknown=False)


def _ask(
    tree: Tree, splits: SplitTable, i: int, n_branches: int
) -> tuple[int, list[Restriction], Restriction]:
    """Give the column of split i, what it sends into each branch, and what it cannot place."""
    column = int(splits.column[i])
    info = tree.schema.columns[column]
    n = len(info.levels)
    every = frozenset(range(n))
    if splits.kind[i] == SplitKind.PRESENCE:
        if info.kind == Kind.NUMERIC:
            present: Restriction = Numbers(missing=False)
            return column, [present, Numbers(present=False)], Numbers(present=False, missing=False)
        nothing = LevelSet(frozenset(), False, False, n)
        unknown = tree.unseen != "error"
        return column, [LevelSet(every, unknown, False, n), replace(nothing, missing=True)], nothing
    if splits.kind[i] == SplitKind.CUT and info.kind == Kind.NUMERIC:
        cut, low = float(splits.cut[i]), int(splits.low_branch[i])
        sides: list[Restriction] = [Numbers(high=cut, missing=False)] * 2
        sides[1 - low] = Numbers(low=cut, missing=False)
        return column, sides, Numbers(present=False)
    groups: list[set[int]] = [set() for _ in range(n_branches)]
    if splits.kind[i] == SplitKind.CUT:
        low = int(splits.low_branch[i])
        for code in range(n):
            groups[low if code <= splits.cut[i] else 1 - low].add(code)
    else:
        codes, branches = splits.level_map(i)
        for code, branch in zip(codes.tolist(), branches.tolist(), strict=True):
            groups[branch].add(code)
    placed = frozenset().union(*groups)
    return (
        column,
        [LevelSet(frozenset(group), False, False, n) for group in groups],
        LevelSet(every - placed, True, True, n),
    )
