"""User annotations of nodes: names, notes, overridden predictions and growing rules.

A node with an override predicts the class or number that the user set. Its probabilities and counts
still describe its rows, so that the decision and the data remain separate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ceiba.errors import OptionError, TreeError, did_you_mean
from ceiba.formatting import escape_control
from ceiba.task import Task
from ceiba.tree.impurity import class_risk
from ceiba.tree.splits.sentences import number_text

if TYPE_CHECKING:
    from ceiba.tree.arrays import Array
    from ceiba.tree.tree import Tree


@dataclass(frozen=True)
class NodeNote:
    """The annotations of one node: name, note, override and growing rules.

    Attributes
    ----------
    name, note : str or None
    answer : label, number or None
        The prediction set by the user; None: the prediction follows from the rows.
    before : label, number or None
        The prediction before the override.
    reason : str or None
        Why the prediction was set.
    forbid, prefer : tuple of str or None
        Columns that new splits at and below the node do not use, or prefer.
    sealed : True or None
        Whether this leaf must not be split.

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
            before = number_text(old) if isinstance(old := self.before, float) else old
            parts.append(f"prediction set by hand, was {before}{because}")
        if self.forbid:
            parts.append(f"forbidden from here on: {', '.join(self.forbid)}")
        if self.prefer:
            parts.append(f"preferred from here on: {', '.join(self.prefer)}")
        if self.sealed:
            parts.append("stays a leaf")
        return escape_control("; ".join(filter(None, parts)), one_line=True)


def note_text(tree: Tree, node: int) -> str:
    """Return the annotations of a node as text in one line, or "" if it has none."""
    return str(tree.notes[node]) if tree.notes and node in tree.notes else ""


def note_lines(tree: Tree) -> list[str]:
    """Return one line per node with a note, for comments in exported programs."""
    return [f"node {node}: {note_text(tree, node)}" for node in sorted(tree.notes or ())]


def annotate(tree: Tree, node: int, name: Any = None, note: Any = None) -> Tree:
    """Set the name and the note of a node; "" removes the old text, None keeps it."""
    tree.node(node)
    texts = {kind: text for kind, text in (("name", name), ("note", note)) if text is not None}
    for kind, text in texts.items():
        if not isinstance(text, str):
            raise OptionError(f"{kind} must be a string, got {text!r}.")
    if not texts:
        raise OptionError("annotate requires a name or a note.")
    old = (tree.notes or {}).get(int(node), NodeNote())
    changes = {kind: text or None for kind, text in texts.items()}
    return with_note(tree, node, replace(old, **changes))


def override(tree: Tree, node: int, answer: Any, reason: str | None = None) -> Tree:
    """Override the prediction of a node; None removes the override."""
    tree.node(node)
    if tree.n_outputs > 1:
        raise OptionError("override is not supported for trees with several outputs.")
    if tree.missing == "fractional":
        raise OptionError("override is not supported with missing='fractional'.")
    if answer is None and reason is not None:
        raise OptionError(f"reason={reason!r} requires an answer, got answer=None.")
    if reason is not None and not isinstance(reason, str):
        raise OptionError(f"reason must be a string, got {reason!r}.")
    old = (tree.notes or {}).get(int(node), NodeNote())
    before = tree.node(node).label if old.answer is None else old.before
    note = replace(old, answer=None, before=None, reason=None)
    label = before
    if answer is not None:
        read = {Task.CLASSIFICATION: _read_class, Task.REGRESSION: _read_number}
        label = tree.task.lookup(read, "Overriding a prediction")(tree, answer)
        note = replace(note, answer=label, before=before, reason=reason)
    return _set_answer(with_note(tree, node, note), node, label, before)


def restore_answers(tree: Tree) -> Tree:
    """Apply the overrides of a regression tree again after its values were recomputed."""
    for node, note in dict(tree.notes or {}).items():
        if note.answer is not None:
            mean = float(tree.value[node, 0, 0])
            tree = with_note(tree, node, replace(note, before=mean))
            tree = _set_answer(tree, node, note.answer, mean)
    return tree


def _set_answer(tree: Tree, node: int, answer: Any, mean: Any) -> Tree:
    """Return the tree with the value and risk of `node` updated to the prediction `answer`."""
    risk = tree.risk.copy()
    if tree.task.is_classification("Overriding a prediction"):
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
            f"answer must be a class, got {answer!r}. Allowed values: {', '.join(names)}."
            f"{did_you_mean(str(answer), names)}"
        )
    return labels[labels.index(answer)]


def _read_number(_tree: Tree, answer: Any) -> float:
    try:
        number = float(answer)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        raise OptionError(f"answer must be a finite number, got {answer!r}.")
    return number


def with_note(tree: Tree, node: int, note: NodeNote) -> Tree:
    """Return the tree with a new note on a node; an empty note removes the old one."""
    notes = dict(tree.notes or {})
    if note == NodeNote():
        notes.pop(int(node), None)
    else:
        notes[int(node)] = note
    return replace(tree, notes=notes or None).with_certificate(tree.certificate)


def apply_overrides(tree: Tree, best: Array) -> Array:
    """Return the predicted class index of each node, with overrides applied."""
    best = best.copy()
    for node, note in (tree.notes or {}).items():
        if note.answer is not None:
            best[node, 0] = tree.target.classes[0].tolist().index(note.answer)
    return best


def take_notes(
    notes: Mapping[int, NodeNote] | None, ids: Array, shift: int = 0
) -> dict[int, NodeNote] | None:
    """Return the notes of the nodes `ids` by new node id: the position in `ids` plus `shift`."""
    if not notes:
        return None
    new = {int(old): at + shift for at, old in enumerate(ids.tolist()) if int(old) in notes}
    return {at: notes[old] for old, at in new.items()} or None


def check_notes(tree: Tree) -> None:
    """Raise an error if the notes do not fit the tree, as in a damaged model file."""
    for node, note in (tree.notes or {}).items():
        if not 0 <= node < tree.n_nodes:
            raise TreeError(f"Notes must refer to nodes 0 to {tree.n_nodes - 1}, got {node}.")
        if note.answer is None:
            continue
        if tree.n_outputs > 1 or tree.missing == "fractional":
            raise TreeError(
                f"Node {node}: override is not supported for trees with several outputs, or with "
                "missing='fractional'."
            )
        if tree.task.has_classes:
            if note.answer not in tree.target.classes[0].tolist():
                raise TreeError(f"Node {node}: the override {note.answer!r} is not a class.")
        elif (value := float(tree.value[node, 0, 0])) != note.answer:
            raise TreeError(f"Node {node}: value must be the override {note.answer}, got {value}.")
