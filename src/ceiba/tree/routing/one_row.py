"""Compute predictions for single rows from Python objects built once per tree (`RowPlan`).

Reading one row as a table takes a hundred times as long as routing it. The plan has, for each
node, its column and a function from a value to the next node. Only columns on the path are read, so
a row may omit the others. Rows that the plan cannot route (dates, numbers of other types, missing
values with surrogates) are read as tables and routed by `route.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from ceiba.errors import DataError, DataTypeError, did_you_mean
from ceiba.table import ColumnInfo
from ceiba.tree.routing import route
from ceiba.tree.routing.trace import trace
from ceiba.tree.splits.split_table import SplitKind

if TYPE_CHECKING:
    from ceiba.tree.tree import Tree

#: Function from a value to the next node, -1 (the row ends here) or None (a table is needed).
_NextNode = Callable[[Any], int | None]

_ABSENT: Final = object()
_NUMBERS: Final = (float, int, bool)
_EXACT: Final = 2**53


class Answer(NamedTuple):
    """The prediction of a single row, with its class probabilities and end node.

    Attributes
    ----------
    answer : label, number, or tuple of them for several outputs
    probability : dict of label to float, or None for numbers and several outputs
    leaf : int

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("clouds <= 4.5", "no", "yes"))
    >>> tree.predict_one({"clouds": 7})
    Answer(answer='yes', probability={'no': 0.0, 'yes': 1.0}, leaf=2)
    """

    answer: Any
    probability: dict[Any, float] | None
    leaf: int


class RowPlan:
    """A tree as Python objects: each inner node has a column and a function for the next node."""

    __slots__ = ("answers", "checks", "steps")

    def __init__(self, tree: Tree) -> None:
        self.steps = [_node_step(tree, node) for node in range(tree.n_nodes)]
        self.answers: dict[int, Answer] = {}
        #: Functions that validate the values of each column, or None if a column has none.
        fits = [fit for info in tree.schema.columns if (fit := _value_check(info)) is not None]
        self.checks = fits if len(fits) == len(tree.schema.columns) else None


def _value_check(info: ColumnInfo) -> Callable[[Any], bool] | None:
    if info.is_numeric:
        return _is_plain_number if info.display in ("number", "boolean") else None
    only_texts = all(type(level) is str for level in info.levels)
    return (lambda value: type(value) is str or _is_missing(value)) if only_texts else None


def _node_step(tree: Tree, node: int) -> tuple[str, _NextNode] | None:
    if tree.is_leaf[node]:
        return None
    start, end = tree.branch_start[node : node + 2].tolist()
    below = tree.branch_node[start:end].tolist()
    info = tree.schema.columns[int(tree.splits.column[node])]
    if tree.missing == "fractional":
        return info.name, lambda value: None
    if tree.splits.kind[node] == SplitKind.PRESENCE:
        return info.name, _route_by_presence(*below)
    surrogates = tree.active_surrogates
    missing = None
    if tree.missing != "error" and (
        surrogates is None or surrogates.start[node + 1] == surrogates.start[node]
    ):
        default = int(tree.default_branch[node])
        missing = below[default] if default >= 0 else -1
    is_cut = tree.splits.kind[node] == SplitKind.CUT
    cut, low = float(tree.splits.cut[node]), int(tree.splits.low_branch[node])
    if is_cut and _value_check(info) is _is_plain_number:
        return info.name, _route_by_cut(cut, below[low], below[1 - low], missing)
    majority = below[int(tree.majority_branch[node])]
    unseen = {"missing": missing, "majority": majority}.get(tree.unseen)
    if is_cut:
        node_of = {
            level: below[low if code <= cut else 1 - low] for code, level in enumerate(info.levels)
        }
    else:
        codes, branches = tree.splits.level_map(node)
        # Next node for levels that do not occur among the training rows of the node.
        other = unseen if tree.unseen != "error" else majority
        node_of = dict.fromkeys(info.levels, other) | {
            info.levels[code]: below[branch]
            for code, branch in zip(codes.tolist(), branches.tolist(), strict=True)
        }
    if not node_of or not all(type(level) is str for level in info.levels):
        node_of, unseen = {}, None  # use a table, because 1, 1.0 and True are equal as dict keys
    return info.name, _route_by_level(node_of, unseen, missing)


def _route_by_cut(cut: float, low: int, high: int, missing: int | None) -> _NextNode:
    def go(value: Any) -> int | None:
        if type(value) in _NUMBERS and value == value:
            return low if value <= cut else high
        return missing if _is_missing(value) else None

    return go


def _route_by_level(
    node_of: dict[Any, int | None], unseen: int | None, missing: int | None
) -> _NextNode:
    def go(value: Any) -> int | None:
        if type(value) is str:
            return node_of.get(value, unseen)
        return missing if _is_missing(value) else None

    return go


def _route_by_presence(present: int, missing: int) -> _NextNode:
    def go(value: Any) -> int | None:
        if _is_missing(value):
            return missing
        plain = type(value) in _NUMBERS or (type(value) is str and value)
        return present if plain else None  # other types, such as pandas.NA, need a table

    return go


def _is_missing(value: Any) -> bool:
    return value is None or (type(value) is float and value != value)


def _is_plain_number(value: Any) -> bool:
    if type(value) is float:
        return value != value or abs(value) != math.inf
    return value is None or type(value) is bool or (type(value) is int and abs(value) < _EXACT)


def _walk(plan: RowPlan, row: Mapping[str, Any]) -> int:
    """Return the node in which a row ends, or -1 if the row must be read as a table."""
    steps, node, get = plan.steps, 0, row.get
    while (step := steps[node]) is not None:
        name, go = step
        child = go(get(name, _ABSENT))
        if child is None:
            return -1
        if child < 0:
            return node
        node = child
    return node


def predict_row(tree: Tree, row: Any) -> Answer:
    """Return the prediction for one row; see `Tree.predict_one`."""
    if type(row) is not dict and not isinstance(row, Mapping):
        row = _row_to_dict(tree, row)
    plan = tree._plan
    leaf = _walk(plan, row)
    if leaf < 0:
        return _predict_by_table(tree, row)
    answer: Answer | None = plan.answers.get(leaf)
    if answer is None:
        answer = plan.answers[leaf] = _build_answer(
            tree, leaf, tree.node(leaf).label, tree.value[leaf]
        )
    return answer


def _build_answer(tree: Tree, leaf: int, label: Any, shares: Any) -> Answer:
    probability = None
    if tree.task.has_classes and tree.n_outputs == 1:
        labels = tree.target.classes[0].tolist()
        probability = dict(zip(labels, shares[0].tolist(), strict=True))
    return Answer(label, probability, leaf)


def _row_to_dict(tree: Tree, row: Any) -> dict[str, Any]:
    names = tree.schema.names
    if hasattr(row, "to_dict") and getattr(row, "ndim", 0) == 1:  # a pandas Series
        return dict(row.to_dict())
    if isinstance(row, str | bytes) or not hasattr(row, "__len__"):
        raise DataTypeError(
            f"predict_one requires a dict from column name to value or a sequence, got {row!r}."
        )
    values = row.tolist() if hasattr(row, "tolist") else list(row)
    if len(values) != len(names):
        raise DataError(
            f"predict_one requires one value per column ({len(names)}), got {len(values)} values. "
            "Pass a dict to omit columns."
        )
    return dict(zip(names, values, strict=True))


def _predict_by_table(tree: Tree, row: Mapping[str, Any]) -> Answer:
    """Return the prediction for a row, read as a table of only the columns needed for routing."""
    names, values = tree.schema.names, dict[str, Any]()
    every = tree.missing in ("fractional", "error") or tree.active_surrogates is not None
    column: str | None = ""
    while column is not None:
        table = route.read(tree, {name: [values.get(name)] for name in names})
        columns = (
            tree.used_features.tolist()
            if every
            else [int(tree.splits.column[move.node]) for move in trace(tree, table, 0)]
        )
        column = next((names[j] for j in columns if j >= 0 and names[j] not in values), None)
        if column is not None:
            values[column] = _require_value(row, column)
    leaf = int(route.apply(tree, table)[0])
    if tree.missing != "fractional":
        return _build_answer(tree, leaf, tree.node(leaf).label, tree.value[leaf])
    label = route.predict(tree, table)[0]
    label = label.tolist() if hasattr(label, "tolist") else label
    shares = route.predict_proba(tree, table) if tree.task.has_classes else None
    return _build_answer(tree, leaf, tuple(label) if tree.n_outputs > 1 else label, shares)


def _require_value(row: Mapping[str, Any], name: str) -> Any:
    if name in row:
        return row[name]
    hint = did_you_mean(name, [str(key) for key in row])
    raise DataError(
        f"The row has no column {name!r}, which the prediction requires. Columns in the row: "
        f"{', '.join(map(str, row)) or 'none'}.{hint} Pass None for a missing value."
    )


def apply_few_rows(tree: Tree, frame: Any, names: Sequence[str]) -> list[int] | None:
    """Return the end node of each row of a pandas frame, or None to read it as a table."""
    if tree.missing == "error" or tree.unseen == "error" or list(frame.columns) != list(names):
        return None
    plan = tree._plan
    if plan.checks is None:
        return None
    leaves = []
    try:
        rows = frame.values.tolist()  # tolist is four times as fast as itertuples
    except (TypeError, ValueError, NotImplementedError):  # not convertible
        return None
    for values in rows:
        # Like the table reader, also check columns that are not on the path.
        if not all(fits(value) for fits, value in zip(plan.checks, values, strict=True)):
            return None
        leaf = _walk(plan, dict(zip(names, values, strict=True)))
        if leaf < 0:
            return None
        leaves.append(leaf)
    return leaves


def as_table_row(row: Any, tree: Tree | None = None) -> Any:
    """Convert a row to a table; with `tree`, a dict may omit columns that are not on its path."""
    if isinstance(row, dict):
        if any(np.ndim(value) for value in row.values()):
            return row
        names = list(row) if tree is None else tree.schema.names
        if tree is not None and not all(name in row for name in names):
            _predict_by_table(tree, row)  # raises an error if a column on the path is missing
            return {name: [row.get(name)] for name in names}
        return {name: [value] for name, value in row.items()}
    if type(row).__module__.startswith("pandas") and getattr(row, "ndim", 2) == 1:
        return {name: [value] for name, value in row.items()}
    if isinstance(row, np.ndarray):
        fields = row.dtype.names is not None  # a structured array can be read as a table
        return row.reshape(1, -1) if row.ndim == 1 and not fields else row
    if isinstance(row, list | tuple) and row and np.ndim(row[0]) == 0:
        return [list(row)] if not isinstance(row[0], dict) else row
    return row
