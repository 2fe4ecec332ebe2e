"""Why a row got its answer: the way through the tree, in words and as data.

Each step says which question was asked, the row's own value, the branch it took and who decided:
the split itself, a surrogate, the default for missing values, or the rule for unseen levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ceiba.errors import DataError
from ceiba.table import show_number
from ceiba.tree import route
from ceiba.tree.trace import Move, trace
from ceiba.tree.words import level_text, number_text

if TYPE_CHECKING:
    from ceiba.table import Column, Table
    from ceiba.tree import Tree

__all__ = ["Explanation", "ExplanationStep", "explain"]

_LEVELS: Final = 8  # listed in a sentence, the others are counted

_BY: Final = {
    "primary": "",
    "default": "missing: the default branch",
    "unseen": "level not seen in this node: the branch with the most weight",
    "share": "missing: down every branch, by their shares",
}


@dataclass(frozen=True)
class ExplanationStep:
    """One question on the way.

    Attributes
    ----------
    node : int
    column : str
    value : object
        The row's value: a number, a level, None when missing.
    shown : str
        The same as people read it: yes or no, a date, a level.
    sentence : str
        What is true of the rows of the branch taken.
    branch : int or None
        None: the row stays in this node.
    by : str
        "primary", "surrogate", "default", "unseen" or "share".
    note : str
        Who decided, in words, when it was not the split itself.
    share : float
        How much of the row takes this branch.
    """

    node: int
    column: str
    value: Any
    shown: str
    sentence: str
    branch: int | None
    by: str
    note: str = ""
    share: float = 1.0


@dataclass(frozen=True)
class Explanation:
    """The way of one row: its steps, where it ends and what is said there.

    Attributes
    ----------
    steps : tuple of ExplanationStep
    leaf : int
        The node where the row ends (the heaviest, if it goes several ways).
    answer : object
        The predicted label or number (a tuple for several outputs).
    probability : dict or None
        Class probabilities of the leaf (one output, classification).
    n_rows : int
        Training rows in that leaf.

    Examples
    --------
    >>> import ceiba
    >>> X = {"age": [20, 30, 40, 50]}
    >>> model = ceiba.DecisionTreeClassifier().fit(X, ["a", "a", "b", "b"])
    >>> print(model.explain({"age": 44}))
    age > 35  (age is 44)
    => b  (probability 1; leaf 2, 2 training rows)
    """

    steps: tuple[ExplanationStep, ...]
    leaf: int
    answer: Any
    probability: dict[Any, float] | None
    n_rows: int

    def to_dict(self) -> dict[str, Any]:
        """Give the explanation as plain data."""
        return {
            "steps": [vars(step).copy() for step in self.steps],
            "leaf": self.leaf,
            "answer": self.answer,
            "probability": self.probability,
            "n_rows": self.n_rows,
        }

    def __str__(self) -> str:
        lines = [
            f"{step.sentence}  ({step.note or f'{step.column} is {step.shown}'})"
            for step in self.steps
        ]
        where = f"leaf {self.leaf}, {self.n_rows} training rows"
        if self.probability is not None:
            share = self.probability.get(self.answer, float("nan"))
            where = f"probability {number_text(share, 3)}; {where}"
        answer = number_text(self.answer) if isinstance(self.answer, float) else self.answer
        return "\n".join([*lines, f"=> {answer}  ({where})"])


def explain(tree: Tree, table: Table, row: int = 0) -> Explanation:
    """Explain the prediction of one row of a table.

    Parameters
    ----------
    tree : Tree
    table : Table
        Rows read by the tree's schema.
    row : int, default=0

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.inspection import explain
    >>> from ceiba.table import read_like
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    >>> explain(tree, read_like({"x": [9.0]}, tree.schema)).answer
    'b'
    """
    if not 0 <= row < table.n_rows:
        raise DataError(f"Row {row} does not exist; the table has {table.n_rows} rows.")
    moves = trace(tree, table, row)
    ends = [move for move in moves if move.branch is None]
    end = max(ends, key=lambda move: move.share)
    # Asked anew, because a row that goes several ways gets a mixture of leaves.
    one = table.take(np.array([row]))
    answer = route.predict(tree, one)[0]
    probability = None
    if tree.task == "classification" and tree.n_outputs == 1:
        labels = tree.target.classes[0].tolist()
        probability = dict(zip(labels, route.predict_proba(tree, one)[0].tolist(), strict=True))
    return Explanation(
        steps=tuple(
            _step(tree, table, row, move) for move in moves if not tree.node(move.node).is_leaf
        ),
        leaf=end.node,
        answer=tuple(answer.tolist()) if tree.n_outputs > 1 else _plain(answer),
        probability=probability,
        n_rows=int(tree.n_rows[end.node]),
    )


def _step(tree: Tree, table: Table, row: int, move: Move) -> ExplanationStep:
    node = tree.node(move.node)
    split = node.split
    assert split is not None  # an inner node has one
    column = table.columns[tree.schema.index(split.column)]
    note = _BY.get(move.by or "", "")
    if move.by == "surrogate" and move.surrogate is not None and move.branch is not None:
        stand_in = node.surrogates[move.surrogate].split
        words = stand_in.sentence(move.branch, tree.schema, max_levels=_LEVELS)
        note = f"missing: surrogate {words}"
    sentence = split.sentence(move.branch or 0, tree.schema, max_levels=_LEVELS)
    if move.branch is None:
        sentence, note = f"stays at {sentence}?", "missing, and nothing else decides"
    value, shown = _value(column, row)
    return ExplanationStep(
        node=move.node,
        column=split.column,
        value=value,
        shown=shown,
        sentence=sentence,
        branch=move.branch,
        by=move.by or "primary",
        note=note,
        share=move.share,
    )


def _value(column: Column, row: int) -> tuple[Any, str]:
    """Give the row's own value and its text; an unseen level is not known any more by name."""
    value, info = column.values[row].item(), column.info
    if info.is_numeric:
        return (None, "missing") if value != value else (value, show_number(value, info.display))
    if value < 0:
        return None, "missing"
    if value >= info.n_levels:
        return "a level not seen when fitting", "a level not seen when fitting"
    return info.levels[value], level_text(info.levels[value])


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
