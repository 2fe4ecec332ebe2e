"""Convert a tree to plain lists for the exports to Python, C and JavaScript.

The exports are tables and a loop, not nested conditions, because compilers and interpreters limit
the depth of nested code. Only columns with a split or surrogate are in the program.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ceiba.errors import OptionError, TreeError
from ceiba.table import ColumnInfo, Kind
from ceiba.task import Task
from ceiba.tree import Tree, has_curve, node_curve, note_lines
from ceiba.tree.splits import SplitKind, SplitTable

LEAF, CUT, LEVELS, PRESENCE, INTERVALS = (int(kind) for kind in SplitKind)
ROOT: Final = -3  # branch of unseen levels if the root predicts them


@dataclass(frozen=True)
class ProgramSplit:
    """A split as plain values."""

    kind: int
    column: int  # index into the columns of the program
    cut: float
    low: int  # branch of values at or below the cut
    sets: int  # index into the level sets of the program
    n_levels: int  # number of levels, 0 for a numeric column
    cuts: tuple[float, ...] = ()  # of intervals; the branch is the number of cuts below the value

    def row(self) -> list[Any]:
        """Return the kind, column, rule and low branch; the rule is the cut, `sets` or the cuts."""
        rules: dict[int, Any] = {CUT: self.cut, LEVELS: self.sets, INTERVALS: list(self.cuts)}
        return [self.kind, self.column, rules.get(self.kind), self.low]


@dataclass(frozen=True)
class ProgramNode:
    """A node with its split, children, and branches of missing and unseen values (-1: stays)."""

    question: ProgramSplit | None
    children: tuple[int, ...] = ()
    missing: int = -1
    unseen: int = -1  # or ROOT
    surrogates: tuple[ProgramSplit, ...] = ()
    shares: tuple[float, ...] = ()

    def row(self) -> list[Any] | None:
        """Return split, children, branches of missing and unseen, surrogates, and any shares."""
        if self.question is None:
            return None
        shares = [list(self.shares)] if self.shares else []
        surrogates = [surrogate.row() for surrogate in self.surrogates]
        children = list(self.children)
        return [self.question.row(), children, self.missing, self.unseen, surrogates, *shares]


@dataclass(frozen=True)
class Program:
    """A whole tree as plain lists."""

    tree: Tree
    columns: list[ColumnInfo]
    column_ids: list[int]  # indices of the columns in the schema
    nodes: list[ProgramNode]
    sets: list[tuple[tuple[int, ...], ...]]
    value: list[Any]
    answer: list[list[Any]]

    @property
    def labels(self) -> list[list[Any]]:
        """Class labels of each output as plain values."""
        return [labels.tolist() for labels in self.tree.target.classes]

    def branch_of_codes(self, index: int) -> list[tuple[int, int]]:
        """Return the codes in one level set with their branches, in ascending order."""
        sets = enumerate(self.sets[index])
        return sorted((code, branch) for branch, codes in sets for code in codes)


def header(tree: Tree, before_note: str | None = None) -> str:
    """Return the ASCII header of a file: a line about the tree and one line per note."""
    named = tree.target.outputs or ([] if tree.target.name is None else [tree.target.name])
    what = f" of {', '.join(ascii(name) for name in named)}" if named else ""
    notes = [] if before_note is None else note_lines(tree)
    lines = "".join(f"{before_note}{ascii(note)[1:-1]}" for note in notes)
    risk = ", which predicts the relative risk" if tree.task is Task.SURVIVAL else ""
    return f"A tree{what} with {tree.n_leaves} leaves{risk}.{lines}"


def to_program(tree: Tree, format_name: str) -> Program:
    """Return a tree as plain lists."""
    for labels in tree.target.classes:
        for label in labels.tolist():
            if not isinstance(label, str | int | float | bool):
                raise TreeError(
                    f"{format_name}: class {label!r} ({type(label).__name__}) is not supported. "
                    "Classes must be strings, numbers or booleans. Convert the target and refit."
                )
    column_ids = tree.used_features.tolist()
    position = {j: k for k, j in enumerate(column_ids)}
    surrogates = tree.active_surrogates
    start, nodes = tree.branch_start.tolist(), tree.branch_node.tolist()
    default, most = tree.default_branch.tolist(), tree.majority_branch.tolist()
    shares = tree.branch_share.tolist() if tree.missing == "fractional" else []
    # Store equal level sets only once, because trees with many levels repeat them.
    set_ids: dict[tuple[tuple[int, ...], ...], int] = {}

    def question(splits: SplitTable, k: int) -> ProgramSplit:
        return _read_split(tree, splits, k, position, set_ids)

    program_nodes = []
    for i in range(tree.n_nodes):
        children = tuple(nodes[start[i] : start[i + 1]])
        if not children:
            program_nodes.append(ProgramNode(None))
            continue
        stored: range = range(0)
        if surrogates is not None:
            stored = range(*surrogates.start[i : i + 2].tolist())
        program_nodes.append(
            ProgramNode(
                question(tree.splits, i),
                children,
                default[i],
                {"missing": -1, "default": ROOT}.get(tree.unseen, most[i]),
                tuple(question(surrogates.splits, k) for k in stored)
                if surrogates is not None
                else (),
                tuple(shares[start[i] : start[i + 1]]),
            )
        )
    if not tree.task.has_classes:
        answer = tree.value[:, :, 0].tolist()
    else:
        answer = tree.answer.reshape(tree.n_nodes, -1).tolist()
    columns = [tree.schema.columns[j] for j in column_ids]
    sets, value = list(set_ids), tree.value.tolist()
    return Program(tree, columns, column_ids, program_nodes, sets, value, answer)


def _read_split(
    tree: Tree,
    splits: SplitTable,
    i: int,
    position: dict[int, int],
    set_ids: dict[tuple[tuple[int, ...], ...], int],
) -> ProgramSplit:
    j = int(splits.column[i])
    info = tree.schema.columns[j]
    n_levels = 0 if info.kind == Kind.NUMERIC else len(info.levels)
    kind, sets = int(splits.kind[i]), -1
    if kind == LEVELS:
        codes, branches = splits.level_map(i)
        codes_of: list[list[int]] = [[] for _ in range(int(branches.max(initial=-1)) + 1)]
        for code, branch in zip(codes.tolist(), branches.tolist(), strict=True):
            codes_of[branch].append(code)
        level_sets = tuple(tuple(sorted(codes)) for codes in codes_of)
        sets = set_ids.setdefault(level_sets, len(set_ids))
    cut = float(splits.cut[i]) if kind == CUT else 0.0
    low = int(splits.low_branch[i])
    # No number exceeds an infinite cut, so its last branch is for missing values.
    cuts = tuple(c for c in splits.interval_cuts(i).tolist() if np.isfinite(c))
    return ProgramSplit(kind, position[j], cut, low, sets, n_levels, cuts)


def read_times(tree: Tree, times: Sequence[float]) -> list[float]:
    """Check the times of the exported survival curve; raise an error if the tree has no curves."""
    chosen = np.asarray(times, dtype=np.float64).reshape(-1)
    if len(chosen) and (tree.task is not Task.SURVIVAL or not has_curve(tree)):
        raise OptionError("times requires a survival tree with Kaplan-Meier curves.")
    if not (np.isfinite(chosen) & (chosen >= 0)).all():
        raise OptionError(f"times must be finite and at least 0, got {list(times)!r}.")
    return [float(time) for time in chosen]


def median_or_none(tree: Tree, node: int) -> float | None:
    """Return the median time of a node, or None if it is not reached."""
    median = node_curve(tree, node).median().value
    return median if math.isfinite(median) else None


def survival_at(tree: Tree, node: int, times: Sequence[float]) -> list[float]:
    """Return the survival probability of a node at some times."""
    return [float(share) for share in node_curve(tree, node)(times)]
