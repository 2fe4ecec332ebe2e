"""What people write on the nodes of a tree: names, notes, answers set by hand, rules of growing.

An answer set by hand is what the node predicts; probabilities and counts stay those of its rows, so
that the decision and the data can be told apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ceiba.errors import OptionError, TreeError, did_you_mean
from ceiba.task import Task
from ceiba.tree.impurity import class_risk
from ceiba.tree.splits.sentences import number_text
from ceiba.visible import visible

if TYPE_CHECKING:
    from ceiba.tree.arrays import Array
    from ceiba.tree.tree import Tree


@dataclass(frozen=True)
class NodeNote:
    """What is written on one node.

    Attributes
    ----------
    name, note : str or None
    answer : label, number or None
        The answer set by hand; None: the node answers by its rows.
    before : label, number or None
        What the node answered before.
    reason : str or None
        Why the answer was set.
    forbid, prefer : tuple of str or None
        Columns that growing at and below the node does not ask about, or asks about first.
    sealed : True or None
        Growing leaves this leaf alone.

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b")).annotate(1, name="low")
    >>> tree.node(1).note.name
    'low'
    """

    name: str | None = None
    note: str | None = None
    answer: Any = None
    before: Any = None
    reason: str | None = None
    forbid: tuple[str, ...] | None = None
    prefer: tuple[str, ...] | None = None
    sealed: bool | None = None

    def __str__(self) -> str:
        parts = [": ".join(filter(None, (self.name, self.note)))]
        if self.answer is not None:
            because = f": {self.reason}" if self.reason else ""
            parts.append(f"answer set by hand, was {_format_value(self.before)}{because}")
        if self.forbid:
            parts.append(f"not asked from here on: {', '.join(self.forbid)}")
        if self.prefer:
            parts.append(f"asked first from here on: {', '.join(self.prefer)}")
        if self.sealed:
            parts.append("stays a leaf")
        return visible("; ".join(filter(None, parts)), one_line=True)


def _format_value(value: Any) -> str:
    return number_text(value) if isinstance(value, float) else str(value)


def note_text(tree: Tree, node: int) -> str:
    """Return what is written on a node, in one line; "" if nothing is."""
    return str(tree.notes[node]) if tree.notes and node in tree.notes else ""


def note_lines(tree: Tree) -> list[str]:
    """Return a line per node with a note, for the comments of exported programs."""
    return [f"node {node}: {note_text(tree, node)}" for node in sorted(tree.notes or ())]


def annotate(tree: Tree, node: int, name: Any = None, note: Any = None) -> Tree:
    """Write a name and a note on a node; "" takes one away, None leaves it as it is."""
    tree.node(node)
    texts = {what: text for what, text in (("name", name), ("note", note)) if text is not None}
    for what, text in texts.items():
        if not isinstance(text, str):
            raise OptionError(f"{what} of a node must be text. Got {text!r}.")
    if not texts:
        raise OptionError("annotate: give a name, a note, or both.")
    old = (tree.notes or {}).get(int(node), NodeNote())
    written = {what: text or None for what, text in texts.items()}
    return with_note(tree, node, replace(old, **written))


def override(tree: Tree, node: int, answer: Any, reason: str | None = None) -> Tree:
    """Set the answer of a node by hand; None lets it answer by its rows again."""
    tree.node(node)
    if tree.n_outputs > 1:
        raise OptionError("The answer of a node is set for one output; this tree has several.")
    if tree.missing == "fractional":
        raise OptionError(
            "With missing='fractional' rows are answered by several leaves at once, so the answer "
            "of one of them cannot be set. Use a tree with another rule for missing values."
        )
    if answer is None and reason is not None:
        raise OptionError("A reason belongs to an answer that is set. Pass the answer too.")
    if reason is not None and not isinstance(reason, str):
        raise OptionError(f"reason must be text. Got {reason!r}.")
    old = (tree.notes or {}).get(int(node), NodeNote())
    before = tree.node(node).label if old.answer is None else old.before
    note = replace(old, answer=None, before=None, reason=None)
    label = None
    if answer is not None:
        read = {Task.CLASSIFICATION: _read_class, Task.REGRESSION: _read_number}
        label = tree.task.of(read, "An answer set by hand")(tree, answer)
        note = replace(note, answer=label, before=before, reason=reason)
    return _set_answer(
        with_note(tree, node, note), node, before if answer is None else label, before
    )


def restore_answers(tree: Tree) -> Tree:
    """Return a tree of numbers, counted anew, whose nodes keep the answers set by hand."""
    for node, note in dict(tree.notes or {}).items():
        if note.answer is not None:
            mean = float(tree.value[node, 0, 0])
            tree = with_note(tree, node, replace(note, before=mean))
            tree = _set_answer(tree, node, note.answer, mean)
    return tree


def _set_answer(tree: Tree, node: int, answer: Any, mean: Any) -> Tree:
    """Set the value and the risk of a node by its answer; `mean` is the value of its rows."""
    risk = tree.risk.copy()
    if tree.task.is_classification("An answer set by hand"):
        risks = class_risk(tree.value, tree.answer, tree.share, tree.cost_matrix)
        risk[node] = risks[node]
        return replace(tree, risk=risk)
    value = tree.value.copy()
    value[node] = float(answer)
    gap = float(answer) - float(mean)
    about = float(tree.impurity[node]) + gap * gap
    exact = tree.criterion == "squared_error" and not tree.smoothed and np.isfinite(about)
    risk[node] = tree.share[node] * about if exact else np.nan
    return replace(tree, value=value, risk=risk)


def _read_class(tree: Tree, answer: Any) -> Any:
    labels = tree.target.classes[0].tolist()
    if answer not in labels:
        names = [str(label) for label in labels]
        raise OptionError(
            f"There is no class {answer!r}. The classes are {', '.join(names)}."
            f"{did_you_mean(str(answer), names)}"
        )
    return labels[labels.index(answer)]


def _read_number(_tree: Tree, answer: Any) -> float:
    try:
        number = float(answer)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        raise OptionError(f"The answer of a node must be a finite number. Got {answer!r}.")
    return number


def with_note(tree: Tree, node: int, note: NodeNote) -> Tree:
    """Return the tree with this note on a node; an empty one takes the note away."""
    notes = dict(tree.notes or {})
    if note == NodeNote():
        notes.pop(int(node), None)
    else:
        notes[int(node)] = note
    return replace(tree, notes=notes or None).with_certificate(tree.certificate)


def apply_overrides(tree: Tree, best: Array) -> Array:
    """Return the class indices of the nodes with those that were set by hand."""
    best = best.copy()
    for node, note in (tree.notes or {}).items():
        if note.answer is not None:
            best[node, 0] = tree.target.classes[0].tolist().index(note.answer)
    return best


def take_notes(
    notes: Mapping[int, NodeNote] | None, ids: Array, shift: int = 0
) -> dict[int, NodeNote] | None:
    """Return the notes of some nodes under their new numbers, the places in `ids` (+ `shift`)."""
    if not notes:
        return None
    new = {int(old): at + shift for at, old in enumerate(ids.tolist()) if int(old) in notes}
    return {at: notes[old] for old, at in new.items()} or None


def check_notes(tree: Tree) -> None:
    """Refuse notes that do not belong to the tree, as in a damaged file."""
    for node, note in (tree.notes or {}).items():
        if not 0 <= node < tree.n_nodes:
            raise TreeError(f"A note is about node {node}, which does not exist.")
        if note.answer is None:
            continue
        if tree.n_outputs > 1 or tree.missing == "fractional":
            raise TreeError(f"Node {node}: this tree cannot have answers set by hand.")
        if tree.task.has_classes:
            if note.answer not in tree.target.classes[0].tolist():
                raise TreeError(f"Node {node}: the answer {note.answer!r} is not a class.")
        elif float(tree.value[node, 0, 0]) != note.answer:
            raise TreeError(f"Node {node}: value and the answer set by hand differ.")
