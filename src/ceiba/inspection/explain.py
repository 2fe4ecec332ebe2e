"""Explain a prediction by the path of the row through the tree.

Each step holds the split, the row's value, the branch taken and what decided it: the split itself,
a surrogate, the default for missing values, or the rule for unseen levels.

Contributions decompose the path: each step changes the node's value (the probability of the
predicted class, or the number), and the change is attributed to the column of the split. Baseline,
the root's value, plus all contributions is the prediction (Saabas 2014). They describe this path,
not the effect of another value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, overload

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError
from ceiba.formatting import escape_control
from ceiba.layout import survival_texts
from ceiba.listing import Block, Listing, format_blocks
from ceiba.table import Column, Table, format_value
from ceiba.task import Task
from ceiba.tree import Cut, Intervals, Tree, note_text
from ceiba.tree.routing import RouteStep, route, trace
from ceiba.tree.splits import ALL_DIGITS, Split, format_cut, level_text, number_text
from ceiba.words import words

Array = npt.NDArray[np.float64]
_MAX_LEVELS: Final = 8  # maximum number of levels listed in a condition


@dataclass(frozen=True)
class ExplanationStep:
    """A split on the path of a row.

    Attributes
    ----------
    node : int
    column : str
    value : object
        The row's value: a number, a level, or None if missing.
    shown : str
        The value as text: yes or no, a date, a level.
    sentence : str
        The condition of the branch taken.
    branch : int or None
        None if the row stays in this node.
    by : str
        "primary", "surrogate", "default", "unseen" or "share".
    note : str
        What decided the branch, as text, if not the split itself.
    share : float
        Share of the row that takes this branch.
    passed : bool or None
        Whether the row took branch 0 of two; None with more, or if it stays or is divided.
    before, after : float
        The node's value before and after the step: the probability of the class that is finally
        predicted, or the number; NaN with several outputs.
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
    passed: bool | None = None
    before: float = float("nan")
    after: float = float("nan")

    @property
    def change(self) -> float:
        """The contribution of the step to the prediction."""
        return self.share * (self.after - self.before)


@dataclass(frozen=True)
class Explanation:
    """The path of one row, with its steps, its leaf and the prediction.

    Attributes
    ----------
    steps : tuple of ExplanationStep
    leaf : int
        The node where the row ends (the one with the largest share of a divided row).
    answer : object
        The predicted label or number (a tuple for several outputs).
    probability : dict or None
        Class probabilities of the leaf (one output, classification).
    n_rows : int
        Training rows in that leaf.
    baseline : float
        The root's value: probability of the predicted class, or the number.
    contributions : dict
        Contribution of each column on the path; baseline plus their sum is the prediction.
    note : str
        The notes of the leaf: its name, a note, why its value was set.
    has_priors : bool
        Whether probabilities are prior-weighted (`class_prior`).
    outputs : tuple of str
        Names of several outputs; empty if they have none.
    costs : dict or None
        Expected cost of each class, if costs led to another answer than the most probable class.
    survival : tuple of str
        Relative risk, events and median time of the leaf of a survival tree, as texts.
    lang : str
        Language of the sentences.

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
    baseline: float = float("nan")
    contributions: dict[str, float] = field(default_factory=dict)
    note: str = ""
    has_priors: bool = False
    outputs: tuple[str, ...] = ()
    costs: dict[Any, float] | None = None
    survival: tuple[str, ...] = ()
    lang: str = "en"

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as a dict."""
        return {
            "steps": [vars(step).copy() for step in self.steps],
            "leaf": self.leaf,
            "answer": self.answer,
            "probability": self.probability,
            "n_rows": self.n_rows,
            "baseline": self.baseline,
            "contributions": dict(self.contributions),
            **({"note": self.note} if self.note else {}),
            **({"costs": self.costs} if self.costs else {}),
        }

    def costs_text(self) -> str:
        """Describe how error costs changed the prediction; return "" if they did not."""
        if self.costs is None or self.probability is None:
            return ""
        likely = max(self.probability, key=self.probability.__getitem__)
        cost, more = (number_text(self.costs[label], 3) for label in (self.answer, likely))
        return words(self.lang)("explain.costs", cost=cost, other=_format_answer(likely), more=more)

    def table(self) -> Listing:
        """Return the steps as a table."""
        names = ("node", "column", "value", "branch taken", "passed", "by", "before", "after")
        fields = {"value": "shown", "branch taken": "sentence"}
        word = words(self.lang)
        probability = _probability_word(self.has_priors, self.lang)
        return Listing(
            {name: [getattr(s, fields.get(name, name)) for s in self.steps] for name in names},
            title=word("explain.path", leaf=self.leaf),
            legend=word("explain.path_legend", probability=probability),
            lang=self.lang,
        )

    def _repr_html_(self) -> str:
        from html import escape

        last = escape(str(self).rpartition("\n")[2])
        return f"{self.table()._repr_html_()}<p><b>{last}</b></p>"

    def __str__(self) -> str:
        return format_blocks(self.blocks())

    def blocks(self) -> list[Block]:
        """Return the printed lines, one per step and then the prediction."""
        word = words(self.lang)
        lines = [
            f"{step.sentence}  "
            f"({step.note or word('explain.is', column=step.column, value=step.shown)})"
            for step in self.steps
        ]
        basis = word("explain.leaf", leaf=self.leaf, n=self.n_rows)
        if self.probability is not None:
            share = self.probability.get(self.answer, float("nan"))
            probability = _probability_word(self.has_priors, self.lang)
            costs = self.costs_text()
            parts = [f"{probability} {number_text(share, 3)}", *([costs] if costs else []), basis]
            basis = "; ".join(parts)
        answer = ", ".join(self.survival) or _format_answer(self.answer)
        if self.outputs:
            pairs = zip(self.outputs, self.answer, strict=True)
            answer = ", ".join(f"{name} = {_format_answer(label)}" for name, label in pairs)
        lines.append(f"=> {answer}  ({basis})" + (f"  # {self.note}" if self.note else ""))
        return [escape_control(line, one_line=True) for line in lines]


def explain(tree: Tree, table: Table, row: int = 0, *, lang: str = "en") -> Explanation:
    """Explain the prediction of one row of a table."""
    if not 0 <= row < table.n_rows:
        raise DataError(f"row must be from 0 to {table.n_rows - 1}, got {row}.")
    moves = trace(tree, table, row)
    last = max((move for move in moves if move.branch is None), key=lambda move: move.share)
    # Predict again, because the prediction of a divided row is a mixture of leaves.
    row_table = table.take(np.array([row]))
    answer = route.predict(tree, row_table)[0]
    probability, costs, k = None, None, 0
    if _has_classes(tree):
        labels = tree.target.classes[0].tolist()
        probability = dict(
            zip(labels, route.predict_proba(tree, row_table)[0].tolist(), strict=True)
        )
        k = labels.index(_to_python(answer))
        if tree.cost_matrix is not None and max(probability.values()) > probability[labels[k]]:
            expected = np.array(list(probability.values())) @ tree.cost_matrix
            costs = dict(zip(labels, expected.tolist(), strict=True))
    tracked = _tracked_values(tree, k)
    steps = tuple(
        _explain_move(tree, table, row, move, tracked, lang)
        for move in moves
        if not tree.node(move.node).is_leaf
    )
    contributions: dict[str, float] = {}
    for step in steps:
        contributions[step.column] = contributions.get(step.column, 0.0) + step.change
    leaf = last.node
    if tree.unseen == "default" and last.by == "unseen":
        leaf, contributions = 0, {}  # the root predicts the row
    return Explanation(
        steps=steps,
        leaf=leaf,
        answer=tuple(answer.tolist()) if tree.n_outputs > 1 else _to_python(answer),
        outputs=tree.target.outputs,
        probability=probability,
        n_rows=int(tree.n_rows[leaf]),
        baseline=float(tracked[0]),
        contributions=contributions,
        note=note_text(tree, leaf),
        has_priors=tree.class_prior is not None,
        costs=costs,
        survival=tuple(survival_texts(tree, leaf, 4, lang)) if tree.task is Task.SURVIVAL else (),
        lang=words(lang).lang,
    )


def _probability_word(has_priors: bool, lang: str) -> str:
    return words(lang)["explain.probability_prior" if has_priors else "explain.probability"]


class Explanations(Sequence[Explanation]):
    """The explanations of several rows, computed on demand.

    Examples
    --------
    >>> import ceiba
    >>> X = {"age": [20, 30, 40, 50]}
    >>> model = ceiba.DecisionTreeClassifier().fit(X, ["a", "a", "b", "b"])
    >>> explanations = model.explain({"age": [44, 21]})
    >>> [explanation.answer for explanation in explanations]
    ['b', 'a']
    >>> print(explanations.contributions())
    contributions of the columns
    prediction  leaf  baseline  age
    b              2       0.5  0.5
    a              1       0.5  0.5
    baseline plus contributions: probability of the predicted class, or the number
    """

    def __init__(self, tree: Tree, table: Table, lang: str = "en") -> None:
        self._tree, self._table, self._lang = tree, table, words(lang).lang

    def __len__(self) -> int:
        return self._table.n_rows

    @overload
    def __getitem__(self, index: int) -> Explanation: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Explanation, ...]: ...

    def __getitem__(self, index: int | slice) -> Explanation | tuple[Explanation, ...]:
        rows = range(len(self))[index]
        if isinstance(rows, range):
            return tuple(explain(self._tree, self._table, row, lang=self._lang) for row in rows)
        return explain(self._tree, self._table, rows, lang=self._lang)

    def __iter__(self) -> Iterator[Explanation]:
        return (self[row] for row in range(len(self)))

    def __str__(self) -> str:
        word = words(self._lang)
        return "\n\n".join(
            f"{word('explain.row', n=i)}\n{explanation}" for i, explanation in enumerate(self)
        )

    def __repr__(self) -> str:
        return f"<{len(self)} explanations>"

    def _repr_html_(self) -> str:
        return self.contributions()._repr_html_()

    def contributions(self) -> Listing:
        """Return a table with the prediction and the column contributions of each row."""
        tree, table = self._tree, self._table
        columns = np.unique(tree.splits.column[~tree.is_leaf]).tolist()
        leaves: Any
        if tree.missing == "fractional":  # a row may follow several branches
            each, names = list(self), [tree.schema.names[j] for j in columns]
            answers, leaves = [row.answer for row in each], [row.leaf for row in each]
            baseline = np.array([row.baseline for row in each], np.float64)
            parts = [[row.contributions.get(name, 0.0) for name in names] for row in each]
            effects = np.array(parts, np.float64).reshape(len(each), len(names))
        else:
            # Rows that end in the same node took the same path, so each path is computed once.
            nodes, inverse = np.unique(route.apply(tree, table), return_inverse=True)
            base, by_node = _contributions_by_node(tree, nodes.tolist(), columns)
            answers = route.predict(tree, table).tolist()
            answers = [tuple(row) for row in answers] if tree.n_outputs > 1 else answers
            leaves, baseline, effects = nodes[inverse], base[inverse], by_node[inverse]
        figures: dict[str, Any] = {
            "prediction": answers,
            "leaf": np.asarray(leaves, np.int64),
            "baseline": baseline,
        }
        for k, j in enumerate(columns):
            name = tree.schema.names[j]
            figures[name if name not in figures else f"{name} (column)"] = effects[:, k]
        word = words(self._lang)
        probability = _probability_word(tree.class_prior is not None, self._lang)
        legend = word("explain.contributions_legend", probability=probability)
        return Listing(figures, title=word["explain.contributions"], legend=legend)


def _contributions_by_node(tree: Tree, nodes: list[int], columns: list[int]) -> tuple[Array, Array]:
    """Return the baseline and the column contributions for rows that end in each node."""
    position = {j: k for k, j in enumerate(columns)}
    parent, column = tree.parent.tolist(), tree.splits.column.tolist()
    baseline, effects = np.empty(len(nodes)), np.zeros((len(nodes), len(columns)))
    for i, node in enumerate(nodes):
        tracked = _tracked_values(tree, int(tree.answer[node]) if _has_classes(tree) else 0)
        path = [node]
        while parent[path[-1]] >= 0:
            path.append(parent[path[-1]])
        baseline[i] = tracked[0]
        for below, above in zip(path[-2::-1], path[:0:-1], strict=True):
            effects[i, position[column[above]]] += tracked[below] - tracked[above]
    return baseline, effects


def _format_answer(answer: Any) -> Any:
    return number_text(answer) if isinstance(answer, float) else answer


def _has_classes(tree: Tree) -> bool:
    return tree.task.has_classes and tree.n_outputs == 1


def _tracked_values(tree: Tree, k: int) -> Any:
    """Return the explained value of each node: the probability of class k, or the prediction."""
    return np.full(tree.n_nodes, np.nan) if tree.n_outputs > 1 else tree.value[:, 0, k]


def _explain_move(
    tree: Tree, table: Table, row: int, move: RouteStep, tracked: Any, lang: str
) -> ExplanationStep:
    word = words(lang)
    node = tree.node(move.node)
    split = node.split
    assert split is not None  # every inner node has a split
    column = table.columns[tree.schema.index(split.column)]
    value, value_text = _read_value(column, row, lang)
    digits = None
    if not _text_keeps_side(split, value, value_text):
        value_text, digits = repr(value), ALL_DIGITS
    decided_by = ""
    if move.by in ("default", "unseen", "share"):
        decided_by = word[f"explain.by_{move.by}"]
    if move.by == "surrogate" and move.surrogate is not None and move.branch is not None:
        surrogate = node.surrogates[move.surrogate].split
        text = surrogate.sentence(move.branch, tree.schema, max_levels=_MAX_LEVELS, lang=lang)
        decided_by = word("explain.by_surrogate", sentence=text)
    # Report an unknown level as unknown, even if the tree treats it as missing.
    why = word["explain.missing" if value is None else "explain.unseen"]
    note = f"{why}: {decided_by}" if decided_by else ""
    branch = move.branch or 0
    sentence = split.sentence(branch, tree.schema, digits=digits, max_levels=_MAX_LEVELS, lang=lang)
    below = move.node
    if move.branch is None:
        sentence = word("explain.stays", sentence=sentence)
        note = word("explain.nothing_decides", why=why)
    else:
        below = int(tree.branch_node[tree.branch_start[move.node] + move.branch])
    two = split.n_branches == 2 and move.branch is not None and move.by != "share"
    return ExplanationStep(
        node=move.node,
        column=split.column,
        value=value,
        shown=value_text,
        sentence=sentence,
        branch=move.branch,
        by=move.by or "primary",
        note=note,
        share=move.share,
        passed=move.branch == 0 if two else None,
        before=float(tracked[move.node]),
        after=float(tracked[below]),
    )


def _text_keeps_side(split: Split, value: Any, value_text: str) -> bool:
    """Whether a value that is rounded for display stays on the same side of every cut."""
    if not isinstance(split, Cut | Intervals) or not isinstance(value, float):
        return True
    for cut in [split.cut] if isinstance(split, Cut) else split.cuts:
        sign, text = format_cut(cut, None, split.digits)
        try:
            printed, bound = float(value_text), float(text)
        except ValueError:  # conditions print dates, durations and booleans exactly
            return True
        for number in (value, printed):
            if (value <= cut) != (number <= bound if sign == "<=" else number < bound):
                return False
    return True


def _read_value(column: Column, row: int, lang: str) -> tuple[Any, str]:
    """Return the value of a row as a Python value and as text."""
    value, info, word = column.values[row].item(), column.info, words(lang)
    if info.is_numeric:
        value_text = format_value(value, info.display, zone=info.zone)
        if info.display == "boolean" and value_text in ("yes", "no"):
            value_text = word[f"split.{value_text}"]
        return (None, word["explain.missing"]) if value != value else (value, value_text)
    if value < 0:
        return None, word["explain.missing"]
    if value >= info.n_levels:
        return "a level not seen when fitting", word["explain.unseen_value"]
    return info.levels[value], level_text(info.levels[value])


def _to_python(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
