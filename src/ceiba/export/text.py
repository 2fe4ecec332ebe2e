"""Format a tree as text, with one line per node or one rule per leaf.

Nodes are numbered in pre-order, so a loop over them writes the lines, and a folded subtree is
skipped by jumping to `subtree_end`. There is no recursion on depth.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ceiba.errors import OptionError
from ceiba.formatting import escape_control
from ceiba.layout import node_strengths, percent, survival_texts
from ceiba.paths import end_conditions, refuse_fractional, root_answers
from ceiba.task import Task
from ceiba.tree import Array, Tree, note_text
from ceiba.tree.splits import ALL_DIGITS, DIGITS, class_text, level_text, number_text
from ceiba.words import Catalogue
from ceiba.words import words as words_of

FOLD_DEPTH: Final = 30
_CODE: Final = re.compile("\x1b\\[[0-9;]*m")
_ANSI: Final = (34, 31, 32, 33, 36, 35)  # ANSI codes of blue, red, green, yellow, cyan and magenta


@dataclass(frozen=True)
class _Pen:
    """The characters with which a tree is drawn as text."""

    fork: str
    last: str
    bar: str
    gap: str
    arrow: str
    dots: str
    full: str
    empty: str
    fills: str  # one character per class, for bars without color


_UNICODE: Final = _Pen("├─ ", "└─ ", "│  ", "   ", "→ ", "…", "■", "□", "█▒░▓")
_ASCII: Final = _Pen("|- ", "`- ", "|  ", "   ", "-> ", "...", "#", ".", "#=-+")
_BAR: Final = 10  # width of a bar of class proportions, in characters
_MIN_SENTENCE: Final = 24  # minimum width of a condition, even in deep nodes


def to_text(
    tree: Tree,
    *,
    node_ids: bool = False,
    impurity: bool = False,
    counts: bool = False,
    tests: bool = False,
    max_depth: int | None = FOLD_DEPTH,
    min_rows: int = 0,
    max_levels: int | None = 8,
    digits: int = DIGITS,
    unicode: bool = True,
    purity: bool = False,
    color: bool = False,
    bars: bool = False,
    width: int | None = None,
    lang: str = "en",
) -> str:
    """Return a tree as text, one line per node.

    A line has the condition of the branch, the training rows of the node and their share, and the
    prediction: the class with its probability, or the value; leaves have an arrow. The branch of
    missing values is marked if the training column had any. Trees without training counts show no
    rows.

    Parameters
    ----------
    tree : Tree
    node_ids, impurity, counts : bool
        Also show the node's number, its impurity, its weighted class counts (in class order).
    tests : bool
        Also show the test by which a node was split, in trees that grow by tests.
    max_depth : int or None
        Fold deeper nodes into a note "+N leaves, M rows"; None shows all.
    min_rows : int
        Fold the branches of nodes with fewer rows.
    max_levels : int or None
        Maximum number of levels listed per set; the others are counted.
    digits : int
        Significant digits of figures. Cuts have as many as they need.
    unicode : bool
        False draws the branches with ASCII characters.
    purity : bool
        Also show a bar of five cells: how far the node's class exceeds chance, or the position of
        the node's value between minimum and maximum.
    color : bool
        Color the predictions by class (ANSI codes; `tree.show()` detects a terminal).
    bars : bool
        Also show a bar of the class proportions, with a legend; for regression, it shows the
        position of the node's value between minimum and maximum.
    width : int, optional
        Wrap longer lines: the levels of a set, then the figures, continue below their branch.
    lang : {"en", "es", "pt"}, default="en"
        Language of the words; names of columns, levels and classes are not translated.

    Returns
    -------
    str

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(
    ...     ("Petal.Length <= 2.45", {"setosa": 50}, {"versicolor": 50, "virginica": 50}))
    >>> print(ceiba.export.to_text(tree, counts=True))
    root  n=150 (100%)  setosa p=0.333  [50 50 50]
    ├─ Petal.Length <= 2.45  n=50 (33.3%)  → setosa p=1  [50 0 0]
    └─ Petal.Length > 2.45  n=100 (66.7%)  → versicolor p=0.5  [0 50 50]
    """
    if max_depth is not None and max_depth < 0:
        raise OptionError(f"max_depth must be at least 0, or None to show all, got {max_depth}.")
    if digits < 1:
        raise OptionError(f"digits must be at least 1, got {digits}.")
    pen = _UNICODE if unicode else _ASCII
    strengths = node_strengths(tree) if purity or bars else np.zeros(0)
    words = _NodeText(
        tree, digits, max_levels, pen, node_ids, impurity, counts, purity, color, tests, bars,
        words_of(lang), strengths,
    )  # fmt: skip
    lines: list[str] = [words.legend()] if bars and tree.task.has_classes else []
    rails: list[str] = [""]  # prefix of the lines of child nodes by depth
    end = tree.subtree_end
    depth_of, branch_of = tree.node_depth, tree.branch_index
    node = 0
    while node < tree.n_nodes:
        depth = int(depth_of[node])
        front = ""
        if node:
            parent = int(tree.parent[node])
            is_last = int(branch_of[node]) == int(tree.n_branches[parent]) - 1
            front = rails[depth - 1] + (pen.last if is_last else pen.fork)
            del rails[depth:]
            rails.append(rails[depth - 1] + (pen.gap if is_last else pen.bar))
        deep = max_depth is not None and depth >= max_depth
        if width is None:
            sentence, figures = words.parts(node)
            lines.append(front + "  ".join([sentence, *figures]))
        else:
            below = pen.gap if tree.is_leaf[node] else pen.bar
            lines += _wrap_node(front, rails[depth] + below, *words.parts(node), width, pen)
        if (deep or (node and tree.n_rows[node] < min_rows)) and not tree.is_leaf[node]:
            lines.append(rails[depth] + pen.last + words.fold_note(node))
            node = int(end[node])
        else:
            node += 1
    return "\n".join(lines)


def _wrap_node(
    front: str, below: str, sentence: str, figures: list[str], width: int, pen: _Pen
) -> list[str]:
    """Return the lines of one node, wrapped to `width` characters."""
    front, below = (_shorten_rail(rail, width, pen) for rail in (front, below))
    lines = textwrap.wrap(
        sentence, max(width - len(front), 8), subsequent_indent="", break_on_hyphens=False
    )
    if len(lines) > 1:
        tail = " ".join(lines[1:])
        room = max(width - len(below) - 2, 8)
        lines[1:] = textwrap.wrap(tail, room, break_on_hyphens=False)
    block = [front + lines[0], *(f"{below}  {line}" for line in lines[1:])]
    for text in figures:
        if _count_cells(block[-1]) + 2 + _count_cells(text) <= width:
            block[-1] += f"  {text}"
        else:
            block.append(f"{below}  {text}")
    return block


def _shorten_rail(rail: str, width: int, pen: _Pen) -> str:
    """Shorten the prefix of a line if it leaves too little space for the text."""
    room = max(width - _MIN_SENTENCE, len(pen.gap))
    if len(rail) <= room:
        return rail
    return pen.dots + rail[-(room - len(pen.dots)) :]


def _count_cells(text: str) -> int:
    """Return the number of characters of a line, without color codes."""
    return len(_CODE.sub("", text))


@dataclass
class _NodeText:
    """Formatter of the conditions and the statistics of nodes."""

    tree: Tree
    digits: int
    max_levels: int | None
    pen: _Pen
    node_ids: bool
    impurity: bool
    counts: bool
    purity: bool
    color: bool
    tests: bool
    bars: bool
    word: Catalogue
    strengths: Array

    def parts(self, node: int) -> tuple[str, list[str]]:
        """Return the condition and the statistics of a node as text."""
        tree = self.tree
        sentence = (
            escape_control(self.branch(node), one_line=True) if node else self.word["text.root"]
        )
        parts = []
        if tree.n_rows[0]:
            parts.append(f"n={tree.n_rows[node]} ({percent(float(tree.share[node]), 1)})")
        arrow = self.pen.arrow if tree.is_leaf[node] else ""
        # Inner nodes of trees without training counts have no meaningful prediction.
        if tree.n_rows[0] or tree.is_leaf[node]:
            answer = escape_control(self.prediction(node), one_line=True)
            parts.append(self.colorize(node, arrow + answer) if self.color else arrow + answer)
            if self.bars:
                parts.append(self.bar(node))
        if self.purity:
            full = round(5 * float(self.strengths[node]))
            parts.append(self.pen.full * full + self.pen.empty * (5 - full))
        if self.counts and tree.counts is not None:
            outputs = (
                " ".join(number_text(count, self.digits) for count in row[:size].tolist())
                for row, size in zip(tree.counts[node], tree.n_classes.tolist(), strict=True)
            )
            parts.append("".join(f"[{output}]" for output in outputs))
        if self.impurity:
            parts.append(f"{tree.criterion} {number_text(float(tree.impurity[node]), self.digits)}")
        if self.tests and (test := tree.node(node).test) is not None:
            degrees = ", ".join(f"{d:g}" for d in test.df)
            parts.append(
                f"{test.name}({degrees}) {number_text(test.statistic, self.digits)}, "
                + self.word("text.adjusted", p=f"{test.adjusted_p_value:.2g}")
            )
        if tree.notes and (note := note_text(tree, node)):
            parts.append(f"# {note}")
        label = f"[{node}] " if self.node_ids else ""
        return label + sentence, parts

    def bar(self, node: int) -> str:
        """Return the bar of a node, which shows its class proportions or its value."""
        tree = self.tree
        if not tree.task.has_classes:
            full = round(_BAR * float(self.strengths[node]))
            return self.pen.full * full + self.pen.empty * (_BAR - full)
        shares = tree.value[node, 0, : int(tree.n_classes[0])]
        ends = np.rint(np.cumsum(shares) / max(float(shares.sum()), 1e-300) * _BAR).astype(int)
        cells = np.diff(ends, prepend=0).tolist()
        return "".join(self.fill(k, n) for k, n in enumerate(cells) if n)

    def fill(self, k: int, n: int) -> str:
        """Return the part of a bar that represents class `k`."""
        if self.color:
            return f"\x1b[{_ANSI[k % len(_ANSI)]}m{self.pen.fills[0] * n}\x1b[0m"
        return self.pen.fills[k % len(self.pen.fills)] * n

    def legend(self) -> str:
        """Return the legend of the bars."""
        labels = self.tree.target.classes[0].tolist()
        cycle = len(_ANSI) if self.color else len(self.pen.fills)
        entries = [
            f"{self.fill(k, 1)} {escape_control(level_text(label), one_line=True)}"
            for k, label in enumerate(labels[:cycle])
        ]
        n_hidden = len(labels) - cycle
        ending = self.word("text.more_classes", n=n_hidden) if n_hidden > 0 else ""
        return "  ".join(entries) + ending

    def colorize(self, node: int, text: str) -> str:
        """Color a prediction by its class, and make it bold at leaves."""
        weight = "1;" if self.tree.is_leaf[node] else ""
        if not self.tree.task.has_classes or self.tree.n_outputs > 1:
            return f"\x1b[1m{text}\x1b[0m" if weight else text
        k = int(self.tree.answer[node])
        return f"\x1b[{weight}{_ANSI[k % len(_ANSI)]}m{text}\x1b[0m"

    def branch(self, node: int) -> str:
        tree = self.tree
        parent, branch = int(tree.parent[node]), int(tree.branch_index[node])
        split = tree.splits.split(parent, tree.schema)
        assert split is not None  # every node with branches has a split
        column = int(tree.splits.column[parent])
        sentence = split.sentence(
            branch, tree.schema, max_levels=self.max_levels, lang=self.word.lang
        )
        takes_missing = (
            int(tree.default_branch[parent]) == branch
            and not tree.splits.has_missing_branch[parent]
            and tree.missing in ("learn", "majority")
            and tree.schema.columns[column].n_missing > 0
        )
        return f"{sentence} {self.word['split.or_missing']}" if takes_missing else sentence

    def prediction(self, node: int) -> str:
        tree = self.tree
        if tree.task is Task.SURVIVAL:
            return "  ".join(survival_texts(tree, node, self.digits, self.word.lang))
        if not tree.task.has_classes:
            return ", ".join(
                tree.target.format_output(k, number_text(value, self.digits))
                for k, value in enumerate(tree.value[node, :, 0].tolist())
            )
        parts = []
        for k, answer in enumerate(tree.answer[node].reshape(-1).tolist()):
            share = float(tree.value[node, k, answer])
            certain = share == 1.0 and not tree.n_rows[0]
            label = class_text(tree.target, answer, k)
            text = label if certain else f"{label} p={format_probability(share)}"
            parts.append(tree.target.format_output(k, text))
        return ", ".join(parts)

    def fold_note(self, node: int) -> str:
        tree = self.tree
        first, last = np.searchsorted(tree.leaves, [node, tree.subtree_end[node]]).tolist()
        leaves = self.word("text.leaves", n=last - first)
        rows = f", {self.word('text.rows', n=int(tree.n_rows[node]))}" if tree.n_rows[0] else ""
        return f"{self.pen.dots} +{leaves}{rows}"


def format_probability(share: float) -> str:
    """Format a probability with at most three decimals; only exact values are shown as 0 or 1."""
    if 0 < share < 0.0005:
        return "<0.001"
    if 0.9995 <= share < 1:
        return ">0.999"
    return number_text(round(share, 3))


def to_rules(tree: Tree, *, exact: bool = False) -> str:
    """Return a tree as if-then rules, one line per leaf.

    Parameters
    ----------
    tree : Tree
    exact : bool, default=False
        Write cuts with all their digits.

    Returns
    -------
    str

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("x <= 2.5", ("x <= 1", "a", "b"), "c"))
    >>> print(tree.export("rules"))
    if x <= 1 or missing then a  (p=1)
    if 1 < x <= 2.5 then b  (p=1)
    if x > 2.5 then c  (p=1)
    """
    refuse_fractional(tree, "rules")
    digits = ALL_DIGITS if exact else None
    lines = [
        f"if {condition.text(digits=digits, complete=True)} then {_answer(tree, node)}"
        for node, condition in end_conditions(tree)
    ]
    if root_answers(tree):
        lines.append(f"else {_answer(tree, 0)}")
    return "\n".join(lines)


def _answer(tree: Tree, node: int) -> str:
    label: Any = tree.node(node).label
    labels = label if isinstance(label, tuple) else (label,)
    texts = [number_text(value) if isinstance(value, float) else str(value) for value in labels]
    answer = ", ".join(tree.target.format_output(k, text) for k, text in enumerate(texts))
    notes = []
    if tree.task.has_classes and tree.n_outputs == 1:
        share = float(tree.value[node, 0, int(tree.answer[node])])
        notes.append(f"p={number_text(share, 3)}")
    if tree.n_rows[0]:
        notes.append(f"n={int(tree.n_rows[node])}")
    if tree.task is Task.SURVIVAL:
        answer, *figures = survival_texts(tree, node)
        notes += figures
    comment = f"  # {note}" if (note := note_text(tree, node)) else ""
    return f"{answer}  ({', '.join(notes)}){comment}" if notes else f"{answer}{comment}"
