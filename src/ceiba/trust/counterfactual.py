"""What would have to change: the nearest rows to which the tree gives another answer, exactly.

Every way down a tree is a box: one set of values per column (several boxes where surrogates stand
in). Going down, boxes only shrink and what a change costs only grows, so taking the cheapest open
branch first (Dijkstra) meets the wanted leaves in the order of their cost: nothing is missed and
little is looked at. With `missing="fractional"` every value that the path asks for is filled in.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal

import numpy as np

from ceiba.errors import DataError, OptionError, TreeError
from ceiba.paths import STAYS, Chain, Clause, ValueSet, clause_of
from ceiba.table import Column, Table, show_number
from ceiba.tree import Tree
from ceiba.tree.routing import route
from ceiba.tree.splits import ALL_DIGITS
from ceiba.trust.column_limits import ColumnLimits, Direction, NewValue, read_limits

Order = Literal["columns", "distance"]
Box = dict[int, ValueSet]


@dataclass(frozen=True)
class Change:
    """One value that has to change.

    Attributes
    ----------
    column : str
    old, new : object
        The value and the nearest one that does; None is missing. Above a cut that is the next
        number that a float can be.
    condition : str
        What the new value has to fulfil; any value that does will do.
    distance : float
        How far it is, times the column's cost.
    """

    column: str
    old: Any
    new: Any
    condition: str
    distance: float

    def __str__(self) -> str:
        old = f"{self.old:.6g}" if isinstance(self.old, float) else self.old
        return f"{self.condition} (is {'missing' if old is None else old})"


@dataclass(frozen=True)
class Counterfactual:
    """A nearest row with the wanted answer.

    Attributes
    ----------
    changes : tuple of Change
    answer : object
        What the tree then predicts: a class or a number.
    node : int
        Where the row then ends.
    n_rows : int
        Training rows that this answer rests on.
    probability : float or None
        Of the answer, in that node; None for regression.
    distance : float
        Sum over the changes.
    row : dict
        The whole changed row, as `predict` takes it.
    """

    changes: tuple[Change, ...]
    answer: Any
    node: int
    n_rows: int
    probability: float | None
    distance: float
    row: dict[str, Any]

    def __str__(self) -> str:
        what = " and ".join(str(change) for change in self.changes)
        sure = "" if self.probability is None else f"probability {self.probability:.3g}, "
        answer = f"{self.answer:.6g}" if self.probability is None else self.answer
        return f"{what} -> {answer} ({sure}{self.n_rows} training rows)"


class Counterfactuals(tuple[Counterfactual, ...]):
    """The alternatives for one row, the nearest first; prints one line each.

    Attributes
    ----------
    already : bool
        Whether there are none because the row has the wanted answer as it is.
    """

    already = False

    def __str__(self) -> str:
        if self.already:
            return "The row already has the wanted answer."
        if not self:
            return "No allowed change leads to the wanted answer."
        return "\n".join(f"{i}. {alternative}" for i, alternative in enumerate(self, 1))

    __repr__ = __str__


def counterfactual(
    tree: Tree,
    row: Any,
    *,
    target: Any = None,
    fixed: Iterable[str] = (),
    direction: Mapping[str, Direction] | None = None,
    allowed: Mapping[str, Any] | None = None,
    cost: Mapping[str, float] | None = None,
    order: Order = "columns",
    k: int = 5,
) -> Counterfactuals:
    """Return the nearest changes to a row that give it another answer.

    Parameters
    ----------
    tree : Tree
        With one output.
    row : table
        One row.
    target : label, or (low, high)
        The wanted class, by default any other than now; for regression a range, None is open.
    fixed : names of columns
        What may not change.
    direction : dict of column to "up" or "down", optional
    allowed : dict of column to levels or (low, high), optional
        Values that a column may change to.
    cost : dict of column to float, optional
        What a change of a whole range, or of a level, costs; default 1.
    order : {"columns", "distance"}
        Fewest changed columns first, then least distance; or least distance alone.
    k : int
        How many alternatives at most. They differ in what is changed, and how.

    Returns
    -------
    Counterfactuals
        A tuple, nearest first; empty if nothing that is allowed leads there, or if the row has the
        wanted answer already (`already` is then True).

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("age <= 30", "no", ("income <= 20", "no", "yes")))
    >>> print(ceiba.trust.counterfactual(tree, {"age": [40], "income": [15.0]}))
    1. income > 20 (is 15) -> yes (probability 1, 0 training rows)
    """
    if order not in ("columns", "distance"):
        raise OptionError(f"order: got {order!r}. Allowed: 'columns', 'distance'.")
    if k < 1:
        raise OptionError(f"k: got {k}. Needs at least 1.")
    if tree.n_outputs > 1:
        raise TreeError("Counterfactuals need a tree with one output.")
    table = route.read(tree, row)
    if table.n_rows != 1:
        raise DataError(f"A counterfactual is of one row; got {table.n_rows} rows.")
    route.refuse(tree, table)
    limits = read_limits(tree.schema, fixed, direction or {}, allowed or {}, cost or {})
    search = _Search(tree, table, limits, order)
    wanted, already = _target_nodes(tree, route.predict(tree, table)[0], target)
    if already:
        unchanged = Counterfactuals()
        unchanged.already = True
        return unchanged
    alternatives: dict[Any, Counterfactual] = {}
    for node, box in search.find_leaves(wanted):
        alternative = search.counterfactual(node, box)
        kind = frozenset((change.column, _change_kind(change)) for change in alternative.changes)
        if alternative.changes and kind not in alternatives:
            alternatives[kind] = alternative
            if len(alternatives) == k:
                break
    return Counterfactuals(alternatives.values())


def _change_kind(change: Change) -> Any:
    """Return how a value changed: a number up or down, a level to which."""
    if isinstance(change.new, float) and isinstance(change.old, float):
        return change.new > change.old
    return change.new if not isinstance(change.new, float) else None


def _target_nodes(
    tree: Tree, now: Any, target: Any
) -> tuple[np.ndarray[Any, np.dtype[np.bool_]], bool]:
    """Return for each node whether its answer is a wanted one, and whether the row's answer is."""
    if tree.task.is_classification("A counterfactual"):
        labels = tree.target.classes[0].tolist()
        if target is None:
            return np.asarray(tree.answer != labels.index(now)), False
        if target not in labels:
            raise OptionError(f"target: {target!r} is no class of this tree. Classes: {labels}.")
        return np.asarray(tree.answer == labels.index(target)), bool(now == target)
    try:
        low, high = target
    except TypeError:
        raise OptionError(
            f"target: got {target!r}. A regression tree takes a range (low, high); None is open."
        ) from None
    value = tree.value[:, 0, 0]
    low, high = -math.inf if low is None else low, math.inf if high is None else high
    return np.asarray((value >= low) & (value <= high)), bool(low <= now <= high)


class _Search:
    """The cheapest ways down the tree for one row."""

    def __init__(
        self, tree: Tree, table: Table, limits: tuple[ColumnLimits, ...], order: Order
    ) -> None:
        self.tree, self.table, self.limits = tree, table, limits
        self.by_columns = order == "columns"
        self.values = [float(column.values[0]) for column in table.columns]

    def find_leaves(self, wanted: Any) -> Iterator[tuple[int, Box]]:
        """Yield wanted ends with their boxes, the cheapest first."""
        tree, ticket = self.tree, count()
        heap: list[tuple[tuple[float, float], int, int, bool, Box]] = []
        heapq.heappush(heap, ((0, 0.0), next(ticket), 0, bool(tree.is_leaf[0]), {}))
        while heap:
            _, _, node, ends, box = heapq.heappop(heap)
            if ends:
                if wanted[node]:
                    yield node, box
                continue
            for branch in (*range(int(tree.n_branches[node])), STAYS):
                if branch == STAYS and int(tree.default_branch[node]) >= 0:
                    continue
                at = int(tree.branch_start[node]) + branch
                child = node if branch == STAYS else int(tree.branch_node[at])
                stops = branch == STAYS or bool(tree.is_leaf[child])
                for smaller in self._narrow(box, clause_of(tree, node, branch)):
                    effort = self._priority(smaller)
                    if effort is not None:
                        heapq.heappush(heap, (effort, next(ticket), child, stops, smaller))

    def _narrow(self, box: Box, clause: Clause) -> Iterator[Box]:
        """Return the boxes that are left of one when a clause is to hold."""
        j = self.tree.schema.index(clause.info.name)
        for values, chains in clause.choices:
            if self.tree.missing == "fractional":
                values = _routable(values, self.tree.unseen == "missing")
            smaller = _intersect(box, j, values)
            if smaller is not None:
                yield from self._apply_surrogates(smaller, chains)

    def _apply_surrogates(self, box: Box, chains: tuple[Chain, ...]) -> Iterator[Box]:
        if not chains:
            yield box
            return
        first, rest = chains[0], chains[1:]
        silent: Box | None = box
        for yes, unable in first.tests:
            assert silent is not None
            j = self.tree.schema.index(yes.info.name)
            agreed = _intersect(silent, j, yes)
            if agreed is not None:
                yield from self._apply_surrogates(agreed, rest)
            silent = _intersect(silent, j, unable)
            if silent is None:
                return
        if first.default and silent is not None:
            yield from self._apply_surrogates(silent, rest)

    def _new_value(self, j: int, values: ValueSet) -> NewValue | None:
        return self.limits[j].nearest(self.values[j], values)

    def _priority(self, box: Box) -> tuple[float, float] | None:
        """Return how many columns have to change and how far, in the order asked for."""
        n_columns, distance = 0, 0.0
        for j, values in box.items():
            move = self._new_value(j, values)
            if move is None:
                return None
            n_columns += not _is_same(move.value, self.values[j])
            distance += move.distance
        return (n_columns, distance) if self.by_columns else (distance, n_columns)

    def counterfactual(self, node: int, box: Box) -> Counterfactual:
        """Describe the nearest row of a box, and check it by predicting it."""
        changes, values = [], list(self.values)
        for j, wanted in box.items():
            move = self._new_value(j, wanted)
            assert move is not None
            if _is_same(move.value, self.values[j]):
                continue
            values[j] = move.value
            info = self.limits[j].info
            changes.append(
                Change(
                    info.name,
                    _display_value(info, self.values[j]),
                    _display_value(info, move.value),
                    self._format_condition(j, wanted),
                    move.distance,
                )
            )
        tree = self.tree
        changed = self._table(values)
        answer = route.predict(tree, changed)[0]
        has_classes = tree.task.has_classes
        label = tree._label_table[node]
        if answer != label:
            raise TreeError(
                f"A counterfactual of node {node} is predicted as {answer!r}, not {label!r}. "
                "Please report this tree."
            )
        return Counterfactual(
            tuple(changes),
            answer.item() if hasattr(answer, "item") else answer,
            node,
            int(tree.n_rows[node]),
            float(tree.value[node, 0, int(tree.answer[node])]) if has_classes else None,
            sum(change.distance for change in changes),
            {
                limit.info.name: _display_value(limit.info, value)
                for limit, value in zip(self.limits, values, strict=True)
            },
        )

    def _format_condition(self, j: int, wanted: ValueSet) -> str:
        """Return the condition on the new value, within what is allowed."""
        limit = self.limits[j]
        if limit.codes is not None:
            wanted = wanted.of_codes(limit.codes)
        low, high = limit.low, limit.high
        if limit.info.is_numeric and (low > wanted.low or high < wanted.high):
            wanted = wanted & ValueSet(
                limit.info, low=math.nextafter(low, -math.inf), high=high, missing=False
            )
        # With all digits: every value that fulfils the condition must do, not only training values.
        return wanted.present.text(digits=ALL_DIGITS) or f"{limit.info.name} is present"

    def _table(self, values: list[float]) -> Table:
        columns = tuple(
            Column(
                column.info, np.array([value], np.float64 if column.info.is_numeric else np.int32)
            )
            for column, value in zip(self.table.columns, values, strict=True)
        )
        return Table(columns, 1, self.table.schema)


def _is_same(a: float, b: float) -> bool:
    return a == b or (a != a and b != b)


def _intersect(box: Box, j: int, values: ValueSet) -> Box | None:
    both = box[j] & values if j in box else values
    return None if both.is_empty else {**box, j: both}


def _routable(values: ValueSet, named_only: bool) -> ValueSet:
    """Return the values that send a row whole: present, and levels that the splits know."""
    present = values.present
    return present.of_codes(present.named) if named_only and not values.info.is_numeric else present


def _display_value(info: Any, value: float) -> Any:
    """Return a value as it stands in a table of the user."""
    if info.is_numeric:
        if value != value:
            return None
        return value if info.display == "number" else show_number(value, info.display)
    if value < 0:
        return None
    return info.levels[int(value)] if value < info.n_levels else "unseen level"
