"""Prepare a table for learning: target, weights, column kinds and roles, held-out rows.

The studio's first screen is one call of `prepare`, so a saved script prepares the same table. All
columns are read once, including the target. Then, in this order, columns are converted or dropped,
rows without a target are dropped, and rows are held out.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError, DataWarning, OptionError
from ceiba.inspection import split_held_out_rows
from ceiba.inspection.describing import is_numeric_target
from ceiba.table import (
    Column,
    ColumnInfo,
    Kind,
    Schema,
    Table,
    Target,
    TargetInfo,
    column_range,
    conform_column,
    encode_numbers,
    number_to_level,
    read,
    read_target,
    read_weights,
    recode,
)
from ceiba.table.targets import read_target_like, split_survival
from ceiba.task import Task, TaskName
from ceiba.tree.splits import level_text

Kinds = Literal["number", "category", "ordered"]
KINDS: Final = ("number", "category", "ordered")
KIND_NAMES: Final = {
    Kind.NUMERIC: "number", Kind.CATEGORICAL: "category", Kind.ORDERED: "ordered"
}  # fmt: skip
Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table prepared for fitting, with its held-out and test rows.

    Attributes
    ----------
    X : Table
    y : Target
    weight : float64 array or None
    held_out : Prepared or None
        Rows for evaluation.
    test : Prepared or None
        Rows for one final evaluation.
    n_left_out : int
        Rows without a target.
    """

    X: Table
    y: Target
    weight: Array | None = None
    held_out: Prepared | None = None
    n_left_out: int = 0
    test: Prepared | None = None

    def take(self, rows: Array) -> Prepared:
        """Return the rows with these indices as prepared data, without held-out and test rows."""
        weight = None if self.weight is None else self.weight[rows]
        return Prepared(self.X.take(rows), self.y.take(rows), weight)


def prepare(
    X: Any,
    y: Any,
    *,
    task: TaskName | None = None,
    weight: str | None = None,
    ignore: Iterable[str] = (),
    kinds: Mapping[str, Kinds] | None = None,
    orders: Mapping[str, Iterable[Any]] | None = None,
    rename: Mapping[str, str] | None = None,
    held_out: Any = None,
    test: float | None = None,
    seed: int = 0,
    event: Any = None,
    like: Any = None,
) -> Prepared:
    """Prepare a table for learning: target, weights, column kinds and held-out rows.

    Parameters
    ----------
    X : table
        Anything that `fit` accepts.
    y : str, pair of str, or array-like
        The column of X to predict, or its values; for survival, the columns of time and event.
    task : {"classification", "regression", "survival"}, optional
        By default, strings, booleans and whole numbers with at most 20 distinct values are classes.
    weight : str, optional
        The column with the weight of each row.
    ignore : iterable of str
        Columns to leave out.
    kinds : mapping of column to {"number", "category", "ordered"}, optional
        Columns to convert to a kind that their type does not imply.
    orders : mapping of column to levels, optional
        The levels of ordered columns, from the lowest to the highest.
    rename : mapping of column to its new name, optional
        All other arguments use the names in X.
    held_out : float or table, optional
        Share of the rows to hold out (stratified by class), or a table of other rows.
    test : float, optional
        Share of the rows to keep for one final evaluation, because scores on held-out rows become
        optimistic once they guide decisions.
    seed : int, default=0
        Seed of the choice of held-out and test rows.
    event : optional
        The code of the event in the event column, unless `like` has one or the values are 0 and 1.
    like : fitted model or Tree, optional
        Model or tree whose columns, kinds, levels and classes are used.

    Returns
    -------
    Prepared
        `X`, `y` and `weight` are arguments of `fit`; `held_out` and `test` are `Prepared` too.

    Examples
    --------
    >>> import ceiba
    >>> frame = {"id": [1, 2, 3, 4], "size": ["S", "L", "M", "S"], "buys": ["n", "y", "y", "n"]}
    >>> data = ceiba.prepare(frame, "buys", ignore=["id"], orders={"size": ["S", "M", "L"]})
    >>> data.X.schema.names, data.X.columns[0].values.tolist()
    (('size',), [0, 2, 1, 0])
    >>> ceiba.DecisionTreeClassifier().fit(data.X, data.y).get_n_leaves()
    2
    """
    time, status = y if isinstance(y, tuple) else (y, None)
    table, name = read_whole_table(X, time)
    answer = _Answer(name, status, event, dict(rename or {}))
    if like is not None:
        settings = {"task": task, "ignore": ignore, "kinds": kinds, "orders": orders,
                    "rename": rename}  # fmt: skip
        for option in (option for option, value in settings.items() if value):
            raise OptionError(f"{option}= is not supported with like=. Omit one of them.")
        data = _read_like(table, answer, getattr(like, "tree_", like), weight)
        return _hold_out(data, answer, held_out, test, weight, seed)
    chosen_kinds = dict(kinds or {}) | dict.fromkeys(orders or {}, "ordered")
    left_out = [*ignore, *(column for column in (weight, status) if column is not None)]
    _check_names(table, [*chosen_kinds, *left_out, *answer.rename, name])
    if name in left_out:
        raise OptionError(f"Target {name!r} must not also be an ignored, weight or event column.")
    names = [column for column in table.schema.names if column != name and column not in left_out]
    if not names:
        raise DataError("X must have a column besides target, weight, event and ignored columns.")
    columns = [
        as_kind(table.column(column), chosen_kinds.get(column), (orders or {}).get(column))
        for column in names
    ]
    data = _attach_target(table, columns, answer, task, weight)
    return _hold_out(data, answer, held_out, test, weight, seed)


class _Answer(NamedTuple):
    """Names of target and event columns, the code of an event, and new column names."""

    name: str
    status: str | None
    code: Any
    rename: Mapping[str, str]

    def rename_column(self, column: Column) -> Column:
        """Return a column under its new name."""
        new = self.rename.get(column.name, column.name)
        info = replace(column.info, name=new)
        return column if new == column.name else replace(column, info=info)


def _hold_out(
    data: Prepared,
    answer: _Answer,
    held_out: Any,
    test: float | None,
    weight: str | None,
    seed: int,
) -> Prepared:
    """Split off test rows, then hold out a share of the rows or read a held-out table."""
    if test is not None:
        data, sealed = _split(data, "test", test, seed)
        data = replace(data, test=sealed)
        if isinstance(held_out, float) and 0 < held_out < 1:
            if held_out + test >= 1:
                raise OptionError(
                    f"The sum of held_out and test must be less than 1, got {held_out} + {test}."
                )
            held_out /= 1 - test
    if held_out is None:
        return data
    if not isinstance(held_out, int | float | np.number):
        tree = _KnownSchema(data.X.schema, data.y.info)
        table = read(held_out)
        if answer.rename:
            table = _build_table([answer.rename_column(c) for c in table.columns], True)
            answer = answer._replace(
                name=answer.rename.get(answer.name, answer.name),
                status=answer.rename.get(answer.status or "", answer.status),
            )
            weight = answer.rename.get(weight or "", weight)
        return replace(data, held_out=_read_like(table, answer, tree, weight))
    train, holdout = _split(data, "held_out", held_out, seed)
    return replace(train, held_out=holdout)


def _split(data: Prepared, name: str, share: Any, seed: int) -> tuple[Prepared, Prepared]:
    """Split off a share of the rows, stratified by class (for survival, by event)."""
    number = isinstance(share, int | float | np.number) and not isinstance(share, bool)
    if not number or not 0 < float(share) < 1:
        or_table = ", or a table" if name == "held_out" else ""
        raise OptionError(f"{name} must be a share in the range (0, 1){or_table}, got {share!r}.")
    codes = data.y.values[:, 0] if data.y.info.task.has_classes else None
    if data.y.info.task is Task.SURVIVAL:
        codes = data.y.values[:, 1].astype(np.int64)
    train, holdout = split_held_out_rows(codes, len(data.y), float(share), seed)
    left = replace(data.take(train), n_left_out=data.n_left_out, test=data.test)
    return left, data.take(holdout)


@dataclass(frozen=True)
class _KnownSchema:
    """A schema and a target, which `_read_like` accepts instead of a tree."""

    schema: Schema
    target: TargetInfo


def read_whole_table(X: Any, y: Any) -> tuple[Table, str]:
    """Read X and y into one table that includes the target, and return it with the target name."""
    with warnings.catch_warnings():  # the page shows warnings about identifiers
        warnings.simplefilter("ignore", DataWarning)
        table = read(X)
        if isinstance(y, str):
            return table, y
        name = getattr(y, "name", None)
        name = name if isinstance(name, str) and name not in table.schema.names else "target"
        while name in table.schema.names:
            name += "_"
        values = [*table.columns, *read({name: y}).columns]
    if len(values[-1].values) != table.n_rows:
        raise DataError(f"y must have {table.n_rows} rows, got {len(values[-1].values)}.")
    return _build_table(values, table.schema.named), name


def infer_task(column: Column) -> Task:
    """Infer the task from a target column; integers with few distinct values are classes."""
    present = np.flatnonzero(~column.missing)
    return Task.REGRESSION if is_numeric_target(column, present) else Task.CLASSIFICATION


def read_labels(column: Column, rows: Array) -> Array:
    """Return the labels in some rows of a column: levels, numbers, booleans or formatted times."""
    values = column.values[rows]
    if not column.info.is_numeric:
        return np.asarray(np.array(column.info.levels, dtype=object)[values])
    if column.info.display == "boolean":
        return np.asarray(values == 1)
    if column.info.display == "number":
        return values.astype(np.int64) if bool((values == np.rint(values)).all()) else values
    return np.array([number_to_level(float(v), column.info.display) for v in values], object)


def as_kind(column: Column, kind: str | None, order: Iterable[Any] | None = None) -> Column:
    """Convert a column to a kind in `KINDS`; `order` lists the levels of an ordered column."""
    if kind is None:
        return column
    if kind not in KINDS:
        raise OptionError(f"Unknown kind {kind!r}. Allowed values: {', '.join(KINDS)}.")
    if kind == "number":
        return column if column.info.is_numeric else _parse_numbers(column)
    column = _to_levels(column, Kind.CATEGORICAL if kind == "category" else Kind.ORDERED)
    return column if order is None else _reorder_levels(column, list(order))


def _to_levels(column: Column, kind: Kind) -> Column:
    info = column.info
    if not info.is_numeric:
        return Column(replace(info, kind=kind), column.values, column.levels_found)
    codes, numbers = encode_numbers(column.values)
    levels = tuple(number_to_level(number, info.display) for number in numbers.tolist())
    return Column(ColumnInfo(info.name, kind, levels, "number", info.n_missing), codes, True)


def _parse_numbers(column: Column) -> Column:
    """Convert the levels of a column to numbers."""
    name, values = column.info.name, []
    for level in column.info.levels:
        try:
            values.append(float(str(level).strip()))
        except ValueError:
            raise DataError(
                f"Column {name!r} must contain numbers, got {level!r}. Correct the value, or "
                "keep the column categorical."
            ) from None
    numbers = np.array([*values, np.nan])[column.values]  # -1 (missing) selects NaN
    info = ColumnInfo(name, Kind.NUMERIC, (), "number", *column_range(name, numbers))
    return Column(info, numbers)


def _reorder_levels(column: Column, order: list[Any]) -> Column:
    info = column.info
    by_text = {level_text(level): level for level in info.levels}
    levels = [by_text.get(level_text(level), level) for level in order]
    lacking = [level for level in info.levels if level not in levels]
    if lacking or len(set(levels)) < len(levels):
        problem = f"level {lacking[0]!r} is not listed" if lacking else "a level is listed twice"
        raise OptionError(
            f"orders must list every level of {info.name!r} once, but {problem}. "
            f"Levels: {[*map(level_text, info.levels)]}."
        )
    codes = recode(column.values, [levels.index(level) for level in info.levels])
    return Column(replace(info, levels=tuple(levels)), codes)


def _attach_target(
    table: Table, columns: list[Column], answer: _Answer, task: Any, weight: str | None
) -> Prepared:
    """Return columns as prepared data with target and weights, without rows that lack a target."""
    name, status, code, rename = answer
    column = table.column(name)
    missing = column.missing if status is None else column.missing | table.column(status).missing
    rows = np.flatnonzero(~missing)
    if not len(rows):
        names = repr(name) if status is None else f"{name!r} and {status!r}"
        raise DataError(f"At least one row must have a value in {names}.")
    renamed = [answer.rename_column(c) for c in columns]
    X, n = _build_table(renamed, table.schema.named or bool(rename)), table.n_rows
    weights = None if weight is None else _read_weights(table.column(weight))
    if len(rows) < n:
        X = X.take(rows)
        weights = None if weights is None else weights[rows]
    if status is not None:
        if not column.info.is_numeric:
            raise OptionError(f"Time column {name!r} must be numeric, got {column.info.kind}.")
        columns_of_target = {
            rename.get(name, name): column.values[rows].astype(np.float64),
            rename.get(status, status): read_labels(table.column(status), rows),
        }
        y = split_survival(None, columns_of_target, code)[1]
        target = read_target(y, task=Task.SURVIVAL)
        return Prepared(X, target, weights, None, n - len(rows))
    chosen = Task(task) if task else infer_task(column)
    if chosen is Task.SURVIVAL:
        raise OptionError("task='survival' requires two columns. Pass y=(time, event).")
    if chosen.is_regression("The studio"):
        if not column.info.is_numeric:
            raise OptionError(
                f"Target {name!r} must be numeric for task='regression', got {column.info.kind}."
            )
        truth = column.values[rows].astype(np.float64)
    else:
        truth = read_labels(column, rows)
    target = read_target(truth, task=chosen, name=rename.get(name, name))
    return Prepared(X, target, weights, None, n - len(rows))


def _read_weights(column: Column) -> Array:
    if not column.info.is_numeric or column.missing.any():
        raise DataError(f"Weight column {column.info.name!r} must contain a number in every row.")
    weights = read_weights(column.values, len(column.values))
    assert weights is not None
    return weights


def _read_like(table: Table, answer: _Answer, tree: Any, weight: str | None) -> Prepared:
    """Prepare a table with the schema and the target of a tree."""
    names = [column for column in (answer.name, answer.status, weight) if column is not None]
    _check_names(table, [*tree.schema.names, *names])
    columns = []
    for info in tree.schema.columns:
        column = table.column(info.name)
        converted = column if column.missing.all() else as_kind(column, KIND_NAMES[info.kind])
        columns.append(conform_column(converted, info))
    code = event_code(tree.target, answer.status) if answer.code is None else answer.code
    data = _attach_target(table, columns, answer._replace(code=code), tree.target.task, weight)
    if answer.status is not None:
        return replace(data, y=replace(data.y, info=tree.target))
    labels = data.y.values[:, 0]
    if tree.target.task.has_classes:
        labels = data.y.info.classes[0][labels]
    target = replace(tree.target, name=tree.target.name or answer.name)
    return replace(data, y=read_target_like(labels, target, len(labels)))


def event_code(target: TargetInfo, event: str | None) -> str | None:
    """Return the code of the event in a target name, as in "Surv(time, event == code)"."""
    return (target.name or "").partition(f", {event} == ")[2][:-1] or None


def _build_table(columns: list[Column], named: bool) -> Table:
    infos = tuple(column.info for column in columns)
    return Table(tuple(columns), len(columns[0].values), Schema(infos, None, named))


def _check_names(table: Table, names: Iterable[str]) -> None:
    for name in names:
        table.schema.index(name)
