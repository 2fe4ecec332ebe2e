"""Build trees from nested Python literals.

A split is a tuple (or list), anything else is a leaf:

- `("Patrons", {"None": ..., "Some": ..., "Full": ...})`: one branch per entry, in the order
  written; a tuple as key groups levels: `("Type", {("French", "Thai"): ..., ...})`.
- `("age <= 30", if_true, if_false)`: a condition as ceiba prints it (`splits/parse.py`), such as
  `"age > 30"`, `"city = Oslo"`, `"city in {Oslo, Lima}"`, `"income is missing"`; or a condition
  per branch: `("city = Oslo | city = Lima | city = Rome", ..., ..., ...)`.
- `(("age", [18, 65]), first, second, third)`: several cuts, a branch for each interval.
- `(split, branch, branch, ...)` with a `Cut`, `Intervals`, `LevelSets` or `Presence` value.

Leaves: a class label or a number, a dict of class counts or probabilities, or a `Leaf`.
The literal is read with an explicit stack, so its depth is not limited by recursion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.errors import TreeError, did_you_mean
from ceiba.table import ColumnInfo, Kind, Schema, TargetInfo
from ceiba.task import Task, TaskName
from ceiba.tree.arrays import Array
from ceiba.tree.construct.from_arrays import from_arrays
from ceiba.tree.splits.parse import SPLIT_FORMS, parse_split
from ceiba.tree.splits.split_table import Cut, Intervals, LevelSets, Presence, Split, SplitTable
from ceiba.tree.tree import Missing, Tree, Unseen


@dataclass(frozen=True)
class Leaf:
    """A leaf with its value or class counts and, optionally, its rows, weight and impurity.

    Parameters
    ----------
    value : label or number, optional
        A class label, or the value of a regression leaf.
    counts : mapping of label to number, optional
        Class counts or probabilities. Integer counts also set the leaf's rows and weight.
    rows : int, optional
        Rows in the leaf (default: from integer counts, else 0).
    weight : float, optional
        Weight of the leaf (default: its rows if not 0, else the sum of counts, else 1).
    impurity : float
        Impurity of a regression leaf.

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("x <= 2.5", ceiba.tree.Leaf(1.5, rows=20), 4.0))
    >>> tree.n_rows.tolist()
    [20, 20, 0]
    """

    value: Any = None
    counts: Mapping[Any, float] | None = None
    rows: int | None = None
    weight: float | None = None
    impurity: float = 0.0


def build(
    literal: Any,
    *,
    levels: Mapping[str, Sequence[Any]] | None = None,
    ordered: Iterable[str] = (),
    ranges: Mapping[str, tuple[float, float]] | None = None,
    columns: Sequence[str] | None = None,
    target: str | None = None,
    classes: Sequence[Any] | None = None,
    task: TaskName | None = None,
    criterion: str | None = None,
    missing: Missing = "majority",
    unseen: Unseen = "majority",
    cost_matrix: npt.ArrayLike | None = None,
) -> Tree:
    """Build a tree from a nested literal.

    Parameters
    ----------
    literal : nested tuples, dicts and leaves
        A split is `(column, {level: branch, ...})`, `("column <= number", if_true, if_false)` (or
        another condition as ceiba prints it), `(("column", [cut, cut, ...]), branch, ...)` or
        `(Cut | Intervals | LevelSets | Presence, branch, ...)`. Anything else is a leaf.
    levels : mapping of column name to levels, optional
        Levels of categorical columns, in order; also of columns that the tree does not use.
        Levels that only the literal names are added in the order written.
    ordered : names
        Which columns with levels are ordered: `("Price <= $$", ..., ...)`.
    ranges : mapping of column name to (lowest, highest), optional
        Range of numeric columns, for `Tree.sample`.
    columns : sequence of names, optional
        Order of the columns. Default: those of `levels`, of `ranges`, then of the literal.
    target : str, optional
        Name of the target.
    classes : sequence of labels, optional
        Order of the classes. Default: sorted, or as in the literal if they cannot be sorted.
    task : {"classification", "regression"}, optional
        Default: regression if every leaf is a number (not a bool), else classification.
    criterion, missing, unseen, cost_matrix
        As in `Tree`.

    Returns
    -------
    Tree
        A tree without data: `n_rows` is 0 and each leaf has weight 1, unless leaves define them.

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(
    ...     ("Patrons", {
    ...         "None": "No",
    ...         "Some": "Yes",
    ...         "Full": ("WaitEstimate <= 30", "Yes", "No"),
    ...     }),
    ...     target="WillWait",
    ... )
    >>> print(tree)
    root
    ├─ Patrons = None  → No
    ├─ Patrons = Some  → Yes
    └─ Patrons = Full
       ├─ WaitEstimate <= 30  → Yes
       └─ WaitEstimate > 30  → No
    """
    levels, ordered = levels or {}, frozenset(ordered)
    for name in ordered - levels.keys():
        raise TreeError(
            f"Column {name!r} in `ordered` has no levels. Pass levels={{{name!r}: [...]}}."
        )
    flat = _flatten(
        literal,
        {
            name: _build_column(name, dict.fromkeys(of), name in ordered, None)
            for name, of in levels.items()
        },
    )
    infos = _build_columns(flat, levels, ordered, ranges or {}, columns)
    leaves = flat.leaves.values()
    numbers = all(leaf.counts is None and _is_number(leaf.value) for leaf in leaves)
    inferred = Task.REGRESSION if numbers else Task.CLASSIFICATION
    info = _build_target(flat, inferred if task is None else Task(task), target, classes)
    schema = Schema(columns=infos, target=info, named=True)
    info_of = {column.name: column for column in infos}
    splits = [
        split if split is None else _complete_split(split, info_of[split.column], flat, node)
        for node, split in enumerate(flat.splits)
    ]
    content = _leaf_arrays(flat, info)
    tree = from_arrays(
        schema,
        parent=np.array(flat.parent),
        splits=SplitTable.from_splits(splits, schema),
        criterion=criterion,
        missing=missing,
        unseen=unseen,
        cost_matrix=cost_matrix,
        **content,
    )
    if not flat.missing:
        return tree
    default = tree.default_branch.copy()
    default[list(flat.missing)] = list(flat.missing.values())
    return replace(tree, default_branch=default)


# ---------------------------------------------------------------------- reading


@dataclass
class _FlatLiteral:
    """The nodes of a nested literal as flat lists, in pre-order."""

    parent: list[int] = field(default_factory=list)
    branch: list[int] = field(default_factory=list)
    splits: list[Split | None] = field(default_factory=list)
    leaves: dict[int, Leaf] = field(default_factory=dict)
    missing: dict[int, int] = field(default_factory=dict)  # default branch by node

    def describe_node(self, node: int) -> str:
        """Describe the position of a node in the literal for error messages."""
        words: list[str] = []
        while node > 0 and len(words) < 8:
            split = self.splits[self.parent[node]]
            column = "?" if split is None else split.column
            words.append(f"{column} (branch {self.branch[node]})")
            node = self.parent[node]
        return "at the root" if not words else "under " + ", ".join(reversed(words))


def _flatten(literal: Any, columns: Mapping[str, ColumnInfo]) -> _FlatLiteral:
    out = _FlatLiteral()
    waiting: list[tuple[Any, int, int]] = [(literal, -1, -1)]
    while waiting:
        item, parent, branch = waiting.pop()
        node = len(out.parent)
        out.parent.append(parent)
        out.branch.append(branch)
        out.splits.append(None)
        if isinstance(item, tuple | list):
            out.splits[node], below = _read_split(item, columns, out, node)
            waiting.extend((child, node, b) for b, child in reversed(list(enumerate(below))))
        elif isinstance(item, Leaf):
            out.leaves[node] = item
        elif item is None:
            raise TreeError(
                f"Hand-written tree, {out.describe_node(node)}: a leaf must be a label, a number, "
                "class counts or a Leaf, got None."
            )
        else:
            out.leaves[node] = Leaf(counts=item) if isinstance(item, Mapping) else Leaf(item)
    return out


def _read_split(
    item: Sequence[Any], columns: Mapping[str, ColumnInfo], out: _FlatLiteral, node: int
) -> tuple[Split, list[Any]]:
    """Return the split of a literal (split, branch, ...), and the branches in the split's order."""
    question, branches = (item[0], list(item[1:])) if len(item) > 1 else (None, [])
    if isinstance(question, str) and len(branches) == 1 and isinstance(branches[0], Mapping):
        groups = [key if isinstance(key, tuple) else (key,) for key in branches[0]]
        return LevelSets(question, tuple(groups)), list(branches[0].values())
    if isinstance(question, tuple) and len(question) == 2 and isinstance(question[1], list | tuple):
        name, cuts = question
        if len(cuts) == len(branches) - 1 >= 1 and all(map(_is_number, cuts)):
            floats = tuple(map(float, cuts))
            question = Intervals(name, floats) if len(floats) > 1 else Cut(name, floats[0])
    split = question if isinstance(question, Cut | Intervals | LevelSets | Presence) else None
    if split is not None and len(branches) == split.n_branches:
        if isinstance(split, Cut) and split.low_branch == 1:
            return Cut(split.column, split.cut), branches[::-1]
        return split, branches
    if isinstance(question, str) and len(branches) >= 2:
        try:
            sentences = parse_split(question, columns, closed=False)
        except TreeError as error:
            raise TreeError(f"Hand-written tree, {out.describe_node(node)}: {error}") from None
        if len(branches) == max(len(sentences.branches), 2):
            if sentences.missing is not None:
                out.missing[node] = sentences.missing
            first = sentences.branches[0]
            swapped = len(branches) == 2 and first == 1
            return sentences.split, branches[::-1] if swapped else branches
    raise TreeError(
        f"Hand-written tree, {out.describe_node(node)}: {_abbreviate(item)} is not a valid split. "
        "Write it as (column, {level: branch, ...}) or as (condition, if_true, if_false). "
        f"Conditions: {SPLIT_FORMS}."
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _abbreviate(item: Sequence[Any]) -> str:
    """Describe a literal by its first element, because other elements may be deeply nested."""
    first = repr(item[0])[:60] if len(item) and isinstance(item[0], str) else "..."
    return f"({first}, ...) of length {len(item)}"


# ---------------------------------------------------------------------- schema


def _build_columns(
    flat: _FlatLiteral,
    levels: Mapping[str, Sequence[Any]],
    ordered: frozenset[str],
    ranges: Mapping[str, tuple[float, float]],
    columns: Sequence[str] | None,
) -> tuple[ColumnInfo, ...]:
    used = list(dict.fromkeys(split.column for split in flat.splits if split is not None))
    names = list(dict.fromkeys([*levels, *ranges, *used]))
    if columns is not None:
        unlisted = [name for name in names if name not in columns]
        if unlisted:
            raise TreeError(
                f"Column {unlisted[0]!r} is missing from columns={list(columns)}."
                f"{did_you_mean(unlisted[0], columns)}"
            )
        names = list(columns)
    # A dict serves as an ordered set: its keys keep the order of the literal.
    levels_of: dict[str, dict[Any, None]] = {name: dict.fromkeys(of) for name, of in levels.items()}
    for split in flat.splits:
        if isinstance(split, LevelSets):
            group_levels = levels_of.setdefault(split.column, {})
            group_levels.update(dict.fromkeys(level for group in split.branches for level in group))
    return tuple(
        _build_column(name, levels_of.get(name), name in ordered, ranges.get(name))
        for name in names
    )


def _build_column(
    name: str, levels: dict[Any, None] | None, is_ordered: bool, span: tuple[float, float] | None
) -> ColumnInfo:
    if levels is not None:
        kind = Kind.ORDERED if is_ordered else Kind.CATEGORICAL
        return ColumnInfo(name=name, kind=kind, levels=tuple(levels))
    low, high = span if span is not None else (None, None)
    return ColumnInfo(name=name, kind=Kind.NUMERIC, minimum=low, maximum=high)


def _complete_split(split: Split, info: ColumnInfo, flat: _FlatLiteral, node: int) -> Split:
    """Add a branch for the other levels if only one is given; reject cuts of unordered levels."""
    if isinstance(split, Cut | Intervals) and info.kind == Kind.CATEGORICAL:
        raise TreeError(
            f"Hand-written tree, {flat.describe_node(node)}: column {info.name!r} has both levels "
            "and a numeric cut. Write (column, {level: branch, ...}), or put it into `ordered`."
        )
    if isinstance(split, LevelSets) and flat.parent.count(node) > split.n_branches:
        remaining = tuple(level for level in info.levels if level not in split.branches[0])
        if not remaining:
            raise TreeError(
                f"Hand-written tree, {flat.describe_node(node)}: {split.sentence(0)!r} "
                f"contains all known levels of column {info.name!r}, so the second branch is "
                f"empty. Pass all levels of the column: levels={{{info.name!r}: [...]}}."
            )
        return LevelSets(split.column, (split.branches[0], remaining))
    return split


# ---------------------------------------------------------------------- leaves


def _build_target(flat: _FlatLiteral, task: Task, name: str | None, classes: Any) -> TargetInfo:
    if task.is_regression("A tree written by hand"):
        return TargetInfo(name=name, task=task, classes=(), n_outputs=1)
    if classes is None:
        met: dict[Any, None] = {}
        for leaf in flat.leaves.values():
            met.update(dict.fromkeys(leaf.counts if leaf.counts is not None else (leaf.value,)))
        try:
            classes = sorted(met)
        except TypeError:
            classes = list(met)
    labels = np.array(classes)
    if labels.ndim != 1 or (
        labels.dtype.kind in "US" and not all(isinstance(label, str) for label in classes)
    ):
        labels = np.empty(len(classes), object)
        labels[:] = classes
    return TargetInfo(name=name, task=task, classes=(labels,), n_outputs=1)


def _leaf_arrays(flat: _FlatLiteral, target: TargetInfo) -> dict[str, Any]:
    """Return node arrays with the values and weights of the leaves, and NaN or 0 elsewhere."""
    n = len(flat.parent)
    size = target.width
    value = np.full((n, 1, size), np.nan)
    rows, weight, impurity = np.zeros((3, n))
    counts = None
    if target.task.has_classes:
        code_of = {label: k for k, label in enumerate(target.classes[0].tolist())}
        counts = np.zeros((n, 1, size))
        for node, leaf in flat.leaves.items():
            counts[node, 0] = _leaf_counts(leaf, code_of, flat, node)
            value[node] = counts[node] / counts[node].sum()
    for node, leaf in flat.leaves.items():
        if counts is None:
            value[node] = _leaf_number(leaf, flat, node)
        rows[node] = leaf.rows if leaf.rows is not None else _count_rows(leaf)
        by_counts = float(counts[node].sum()) if counts is not None else 0.0
        heavy = leaf.weight if leaf.weight is not None else rows[node] or by_counts or 1.0
        weight[node] = heavy
        impurity[node] = leaf.impurity
        if counts is not None:
            counts[node] *= heavy / by_counts
    spread = impurity if counts is None and impurity.any() else None
    return {"value": value, "counts": counts, "n_rows": rows, "weight": weight, "impurity": spread}


def _leaf_counts(leaf: Leaf, code_of: Mapping[Any, int], flat: _FlatLiteral, node: int) -> Array:
    """Return the class counts (or probabilities) of a leaf as an array in class order."""
    counts = {leaf.value: 1.0} if leaf.counts is None else leaf.counts
    row = np.zeros(len(code_of))
    for label, count in counts.items():
        if label not in code_of:
            raise TreeError(
                f"Hand-written tree, {flat.describe_node(node)}: class {label!r} is not in "
                f"classes={list(code_of)}.{did_you_mean(str(label), [str(c) for c in code_of])}"
            )
        row[code_of[label]] += count
    if not (np.all(np.isfinite(row) & (row >= 0)) and row.sum() > 0):
        raise TreeError(
            f"Hand-written tree, {flat.describe_node(node)}: class counts must be "
            f"finite, at least 0 and not all 0, got {dict(counts)}."
        )
    return row


def _leaf_number(leaf: Leaf, flat: _FlatLiteral, node: int) -> float:
    try:
        number = float(leaf.value)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        raise TreeError(
            f"Hand-written tree, {flat.describe_node(node)}: a leaf of a regression tree must "
            f"be a finite number, got {leaf.value!r}. Pass task='classification' for labels."
        )
    return number


def _count_rows(leaf: Leaf) -> int:
    """Return the sum of a leaf's class counts, or 0 if a count is not an integer."""
    counts = list(leaf.counts.values()) if leaf.counts is not None else []
    are_integers = all(isinstance(count, int | np.integer) for count in counts)
    return int(sum(counts)) if are_integers else 0
