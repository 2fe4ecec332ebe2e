"""Explain which columns prevent a desired prediction, and which changes would lead to it.

The row is compared with accepted rows, which have the desired prediction. Path-dependent Shapley
values average over a column by the branch shares of accepted training rows, interventional ones by
its values in accepted background rows. The columns that lower the value most come first. Each
change is the nearest counterfactual with all other columns fixed, found by an exact search.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError, OptionError, TreeError, did_you_mean
from ceiba.listing import Listing, rows_to_columns
from ceiba.paths import node_condition
from ceiba.table import Table
from ceiba.tree import Tree
from ceiba.tree.routing import route
from ceiba.trust import Change, counterfactual, shap_values, user_value, wanted_nodes
from ceiba.words import words

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Reason:
    """A column that counts against the desired prediction.

    Attributes
    ----------
    column : str
    value : object
        The value of the row; None if missing.
    rule : str
        The conditions on the column along the path of the row.
    contribution : float
        How much the column lowers the probability of the desired prediction (or moves the number
        away from it), compared with the accepted rows.
    change : Change or None
        The nearest value of this column that gives the desired prediction; None if there is none.
    text : str
        The reason as a sentence.
    """

    column: str
    value: Any
    rule: str
    contribution: float
    change: Change | None
    text: str


class Reasons(tuple[Reason, ...]):
    """The reasons why a row does not get the desired prediction, the strongest first.

    Attributes
    ----------
    answer : object
        The prediction for the row.
    none : str
        The sentence that is printed if there are no reasons.
    """

    answer: Any = None
    none: str = ""

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the reasons as a list of dicts, for JSON."""
        return [asdict(reason) for reason in self]

    def __str__(self) -> str:
        return "\n".join(f"{i}. {reason.text}" for i, reason in enumerate(self, 1)) or self.none

    __repr__ = __str__


def reasons(
    tree: Tree,
    X: Any,
    *,
    k: int = 4,
    target: Any = None,
    against: Any = None,
    protected: Iterable[str] = (),
    fixed: Iterable[str] = (),
    lang: str = "en",
) -> list[Reasons]:
    """Return the columns that count against the desired prediction; see `TreeMethods.reasons`."""
    if not isinstance(k, int | np.integer) or k < 1:
        raise OptionError(f"k must be a positive int, got {k!r}.")
    if tree.n_outputs > 1:
        raise TreeError("Reasons are not supported for trees with several outputs.")
    table = route.read(tree, X)
    route.check_rows(tree, table)
    guarded = _check_names(tree, "protected", protected)
    used = {tree.schema.names[j] for j in tree.used_features.tolist()}
    if both := ", ".join(map(repr, sorted(guarded & used))):
        raise OptionError(f"The tree must not use protected columns, got {both}.")
    excluded = guarded | _check_names(tree, "fixed", fixed)
    background = None if against is None else route.read(tree, against)
    answers = route.predict(tree, table)
    all_reasons: dict[int, Reasons] = {}
    for answer in dict.fromkeys(answers.tolist()):
        rows = np.flatnonzero(answers == answer)
        ends, already = wanted_nodes(tree, answer, target)
        values = _contributions(tree, table.take(rows), answer, ends, background)
        none = words(lang)["counterfactual.already" if already else "reasons.none"]
        for i, row in enumerate(rows.tolist()):
            one = table.take(np.array([row]))
            of_row = _reasons_of_row(tree, one, values[i], k, target, excluded, lang)
            all_reasons[row] = Reasons(() if already else of_row)
            all_reasons[row].answer, all_reasons[row].none = answer, none
    return [all_reasons[row] for row in range(table.n_rows)]


def _check_names(tree: Tree, option: str, columns: Iterable[str]) -> set[str]:
    names = [columns] if isinstance(columns, str) else list(columns)
    for name in names:
        if name not in tree.schema.names:
            hint = did_you_mean(name, tree.schema.names)
            raise OptionError(f"{option}: column not found: {name!r}.{hint}")
    return set(names)


def _contributions(
    tree: Tree, table: Table, answer: Any, ends: Array, background: Table | None
) -> Array:
    """Return how much each column counts against the desired prediction of each row."""
    leaves = np.flatnonzero(tree.is_leaf & ends)
    if background is not None:
        accepted = background.take(np.flatnonzero(ends[route.apply(tree, background)]))
        if not accepted.n_rows:
            raise DataError("against must contain a row with the desired prediction, got none.")
        shapley = shap_values(tree, table, background=accepted)
    else:
        if not len(leaves):
            raise DataError("The tree has no leaf with the desired prediction.")
        shapley = shap_values(tree, table, leaves=leaves)
    shap = np.asarray(shapley.values)  # type: ignore[union-attr]  # one output
    if tree.task.has_classes:
        # The desired prediction is a class, or any class other than the predicted one.
        classes = np.unique(tree.answer[leaves])
        if len(classes) == 1:
            return -shap[..., classes[0]]
        return shap[..., tree.target.classes[0].tolist().index(answer)]
    return shap if answer > tree.value[leaves, 0, 0].max(initial=-np.inf) else -shap


def _reasons_of_row(
    tree: Tree, row: Table, values: Array, k: int, target: Any, excluded: set[str], lang: str
) -> Iterable[Reason]:
    word = words(lang)
    node = int(route.apply(tree, row)[0])
    clauses = {clause.info.name: clause for clause in node_condition(tree, node).clauses}
    names = tree.schema.names
    least = 1e-12 * max(float(np.abs(values).max(initial=0.0)), 1e-300)
    for j in np.argsort(-values, kind="stable").tolist():
        if k == 0 or values[j] <= least:
            return
        # Changing a column that is not on the path does not change the prediction of this row.
        if names[j] in excluded or names[j] not in clauses:
            continue
        k -= 1
        fixed = [name for name in names if name != names[j]]
        matches = counterfactual(tree, row, target=target, fixed=fixed, k=1, lang=lang)
        change = matches[0].changes[0] if matches else None
        rule = clauses[names[j]].text(lang=lang)
        row_value = user_value(row.columns[j].info, float(row.columns[j].values[0]))
        value = f"{row_value:.6g}" if isinstance(row_value, float) else row_value
        key = "reasons.missing" if value is None else "explain.is"
        what = word(key, column=names[j], value=value)
        key = "reasons.no_change" if change is None else "reasons.change"
        condition = "" if change is None else change.condition
        text = word(key, what=what, rule=rule, change=condition)
        yield Reason(names[j], row_value, rule, float(values[j]), change, text)


def reasons_table(results: list[Reasons]) -> Listing:
    """Return the reasons for several rows as a table with one row per reason."""
    names = ("row", "prediction", "rank", "column", "value", "rule", "contribution", "change")
    cells = [
        (i, found_of_row.answer, rank, r.column, r.value, r.rule, r.contribution,
         None if r.change is None else r.change.condition)
        for i, found_of_row in enumerate(results)
        for rank, r in enumerate(found_of_row, 1)
    ]  # fmt: skip
    columns = rows_to_columns(names, cells)
    return Listing(columns, title="reasons", legend="rows are numbered from 0")
