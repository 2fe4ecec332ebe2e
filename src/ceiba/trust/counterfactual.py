"""Find counterfactuals: the smallest changes to a row that change its prediction.

A path of a tree admits a box: one set of values per column (several boxes if surrogates decide).
Boxes only shrink along a path, so their distance never decreases. Expanding the nearest open branch
first (Dijkstra) therefore finds the nearest leaves first, usually without visiting the whole tree.
With `missing="fractional"`, a counterfactual fills in every missing value on the path.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError, OptionError, TreeError
from ceiba.paths import STAYS, Chain, Clause, ValueSet, branch_clause
from ceiba.table import Column, Table, format_value
from ceiba.tree import Tree
from ceiba.tree.routing import route
from ceiba.tree.splits import ALL_DIGITS
from ceiba.trust.column_limits import ColumnLimits, Direction, NewValue, read_limits
from ceiba.words import Catalogue, words

Order = Literal["columns", "distance"]
Box = dict[int, ValueSet]
Limits = tuple[ColumnLimits, ...]


@dataclass(frozen=True)
class Change:
    """A change of the value of one column.

    Attributes
    ----------
    column : str
    old, new : object
        The old value and the nearest sufficient one, which above a cut is the next float. None
        denotes a missing value.
    condition : str
        Condition on the new value; any value that satisfies it suffices.
    distance : float
        Distance of the change times the cost of the column.
    """

    column: str
    old: Any
    new: Any
    condition: str
    distance: float

    def __str__(self) -> str:
        return self._format(words("en"))

    def _format(self, word: Catalogue) -> str:
        """Format the change as text in the language of the catalog `word`."""
        old = f"{self.old:.6g}" if isinstance(self.old, float) else self.old
        value = word["explain.missing"] if old is None else old
        return word("counterfactual.change", condition=self.condition, value=value)


@dataclass(frozen=True)
class Counterfactual:
    """A changed row with the target prediction.

    Attributes
    ----------
    changes : tuple of Change
    answer : object
        Prediction for the changed row: a class or a number.
    node : int
        Leaf of the changed row.
    n_rows : int
        Training rows of that leaf.
    probability : float or None
        Probability of the answer in that leaf; None for regression.
    distance : float
        Sum of the distances of the changes.
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
        return self._format(words("en"))

    def _format(self, word: Catalogue) -> str:
        """Format the changes and the prediction as text in the language of the catalog `word`."""
        changes = word["split.and"].join(change._format(word) for change in self.changes)
        p, rows = self.probability, word("page.n_train_rows", n=self.n_rows)
        sure = "" if p is None else f"{word['explain.probability']} {p:.3g}, "
        answer = f"{self.answer:.6g}" if p is None else self.answer
        return f"{changes} -> {answer} ({sure}{rows})"


class Counterfactuals(tuple[Counterfactual, ...]):
    """Counterfactuals of one row in the requested order, printed as one line each.

    Attributes
    ----------
    already : bool
        Whether the tuple is empty because the row already has the target prediction.
    """

    already = False
    _lang = "en"

    def __str__(self) -> str:
        word = words(self._lang)
        if not self:
            return word["counterfactual.already" if self.already else "counterfactual.none"]
        return "\n".join(f"{i}. {item._format(word)}" for i, item in enumerate(self, 1))

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
    lang: str = "en",
) -> Counterfactuals:
    """Return the smallest changes to a row that change its prediction.

    Parameters
    ----------
    tree : Tree
        With one output.
    row : table
        One row.
    target : label, or (low, high)
        Target class, by default any other than the predicted one; for regression a range, in
        which None leaves a side open.
    fixed : names of columns
        Columns that must not change.
    direction : dict of column to "up" or "down", optional
    allowed : dict of column to levels or (low, high), optional
        Values that a column may change to.
    cost : dict of column to float, optional
        Cost of a change over the whole range, or to another level; default 1.
    order : {"columns", "distance"}
        Fewest changed columns first, then least distance; or least distance alone.
    k : int
        Maximum number of counterfactuals. They differ in the changed columns, in the direction
        of a change or in the new level.
    lang : {"en", "es", "pt"}
        Language of the printed lines and of the conditions.

    Returns
    -------
    Counterfactuals
        A tuple sorted by `order`; empty if no allowed change reaches the target, or if the row
        already has the target prediction (`already` is then True).

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("age <= 30", "no", ("income <= 20", "no", "yes")))
    >>> print(ceiba.trust.counterfactual(tree, {"age": [40], "income": [15.0]}))
    1. income > 20 (is 15) -> yes (probability 1, 0 training rows)
    """
    if order not in ("columns", "distance"):
        raise OptionError(f"order must be 'columns' or 'distance', got {order!r}.")
    if k < 1:
        raise OptionError(f"k must be at least 1, got {k}.")
    if tree.n_outputs > 1:
        raise TreeError("Counterfactuals are not supported for trees with several outputs.")
    table = route.read(tree, row)
    if table.n_rows != 1:
        raise DataError(f"row must be a single row, got {table.n_rows} rows.")
    route.check_rows(tree, table)
    limits = read_limits(tree.schema, fixed, direction or {}, allowed or {}, cost or {})
    search = _Search(tree, table, limits, order, lang)
    ends, already = wanted_nodes(tree, route.predict(tree, table)[0], target)
    alternatives: dict[Any, Counterfactual] = {}
    for node, box in () if already else search.find_leaves(ends):
        alternative = search.counterfactual(node, box)
        kind = frozenset((change.column, _change_kind(change)) for change in alternative.changes)
        # Skip a counterfactual that contains all changes of an earlier counterfactual.
        if alternative.changes and not any(earlier <= kind for earlier in alternatives):
            alternatives[kind] = alternative
            if len(alternatives) == k:
                break
    result = Counterfactuals(alternatives.values())
    result.already, result._lang = already, lang
    return result


def _change_kind(change: Change) -> Any:
    """Return the kind of a change: whether a number rises, or the new level of a category."""
    if isinstance(change.new, float) and isinstance(change.old, float):
        return change.new > change.old
    return change.new if not isinstance(change.new, float) else None


def wanted_nodes(tree: Tree, now: Any, target: Any) -> tuple[npt.NDArray[np.bool_], bool]:
    """Return a mask of the nodes with a target prediction, and whether the row already has it."""
    if tree.task.has_classes:
        labels = tree.target.classes[0].tolist()
        if target is None:
            return np.asarray(tree.answer != labels.index(now)), False
        if target not in labels:
            raise OptionError(f"target must be a class, got {target!r}. Classes: {labels}.")
        return np.asarray(tree.answer == labels.index(target)), bool(now == target)
    try:
        low, high = (None if limit is None else float(limit) for limit in target)
    except (TypeError, ValueError):
        raise OptionError(
            f"target must be a pair (low, high), got {target!r}. None in the pair means no limit."
        ) from None
    value = tree.value[:, 0, 0]
    low, high = -math.inf if low is None else low, math.inf if high is None else high
    return np.asarray((value >= low) & (value <= high)), bool(low <= now <= high)


class _Search:
    """Best-first search for the target leaves nearest to one row."""

    def __init__(
        self, tree: Tree, table: Table, limits: Limits, order: Order, lang: str = "en"
    ) -> None:
        self.tree, self.table, self.limits, self.lang = tree, table, limits, lang
        self.by_columns = order == "columns"
        self.values = [float(column.values[0]) for column in table.columns]

    def find_leaves(self, ends: Any) -> Iterator[tuple[int, Box]]:
        """Yield the end nodes in `ends` by priority, each with a box of values that lead to it."""
        # Invariant: the priority of a node is at most that of all nodes below it. So when a leaf is
        # popped, no leaf in the heap or below it is nearer. Tickets break ties by insertion order.
        tree, ticket = self.tree, count()
        heap: list[tuple[tuple[float, float], int, int, bool, Box]] = []
        heapq.heappush(heap, ((0, 0.0), next(ticket), 0, bool(tree.is_leaf[0]), {}))
        while heap:
            _, _, node, stops, box = heapq.heappop(heap)
            if stops:
                if ends[node]:
                    yield node, box
                continue
            for branch in (*range(int(tree.n_branches[node])), STAYS):
                if branch == STAYS and int(tree.default_branch[node]) >= 0:
                    continue
                at = int(tree.branch_start[node]) + branch
                child = node if branch == STAYS else int(tree.branch_node[at])
                stops = branch == STAYS or bool(tree.is_leaf[child])
                for smaller in self._narrow(box, branch_clause(tree, node, branch)):
                    priority = self._priority(smaller)
                    if priority is not None:
                        heapq.heappush(heap, (priority, next(ticket), child, stops, smaller))

    def _narrow(self, box: Box, clause: Clause) -> Iterator[Box]:
        """Yield the parts of a box (sets of values by column) in which a condition holds."""
        j = self.tree.schema.index(clause.info.name)
        for values, chains in clause.choices:
            if self.tree.missing == "fractional":
                # Rows with values that count as missing are divided, so exclude these values.
                values, named_only = values.present, self.tree.unseen == "missing"
                if named_only and not values.info.is_numeric:
                    values = values.of_codes(values.named)
            smaller = _intersect(box, j, values)
            if smaller is not None:
                yield from self._apply_surrogates(smaller, chains)

    def _apply_surrogates(self, box: Box, chains: tuple[Chain, ...]) -> Iterator[Box]:
        """Yield the parts of a box in which the conditions of all surrogate chains hold."""
        if not chains:
            yield box
            return
        first, remaining = chains[0], chains[1:]
        undecided: Box | None = box  # rows that no surrogate so far can route
        for yes, unable in first.tests:
            assert undecided is not None
            j = self.tree.schema.index(yes.info.name)
            decided = _intersect(undecided, j, yes)
            if decided is not None:
                yield from self._apply_surrogates(decided, remaining)
            undecided = _intersect(undecided, j, unable)
            if undecided is None:
                return
        if first.default and undecided is not None:
            yield from self._apply_surrogates(undecided, remaining)

    def _new_value(self, j: int, values: ValueSet) -> NewValue | None:
        return self.limits[j].nearest(self.values[j], values)

    def _priority(self, box: Box) -> tuple[float, float] | None:
        """Return the sort key of a box, or None if it has no allowed value of some column."""
        n_columns, distance = 0, 0.0
        for j, values in box.items():
            new = self._new_value(j, values)
            if new is None:
                return None
            n_columns += not _is_same(new.value, self.values[j])
            distance += new.distance
        return (n_columns, distance) if self.by_columns else (distance, n_columns)

    def counterfactual(self, node: int, box: Box) -> Counterfactual:
        """Return the row in a box that is nearest to the given row, and check its prediction."""
        changes, values = [], list(self.values)
        for j, goal in box.items():
            new = self._new_value(j, goal)
            assert new is not None
            if _is_same(new.value, self.values[j]):
                continue
            values[j] = new.value
            info = self.limits[j].info
            old, now = user_value(info, self.values[j]), user_value(info, new.value)
            condition = self._format_condition(j, goal)
            changes.append(Change(info.name, old, now, condition, new.distance))
        tree = self.tree
        changed = self._table(values)
        answer = route.predict(tree, changed)[0]
        has_classes = tree.task.has_classes
        label = tree._label_table[node]
        if answer != label:
            raise TreeError(
                f"Internal error: the counterfactual for node {node} has the prediction {answer!r} "
                f"instead of {label!r}. Please report this bug and attach the saved tree."
            )
        return Counterfactual(
            tuple(changes),
            answer.item() if hasattr(answer, "item") else answer,
            node,
            int(tree.n_rows[node]),
            float(tree.value[node, 0, int(tree.answer[node])]) if has_classes else None,
            sum(change.distance for change in changes),
            {
                limit.info.name: user_value(limit.info, value)
                for limit, value in zip(self.limits, values, strict=True)
            },
        )

    def _format_condition(self, j: int, goal: ValueSet) -> str:
        """Return the condition on the new value, limited to the allowed values, as text."""
        limit = self.limits[j]
        if limit.codes is not None:
            goal = goal.of_codes(limit.codes)
        low, high = limit.low, limit.high
        if limit.info.is_numeric and (low > goal.low or high < goal.high):
            goal = goal & ValueSet(
                limit.info, low=math.nextafter(low, -math.inf), high=high, missing=False
            )
        # Print all digits, because any value that satisfies the condition must reach the leaf.
        text = goal.present.text(digits=ALL_DIGITS, lang=self.lang)
        return text or f"{limit.info.name} {words(self.lang)['split.is_present']}"

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


def user_value(info: Any, value: float) -> Any:
    """Convert an internal value of a column to the user's representation (None if missing)."""
    if info.is_numeric:
        if value != value:
            return None
        return value if info.display == "number" else format_value(value, info.display)
    if value < 0:
        return None
    return info.levels[int(value)] if value < info.n_levels else "unseen level"
