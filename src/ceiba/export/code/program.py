"""Convert a tree to plain lists for the exports to C, JavaScript, Python and ONNX.

Exported code has tables and a loop, not nested conditions, because compilers and interpreters limit
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
ROOT: Final = -3  # branch number of unseen levels if their rows get the root's prediction


@dataclass(frozen=True)
class ProgramSplit:
    """A split as plain Python values."""

    kind: int
    column: int  # index of the tested column in `Program.columns`
    cut: float
    low: int  # branch that contains the values at or below the cut
    sets: int  # index in `Program.sets`; -1 if the split has no level sets
    n_levels: int  # number of levels; 0 if the column is numeric
    cuts: tuple[float, ...] = ()  # cuts of a split into intervals

    def row(self) -> list[Any]:
        """Return the split as a list for the exported code: kind, column, rule and low branch."""
        rules: dict[int, Any] = {CUT: self.cut, LEVELS: self.sets, INTERVALS: list(self.cuts)}
        return [self.kind, self.column, rules.get(self.kind), self.low]


@dataclass(frozen=True)
class ProgramNode:
    """A node of a tree as plain Python values."""

    question: ProgramSplit | None
    children: tuple[int, ...] = ()
    missing: int = -1  # branch of missing values; -1 if their rows stay in the node or are divided
    unseen: int = -1  # branch of unseen levels, ROOT, or -1 if they count as missing
    surrogates: tuple[ProgramSplit, ...] = ()
    shares: tuple[float, ...] = ()

    def row(self) -> list[Any] | None:
        """Return the fields as a list for the exported code, or None for a leaf."""
        if self.question is None:
            return None
        shares = [list(self.shares)] if self.shares else []
        surrogates = [surrogate.row() for surrogate in self.surrogates]
        children = list(self.children)
        return [self.question.row(), children, self.missing, self.unseen, surrogates, *shares]


@dataclass(frozen=True)
class Program:
    """A tree as lists of nodes, level sets, values and predictions, for exporting it as code."""

    tree: Tree
    columns: list[ColumnInfo]
    column_ids: list[int]  # index of each column in the schema of the tree
    nodes: list[ProgramNode]
    sets: list[tuple[tuple[int, ...], ...]]
    value: list[Any]
    answer: list[list[Any]]

    @property
    def labels(self) -> list[list[Any]]:
        """Class labels of each output as plain Python values."""
        return [labels.tolist() for labels in self.tree.target.classes]

    def branch_of_codes(self, index: int) -> list[tuple[int, int]]:
        """Return the level codes in `sets[index]` with their branches, in ascending order."""
        sets = enumerate(self.sets[index])
        return sorted((code, branch) for branch, codes in sets for code in codes)


def header(tree: Tree, before_note: str | None = None) -> str:
    """Return a description of a tree in ASCII, and its notes, each preceded by `before_note`."""
    named = tree.target.outputs or ([] if tree.target.name is None else [tree.target.name])
    target = f" of {', '.join(ascii(name) for name in named)}" if named else ""
    notes = [] if before_note is None else note_lines(tree)
    lines = "".join(f"{before_note}{ascii(note)[1:-1]}" for note in notes)
    risk = ", which predicts the relative risk" if tree.task is Task.SURVIVAL else ""
    return f"A tree{target} with {tree.n_leaves} leaves{risk}.{lines}"


def to_program(tree: Tree, format_name: str) -> Program:
    """Convert a tree to a `Program`; raise an error for classes that code cannot represent."""
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
    default, majority = tree.default_branch.tolist(), tree.majority_branch.tolist()
    shares = tree.branch_share.tolist() if tree.missing == "fractional" else []
    # Store equal level sets once, because splits on columns with many levels often repeat them.
    set_ids: dict[tuple[tuple[int, ...], ...], int] = {}

    def question(splits: SplitTable, k: int) -> ProgramSplit:
        return _read_split(tree, splits, k, position, set_ids)

    program_nodes = []
    for i in range(tree.n_nodes):
        children = tuple(nodes[start[i] : start[i + 1]])
        if not children:
            program_nodes.append(ProgramNode(None))
            continue
        indices: range = range(0)
        if surrogates is not None:
            indices = range(*surrogates.start[i : i + 2].tolist())
        program_nodes.append(
            ProgramNode(
                question(tree.splits, i),
                children,
                default[i],
                {"missing": -1, "default": ROOT}.get(tree.unseen, majority[i]),
                tuple(question(surrogates.splits, k) for k in indices)
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
    # Drop infinite cuts: the branch above them contains only missing values.
    cuts = tuple(c for c in splits.interval_cuts(i).tolist() if np.isfinite(c))
    return ProgramSplit(kind, position[j], cut, low, sets, n_levels, cuts)


def read_times(tree: Tree, times: Sequence[float]) -> list[float]:
    """Return the validated times at which the survival curves are exported."""
    chosen = np.asarray(times, dtype=np.float64).reshape(-1)
    if len(chosen) and (tree.task is not Task.SURVIVAL or not has_curve(tree)):
        raise OptionError(f"times={times!r} requires a survival tree with Kaplan-Meier curves.")
    if not (np.isfinite(chosen) & (chosen >= 0)).all():
        raise OptionError(f"times must be finite and at least 0, got {chosen.tolist()!r}.")
    return [float(time) for time in chosen]


def median_or_none(tree: Tree, node: int) -> float | None:
    """Return the median survival time of a node, or None if its curve does not fall to 0.5."""
    median = node_curve(tree, node).median().value
    return median if math.isfinite(median) else None


def survival_at(tree: Tree, node: int, times: Sequence[float]) -> list[float]:
    """Return the survival probabilities of a node at the given times."""
    return [float(share) for share in node_curve(tree, node)(times)]
