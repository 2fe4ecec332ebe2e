"""Write a logical formula for the condition under which a tree predicts a class.

The formula is the disjunction of the conditions of all leaves that predict the class, simplified: a
subtree whose leaves all predict it counts as one leaf; two conjunctions that differ in one column
are merged if the union of their value sets is an interval or a set of levels; a conjunction that is
covered by another one is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import OptionError
from ceiba.paths import Clause, Condition, ValueSet, join_texts, node_conditions
from ceiba.tree import Tree
from ceiba.tree.splits import DIGITS, level_text

_MAX_MERGED: Final = 2000  # maximum number of terms to merge, because all pairs are compared


@dataclass(frozen=True)
class Formula:
    """The condition under which a tree predicts a class, as a disjunction of conjunctions.

    Attributes
    ----------
    target : object
        The class.
    conditions : tuple of Condition
        A row satisfies the formula if it satisfies any of them.
    text : str
        The formula as text.
    """

    target: Any
    conditions: tuple[Condition, ...]
    text: str

    def __str__(self) -> str:
        return self.text

    def select(self, X: Any) -> NDArray[np.bool_]:
        """Whether each row of X satisfies the formula."""
        if self.conditions:
            parts = [condition.select(X) for condition in self.conditions]
            return np.asarray(np.logical_or.reduce(parts))
        if isinstance(X, dict):
            return np.zeros(len(next(iter(X.values()), ())), bool)
        return np.zeros(X.n_rows if hasattr(X, "n_rows") else len(X), bool)

    def python(self, row: str = "row") -> str:
        """Return the formula as a Python expression on the dict `row`."""
        return " or ".join(f"({condition.python(row)})" for condition in self.conditions) or "False"


def formula(
    tree: Tree,
    target_class: Any,
    *,
    unicode: bool = True,
    digits: int = DIGITS,
    max_levels: int | None = None,
) -> Formula:
    """Return the condition under which a tree predicts a class.

    Parameters
    ----------
    tree : Tree
        A classification tree with one output. With `missing="fractional"` a row with a missing
        value reaches several leaves; the formula then selects the rows that reach a leaf of the
        class.
    target_class : object
        One of the classes.
    unicode : bool, default=True
        Use ∧ and ∨ instead of "and" and "or".
    digits, max_levels : int
        As in `rules`.

    Returns
    -------
    Formula

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(
    ...     ("Patrons", {"None": "No", "Some": "Yes",
    ...      "Full": ("Hungry", {"No": "No", "Yes": "Yes"})}))
    >>> print(tree.formula("Yes"))
    Patrons = Some ∨ (Patrons = Full ∧ Hungry = Yes)
    """
    class_index = _class_index(tree, target_class)
    conditions = _simplify(node_conditions(tree, _find_class_nodes(tree, class_index)))
    meet, join = (" ∧ ", " ∨ ") if unicode else (" and ", " or ")
    parts = []
    for condition in conditions:
        clauses = condition.parts(digits=digits, max_levels=max_levels)
        bracket = len(clauses) > 1 and len(conditions) > 1
        text = join_texts(clauses, meet)
        parts.append(f"({text})" if bracket else text or "always")
    label = tree.target.classes[0][class_index]
    return Formula(label, tuple(conditions), join.join(parts) or "never")


def _class_index(tree: Tree, target_class: Any) -> int:
    if not tree.task.has_classes or tree.n_outputs > 1:
        raise OptionError(
            "formula requires a single-output classification tree. Otherwise, use tree.rules()."
        )
    labels: list[Any] = tree.target.classes[0].tolist()
    if target_class in labels:
        return labels.index(target_class)
    allowed = ", ".join(map(level_text, labels))
    raise OptionError(f"target_class must be a class, got {target_class!r}. Classes: {allowed}.")


def _find_class_nodes(tree: Tree, class_index: int) -> list[tuple[int, bool]]:
    """Return the nodes that predict a class, and whether only for the rows that stay in them."""
    may_stay = ~tree.is_leaf & (tree.default_branch < 0) & (tree.missing != "fractional")
    predicts = tree.answer == class_index
    is_pure = np.where(tree.is_leaf | may_stay, predicts, True)
    for node in range(tree.n_nodes - 1, 0, -1):  # children have higher ids than their parent
        is_pure[tree.parent[node]] &= is_pure[node]
    nodes: list[tuple[int, bool]] = []
    for node in range(tree.n_nodes):
        above = int(tree.parent[node])
        if is_pure[node] and (above < 0 or not is_pure[above]):
            nodes.append((node, False))
        elif not is_pure[node] and may_stay[node] and predicts[node]:
            nodes.append((node, True))
    return nodes


def _simplify(conditions: list[Condition]) -> list[Condition]:
    """Merge pairs of conditions as long as possible; return very long lists unchanged."""
    result: list[Condition] = []
    conditions = [c for c in conditions if all(clause.choices for clause in c.clauses)]
    if len(conditions) > _MAX_MERGED:
        return conditions
    for condition in conditions:
        position = len(result)
        i = 0
        while i < len(result):
            both = _merge(result[i], condition)
            if both is None:
                i += 1
                continue
            condition, position = both, min(position, i)
            del result[i]
            i = 0  # restart, because the merged condition may merge with earlier ones
        result.insert(position, condition)
    return result


def _merge(a: Condition, b: Condition) -> Condition | None:
    """Return a condition equivalent to `a or b`, or None if there is none."""
    in_a, in_b = a.values, b.values
    if in_a is None or in_b is None:  # a condition with surrogates is not a product of value sets
        return a if a == b else None
    in_a = {name: values for name, values in in_a.items() if not values.is_everything}
    in_b = {name: values for name, values in in_b.items() if not values.is_everything}
    different = [n for n in {**in_a, **in_b} if not _has_same_values(in_a.get(n), in_b.get(n))]
    if len(different) > 1:
        return _find_covering(a, in_a, b, in_b)
    if not different:
        return a
    name = different[0]
    if name not in in_a or name not in in_b:
        return a if name not in in_a else b  # one condition implies the other: keep the weaker
    union = in_a[name].union(in_b[name])
    if union is None:
        return None
    clauses = [
        Clause(union.info, ((union, ()),)) if clause.info.name == name else clause
        for clause in a.clauses
    ]
    return Condition(a.schema, tuple(clause for clause in clauses if not clause.is_trivial))


def _find_covering(
    a: Condition, in_a: dict[str, ValueSet], b: Condition, in_b: dict[str, ValueSet]
) -> Condition | None:
    """Return the weaker of two conditions if the other one implies it, or else None."""
    for weaker, outer, inner in ((a, in_a, in_b), (b, in_b, in_a)):
        if all(n in inner and _has_same_values(inner[n] & outer[n], inner[n]) for n in outer):
            return weaker
    return None


def _has_same_values(a: ValueSet | None, b: ValueSet | None) -> bool:
    """Whether two value sets contain the same values, without comparing their field `named`."""
    if a is None or b is None:
        return a is b
    if a.missing != b.missing:
        return False
    return (a.low, a.high) == (b.low, b.high) if a.info.is_numeric else a.codes == b.codes
