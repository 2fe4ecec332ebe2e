"""One row, quickly: a plan of the tree in plain Python objects, made once, walked in microseconds.

A service answers one row at a time, where making a table costs a hundred times the walk. The plan
has for each node its column, what sends a value to which node, and the node of missing values. Only
columns on the way are looked at, so a row may lack the others. What the plan cannot place by itself
(dates, numbers that come as something else, surrogates) goes the ordinary way: `route.py` and the
readers of tables, whose answers these are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from ceiba.errors import DataError, DataTypeError, did_you_mean
from ceiba.table import ColumnInfo
from ceiba.table.read_for_predict import read_like
from ceiba.tree.routing import route
from ceiba.tree.splits.split_table import SplitKind

if TYPE_CHECKING:
    from ceiba.tree.tree import Tree

_CUT, _LEVELS, _PRESENCE = 1, 2, 3
_ABSENT: Final = object()
_NUMBERS: Final = (float, int, bool)
_EXACT: Final = 2**53


class Answer(NamedTuple):
    """What a tree says of one row.

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


class _Plan:
    """The tree as tuples: (kind, column, rule, low, high, missing, unseen) per inner node."""

    __slots__ = ("answers", "fits", "general", "steps")

    def __init__(self, tree: Tree) -> None:
        self.general = tree.missing == "fractional"
        self.steps = [_step(tree, node) for node in range(tree.n_nodes)]
        self.answers: dict[int, Answer] = {}
        #: The check of a value of each column; None: the readers of tables must check.
        fits = [_fits(info) for info in tree.schema.columns]
        self.fits = None if None in fits else fits


def _fits(info: ColumnInfo) -> Callable[[Any], bool] | None:
    if info.is_numeric:
        return _is_plain_number if info.display in ("number", "boolean") else None
    return _is_plain_text if all(type(level) is str for level in info.levels) else None


def plan_of(tree: Tree) -> _Plan:
    """Return the plan of a tree; `Tree._plan` keeps it."""
    return _Plan(tree)


def _step(tree: Tree, node: int) -> tuple[Any, ...] | None:
    if tree.is_leaf[node]:
        return None
    start, end = tree.branch_start[node : node + 2].tolist()
    below = tree.branch_node[start:end].tolist()
    info = tree.schema.columns[int(tree.splits.column[node])]
    default = int(tree.default_branch[node])
    has_stand_ins = tree.active_surrogates is not None and bool(
        tree.active_surrogates.start[node + 1] > tree.active_surrogates.start[node]
    )
    # None: the ordinary way decides (surrogates, or an error); -1: the row stays.
    missing = None if has_stand_ins or tree.missing == "error" else -1
    if missing is not None and default >= 0:
        missing = below[default]
    unseen: Any = missing if tree.unseen == "missing" else below[int(tree.majority_branch[node])]
    if tree.unseen in ("error", "default"):
        unseen = None
    kind = int(tree.splits.kind[node])
    if kind == SplitKind.PRESENCE:
        return _PRESENCE, info.name, info, below[0], below[1], below[1], None
    if kind == SplitKind.CUT and info.is_numeric:
        low = int(tree.splits.low_branch[node])
        cut = float(tree.splits.cut[node])
        plain = info.display in ("number", "boolean")
        return (
            _CUT, info.name, cut if plain else None, below[low], below[1 - low], missing, info
        )  # fmt: skip
    if kind == SplitKind.CUT:
        low = int(tree.splits.low_branch[node])
        cut = float(tree.splits.cut[node])
        node_of = {
            level: below[low if code <= cut else 1 - low] for code, level in enumerate(info.levels)
        }
    else:
        codes, branches = tree.splits.level_map(node)
        node_of = {
            info.levels[code]: below[branch]
            for code, branch in zip(codes.tolist(), branches.tolist(), strict=True)
        }
        # A level of the column that the node had not met.
        other: Any = unseen if tree.unseen != "error" else below[int(tree.majority_branch[node])]
        node_of = dict.fromkeys(info.levels, other) | node_of
    if not all(type(level) is str for level in info.levels):
        node_of = {}  # 1, 1.0 and True are one key: the reader tells them apart
    return _LEVELS, info.name, node_of, info, bool(node_of), missing, unseen


def answer_one(tree: Tree, row: Any) -> Answer:
    """Predict one row; see `Tree.predict_one`."""
    if not isinstance(row, Mapping):
        row = _by_name(tree, row)
    plan = tree._plan
    leaf = _walk(plan, row)
    if leaf < 0:
        return _general(tree, row)
    known: Answer | None = plan.answers.get(leaf)
    if known is None:
        known = plan.answers[leaf] = _answer(tree, leaf)
    return known


def _walk(plan: _Plan, row: Mapping[str, Any]) -> int:
    """Return the node in which a row ends; -1: the ordinary way must tell."""
    steps, node = plan.steps, 0
    if plan.general:
        return -1
    get = row.get
    while True:
        step = steps[node]
        if step is None:
            return node
        kind, name, rule, low, high, missing, last = step
        value = get(name, _ABSENT)
        if kind == _CUT:
            if rule is None or type(value) not in _NUMBERS:
                if value is not None:
                    return -1
            elif value == value:
                node = low if value <= rule else high
                continue
        elif kind == _LEVELS:
            if type(value) is str:
                if not high:
                    return -1
                there = rule.get(value, last)
            elif value is None or (type(value) is float and value != value):
                there = missing
            else:
                return -1
            if there is None:
                return -1
            if there < 0:
                return node
            node = there
            continue
        else:
            if value is _ABSENT:
                return -1
            if value is None or (type(value) is float and value != value):
                node = high
                continue
            if type(value) not in _NUMBERS and (type(value) is not str or not value):
                return -1  # pandas' NA, say, cannot be compared
            node = low
            continue
        if missing is None:
            return -1
        if missing < 0:
            return node
        node = missing


def _answer(tree: Tree, leaf: int) -> Answer:
    probability = None
    if tree.task == "classification" and tree.n_outputs == 1:
        labels = tree.target.classes[0].tolist()
        probability = dict(zip(labels, tree.value[leaf, 0].tolist(), strict=True))
    return Answer(tree.node(leaf).label, probability, leaf)


def _by_name(tree: Tree, row: Any) -> dict[str, Any]:
    names = tree.schema.names
    if hasattr(row, "to_dict") and getattr(row, "ndim", 0) == 1:  # a pandas Series
        return dict(row.to_dict())
    if isinstance(row, str | bytes) or not hasattr(row, "__len__"):
        raise DataTypeError(
            f"predict_one takes one row: a dict of values by column name. Got {row!r}."
        )
    values = row.tolist() if hasattr(row, "tolist") else list(row)
    if len(values) != len(names):
        raise DataError(
            f"predict_one: the row has {len(values)} values, and the tree knows {len(names)} "
            "columns. Give a dict, or a value for each."
        )
    return dict(zip(names, values, strict=True))


# ---------------------------------------------------------------------- the ordinary way


def _general(tree: Tree, row: Mapping[str, Any]) -> Answer:
    """Walk with the readers of tables, column by column, asking only what the way needs."""
    known: dict[str, Any] = {}
    while True:
        table = read_like(_filled(tree, known), tree.schema, match="name", unseen=_unseen(tree))
        asked = _first_unknown(tree, table, known)
        if asked is None:
            break
        known[asked] = _value(tree, row, asked)
    if tree.missing == "fractional":
        value = route.predict(tree, table)[0]
        shares = route.predict_proba(tree, table) if tree.task == "classification" else None
        probability = None
        if shares is not None and not isinstance(shares, list):
            labels = tree.target.classes[0].tolist()
            probability = dict(zip(labels, shares[0].tolist(), strict=True))
        answer = value.item() if hasattr(value, "item") and value.ndim == 0 else value
        leaf = int(route.apply(tree, table)[0])
        return Answer(tuple(answer) if getattr(answer, "ndim", 0) else answer, probability, leaf)
    return _answer(tree, int(route.apply(tree, table)[0]))


def _unseen(tree: Tree) -> Any:
    return "error" if tree.unseen == "error" else "keep"


def _filled(tree: Tree, known: Mapping[str, Any]) -> dict[str, list[Any]]:
    return {name: [known.get(name)] for name in tree.schema.names}


def _first_unknown(tree: Tree, table: Any, known: Mapping[str, Any]) -> str | None:
    """Return the next column that the way of a row asks about and that was not read yet."""
    from ceiba.tree.routing.trace import trace

    names = tree.schema.names
    if (
        tree.missing == "fractional"
        or tree.missing == "error"
        or tree.active_surrogates is not None
    ):
        for j in tree.used_features.tolist():
            if names[j] not in known:
                return str(names[j])
        return None
    for move in trace(tree, table, 0):
        column = int(tree.splits.column[move.node])
        if column >= 0 and not tree.is_leaf[move.node] and names[column] not in known:
            return str(names[column])
    return None


def _value(tree: Tree, row: Mapping[str, Any], name: str) -> Any:
    if name in row:
        return row[name]
    hint = did_you_mean(name, [str(key) for key in row])
    raise DataError(
        f"The row has no {name!r}, which the tree asks about on its way. It has "
        f"{', '.join(map(str, row)) or 'nothing'}.{hint} For a missing value give None."
    )


def few_rows(tree: Tree, frame: Any, names: Sequence[str]) -> list[int] | None:
    """Return the leaves of a pandas frame of few rows; None: the ordinary way must tell."""
    if tree.missing == "error" or tree.unseen == "error" or list(frame.columns) != list(names):
        return None
    plan = tree._plan
    if plan.fits is None:
        return None
    leaves = []
    try:
        rows = frame.values.tolist()  # four times as fast as itertuples
    except (
        TypeError,
        ValueError,
        NotImplementedError,
    ):  # categories that pandas does not make an array of
        return None
    for values in rows:
        # Columns that the way does not ask about are checked, too.
        if not all(fits(value) for fits, value in zip(plan.fits, values, strict=True)):
            return None
        leaf = _walk(plan, dict(zip(names, values, strict=True)))
        if leaf < 0:
            return None
        leaves.append(leaf)
    return leaves


def _is_plain_number(value: Any) -> bool:
    if type(value) is float:
        return value != value or abs(value) != math.inf
    return value is None or type(value) is bool or (type(value) is int and abs(value) < _EXACT)


def _is_plain_text(value: Any) -> bool:
    return type(value) is str or value is None or (type(value) is float and value != value)


def whole_row(tree: Tree, row: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return one row with all columns, missing where its way does not ask; refuse what it asks."""
    if all(name in row for name in tree.schema.names):
        return {name: [value] for name, value in row.items()}
    _general(tree, row)
    return _filled(tree, row)


def one_row(row: Any) -> Any:
    """Return a table of one row from a dict of values or a sequence of them."""
    if isinstance(row, dict):
        scalar = all(np.ndim(value) == 0 for value in row.values())
        return {name: [value] for name, value in row.items()} if scalar else row
    if type(row).__module__.startswith("pandas") and getattr(row, "ndim", 2) == 1:
        return {name: [value] for name, value in row.items()}
    if isinstance(row, np.ndarray):
        fields = row.dtype.names is not None  # a structured array: its rows, whatever their number
        return row.reshape(1, -1) if row.ndim == 1 and not fields else row
    if isinstance(row, list | tuple) and row and np.ndim(row[0]) == 0:
        return [list(row)] if not isinstance(row[0], dict) else row
    return row
