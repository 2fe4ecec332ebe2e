"""A tree as a logical formula: the condition under which it predicts a class.

The disjunction of the conditions of all leaves that answer with the class, simplified: a subtree
whose leaves all say it counts as one leaf; two conjunctions that differ in one column only become
one, if the two value sets together are an interval or a set of levels; a conjunction that another
one covers is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import OptionError
from ceiba.paths import Clause, Condition, ValueSet, all_of, conditions_of
from ceiba.tree import Tree
from ceiba.tree.splits import DIGITS, level_text

_MAX_MERGED: Final = 2000  # pairs are compared, so time grows with the square


@dataclass(frozen=True)
class Formula:
    """A disjunction of conditions.

    Attributes
    ----------
    target : object
        The class it stands for.
    conditions : tuple of Condition
        A row fulfils the formula if it fulfils any of them.
    text : str
        The formula in words.
    """

    target: Any
    conditions: tuple[Condition, ...]
    text: str

    def __str__(self) -> str:
        return self.text

    def select(self, X: Any) -> NDArray[np.bool_]:
        """Return for each row of X whether it fulfils the formula."""
        if self.conditions:
            parts = [condition.select(X) for condition in self.conditions]
            return np.asarray(np.logical_or.reduce(parts))
        return np.zeros(_count_rows(X), bool)

    def python(self, row: str = "row") -> str:
        """Write the formula as a Python expression about the dict `row`."""
        return " or ".join(f"({condition.python(row)})" for condition in self.conditions) or "False"


def formula(
    tree: Tree,
    target_class: Any,
    *,
    unicode: bool = True,
    digits: int = DIGITS,
    max_levels: int | None = None,
) -> Formula:
    """Return the condition under which a tree answers with a class.

    Parameters
    ----------
    tree : Tree
        A classification tree with one output. With `missing="fractional"` a row with a missing
        value reaches several leaves; the formula then says which rows come to a leaf of the class.
    target_class : object
        One of the classes.
    unicode : bool, default=True
        Write ∧ and ∨; False writes and, or.
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
    wanted = _class_index(tree, target_class)
    conditions = _simplify(conditions_of(tree, _find_class_nodes(tree, wanted)))
    meet, join = (" ∧ ", " ∨ ") if unicode else (" and ", " or ")
    parts = []
    for condition in conditions:
        clauses = condition.parts(digits=digits, max_levels=max_levels)
        bracket = len(clauses) > 1 and len(conditions) > 1
        text = all_of(clauses, meet)
        parts.append(f"({text})" if bracket else text or "always")
    label = tree.target.classes[0][wanted]
    return Formula(label, tuple(conditions), join.join(parts) or "never")


def _class_index(tree: Tree, target_class: Any) -> int:
    if not tree.task.has_classes or tree.n_outputs > 1:
        raise OptionError(
            "formula: only a classification tree with one output answers with a class. "
            "Use rules(), which lists every leaf."
        )
    labels: list[Any] = tree.target.classes[0].tolist()
    if target_class in labels:
        return labels.index(target_class)
    allowed = ", ".join(map(level_text, labels))
    raise OptionError(f"formula: there is no class {target_class!r}. The classes are {allowed}.")


def _find_class_nodes(tree: Tree, wanted: int) -> list[tuple[int, bool]]:
    """List the highest nodes under which every end says the class, and where rows stay."""
    may_stay = ~tree.is_leaf & (tree.default_branch < 0) & (tree.missing != "fractional")
    says = tree.answer == wanted
    whole = np.where(tree.is_leaf | may_stay, says, True)
    for node in range(tree.n_nodes - 1, 0, -1):  # branches come after their parent
        whole[tree.parent[node]] &= whole[node]
    ends: list[tuple[int, bool]] = []
    for node in range(tree.n_nodes):
        above = int(tree.parent[node])
        if whole[node] and (above < 0 or not whole[above]):
            ends.append((node, False))
        elif not whole[node] and may_stay[node] and says[node]:
            ends.append((node, True))
    return ends


def _simplify(conditions: list[Condition]) -> list[Condition]:
    """Join conditions until no two of them can be joined; very many are left as they are."""
    result: list[Condition] = []
    conditions = [c for c in conditions if all(clause.choices for clause in c.clauses)]
    if len(conditions) > _MAX_MERGED:
        return conditions
    for condition in conditions:
        place = len(result)
        at = 0
        while at < len(result):
            both = _merge(result[at], condition)
            if both is None:
                at += 1
                continue
            condition, place = both, min(place, at)
            del result[at]
            at = 0  # what could not be joined before may be now
        result.insert(place, condition)
    return result


def _merge(a: Condition, b: Condition) -> Condition | None:
    """Return one condition for both, if they differ in at most one column, else None."""
    mine, theirs = a.values, b.values
    if mine is None or theirs is None:
        return a if a == b else None
    mine = {name: values for name, values in mine.items() if not values.is_everything}
    theirs = {name: values for name, values in theirs.items() if not values.is_everything}
    different = [n for n in {**mine, **theirs} if not _has_same_values(mine.get(n), theirs.get(n))]
    if len(different) > 1:
        return _find_covering(a, mine, b, theirs)
    if not different:
        return a
    name = different[0]
    if name not in mine or name not in theirs:
        return a if name not in mine else b  # without the column it covers the other
    union = mine[name].union(theirs[name])
    if union is None:
        return None
    clauses = [
        Clause(union.info, ((union, ()),)) if clause.info.name == name else clause
        for clause in a.clauses
    ]
    return Condition(a.schema, tuple(clause for clause in clauses if not clause.is_trivial))


def _find_covering(
    a: Condition, mine: dict[str, ValueSet], b: Condition, theirs: dict[str, ValueSet]
) -> Condition | None:
    """Return the one of two conditions that holds wherever the other one does."""
    for whole, outer, inner in ((a, mine, theirs), (b, theirs, mine)):
        if all(n in inner and _has_same_values(inner[n] & outer[n], inner[n]) for n in outer):
            return whole
    return None


def _has_same_values(a: ValueSet | None, b: ValueSet | None) -> bool:
    """Return whether two sets have the same values, whatever levels their splits name."""
    if a is None or b is None:
        return a is b
    if a.missing != b.missing:
        return False
    return (a.low, a.high) == (b.low, b.high) if a.info.is_numeric else a.codes == b.codes


def _count_rows(X: Any) -> int:
    if isinstance(X, dict):
        return len(next(iter(X.values()), ()))
    return int(X.n_rows) if hasattr(X, "n_rows") else len(X)
