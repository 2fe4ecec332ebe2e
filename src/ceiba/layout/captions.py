"""The words of a drawn node: its question, its answer, its rows, and the label of the edge above.

Plain text and numbers, the same for every drawing. A question has yes/no edges; where every branch
stands for one level (or a column is a boolean), the edges name the answers instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from ceiba.tree import Cut, Intervals, LevelSets, Tree
from ceiba.tree.notes import note_text
from ceiba.tree.splits.sentences import (
    DIGITS,
    cut_text,
    level_text,
    number_text,
    quoted_level,
    separating_digits,
)


@dataclass(frozen=True)
class Caption:
    """Words and figures of one node.

    Attributes
    ----------
    head : str
        The question of an inner node, the answer of a leaf.
    lines : tuple of str
        Further lines: rows and what was asked for.
    shares : tuple of float
        Class probabilities, one per class; empty for regression and several outputs.

    Examples
    --------
    >>> from ceiba.layout import Caption
    >>> Caption("Yes 100%", ("n = 4 (33%)",), (0.0, 1.0)).head
    'Yes 100%'
    """

    head: str
    lines: tuple[str, ...]
    shares: tuple[float, ...]


def percent(share: float, decimals: int = 0) -> str:
    """Show a share as a percentage; 0% and 100% only when they are exact.

    Examples
    --------
    >>> from ceiba.layout import percent
    >>> percent(0.361), percent(0.9999), percent(1.0), percent(0.002)
    ('36%', '>99%', '100%', '<1%')
    >>> percent(1 / 3, 1), percent(0.99999, 1), percent(1.0, 1)
    ('33.3%', '>99.9%', '100%')
    """
    step = 10.0**-decimals
    if 0 < share < step / 200:
        return f"<{step:g}%"
    if 1 - step / 200 <= share < 1:
        return f">{100 - step:g}%"
    return f"{number_text(round(100 * share, decimals))}%"


def cut_digits(tree: Tree, digits: int = DIGITS) -> dict[int, int]:
    """Return the digits each column's cuts need so that different cuts look different.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.layout import cut_digits
    >>> tree = ceiba.tree.build(("x <= 0.12345678", "a", ("x <= 0.12345679", "b", "a")))
    >>> cut_digits(tree)
    {0: 8}
    """
    cuts = {column: tree.splits.cuts_of(column).tolist() for column in tree.used_columns.tolist()}
    return {column: separating_digits(some, digits) for column, some in cuts.items() if some}


def digits_by_name(tree: Tree, digits: int = DIGITS) -> dict[str, int]:
    """Return the digits of `cut_digits` for every column, by name.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.layout import digits_by_name
    >>> digits_by_name(ceiba.tree.build(("x <= 0.5", "a", "b")))
    {'x': 6}
    """
    by_column = cut_digits(tree, digits)
    return {name: by_column.get(j, digits) for j, name in enumerate(tree.schema.names)}


def question(
    tree: Tree,
    node: int,
    *,
    digits: int | None = None,
    max_levels: int = 6,
    places: Mapping[int, int] | None = None,
) -> str:
    """Return the question an inner node asks.

    `places` are the digits by column of `cut_digits`, where different cuts must look different.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.layout import question
    >>> tree = ceiba.tree.build(("Petal.Length <= 2.45", "setosa", "virginica"))
    >>> question(tree, 0)
    'Petal.Length ≤ 2.45'
    """
    split = tree.splits.split(node, tree.schema)
    if split is None:
        return ""
    if _names_its_answers(tree, node):
        return f"{split.column}?"
    if places is not None:
        digits = places.get(int(tree.splits.column[node]), digits)
    sentence = split.sentence(0, tree.schema, digits=digits, max_levels=max_levels)
    if not isinstance(split, Cut):
        return sentence
    return split.column + sentence[len(split.column) :].replace(" <= ", " ≤ ")


def answers(
    tree: Tree, node: int, *, max_levels: int = 6, places: Mapping[int, int] | None = None
) -> tuple[str, ...]:
    """Return the word on the edge to each branch of an inner node.

    The branch that takes missing values says so when the column had some in training. `places` are
    the digits by column of `cut_digits`, for the bounds of intervals.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.layout import answers
    >>> tree = ceiba.tree.build(("Petal.Length <= 2.45", "setosa", "virginica"))
    >>> answers(tree, 0)
    ('yes', 'no')
    """
    split = tree.splits.split(node, tree.schema)
    if split is None:
        return ()
    words = ["yes", "no"]
    if isinstance(split, LevelSets) and _names_its_answers(tree, node):
        words = [_listed(group, max_levels) for group in split.branches]
        words += ["missing"] if split.missing_branch else []
    elif isinstance(split, Intervals):
        words = _interval_words(tree, node, split, places)
    elif isinstance(split, Cut) and _names_its_answers(tree, node):
        words = ["no", "yes"]
    default = int(tree.default_branch[node])
    info = tree.schema.columns[tree.schema.index(split.column)]
    by_default = tree.missing in ("learn", "majority") and not tree.splits.parts_missing[node]
    if info.n_missing and default >= 0 and by_default:
        words[default] += " or missing"
    return tuple(words)


def caption(
    tree: Tree,
    node: int,
    *,
    leaf: bool,
    digits: int | None = None,
    node_ids: bool = False,
    impurity: bool = False,
    counts: bool = False,
    places: Mapping[int, int] | None = None,
) -> Caption:
    """Return what the box of `node` says; `leaf` is also true for a folded node.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.layout import caption
    >>> tree = ceiba.tree.build(("Petal.Length <= 2.45", "setosa", "virginica"))
    >>> caption(tree, 1, leaf=True)
    Caption(head='setosa 100%', lines=(), shares=(1.0, 0.0))
    """
    answer = _answer_lines(tree, node, digits)
    if leaf:
        head, *lines = answer
    else:
        head = question(tree, node, digits=digits, places=places)
        # A class in an inner node would be read as an answer; the bar tells more. A mean is short.
        centre = "median" if tree.criterion == "absolute_error" else "mean"
        lines = [f"{centre} {value}" for value in answer] if tree.task == "regression" else []
    if tree.n_rows[0]:
        lines.append(f"n = {tree.n_rows[node]:,} ({percent(float(tree.share[node]))})")
    if counts and tree.counts is not None:
        lines += [
            " / ".join(number_text(float(c)) for c in row[: len(classes)])
            for row, classes in zip(tree.counts[node], tree.target.classes, strict=True)
        ]
    if impurity:
        lines.append(f"{tree.criterion} {number_text(float(tree.impurity[node]), 3)}")
    if note := note_text(tree, node):
        lines.append(note)
    if node_ids:
        head = f"#{node}  {head}"
    return Caption(head, tuple(lines), _shares(tree, node))


def _interval_words(
    tree: Tree, node: int, split: Intervals, places: Mapping[int, int] | None
) -> list[str]:
    """Return the intervals: "≤ 18", "18 – 65", "> 65"; an upper bound belongs to its interval."""
    column = int(tree.splits.column[node])
    info = tree.schema.columns[column]
    cuts = [cut_text(cut, info, (places or {}).get(column)) for cut in split.cuts]
    words = [f"≤ {cuts[0]}", *(f"{a} – {b}" for a, b in pairwise(cuts)), f"> {cuts[-1]}"]
    return [*words, "missing"] if split.missing_branch else words


def _names_its_answers(tree: Tree, node: int) -> bool:
    """Return whether the edges carry names: booleans, single levels, more than two branches."""
    split = tree.splits.split(node, tree.schema)
    if isinstance(split, Intervals):
        return True
    if isinstance(split, LevelSets):
        return split.n_branches > 2 or all(len(group) == 1 for group in split.branches)
    if isinstance(split, Cut):
        info = tree.schema.columns[tree.schema.index(split.column)]
        return info.display == "boolean" and 0 <= split.cut < 1
    return False


def _listed(levels: tuple[object, ...], max_levels: int) -> str:
    shown = [quoted_level(level) for level in levels[:max_levels]]
    if len(levels) > max_levels:
        shown.append(f"+{len(levels) - max_levels} more")
    return ", ".join(shown)


def _shares(tree: Tree, node: int) -> tuple[float, ...]:
    if tree.task == "regression" or tree.n_outputs > 1:
        return ()
    return tuple(tree.value[node, 0, : len(tree.target.classes[0])].tolist())


def _answer_lines(tree: Tree, node: int, digits: int | None) -> list[str]:
    """Say the node's answer, one line per output."""
    values = tree.value[node]
    if tree.task == "regression":
        numbers = [number_text(float(v), digits or 4) for v in values[:, 0]]
        return [tree.target.of_output(k, text) for k, text in enumerate(numbers)]
    best = tree.answer[node].reshape(-1).tolist()
    return [
        tree.target.of_output(
            output, f"{level_text(labels[k])} {percent(float(values[output, k]))}"
        )
        for output, (labels, k) in enumerate(zip(tree.target.classes, best, strict=True))
    ]
