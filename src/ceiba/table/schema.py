"""The schema of a table: names, kinds and levels of columns, and the ranges seen when fitting.

Every tree has a ``Schema``. It contains no rows, so a saved tree does not contain the table that it
was grown from. Numeric columns have a ``display``, the format of their numbers: booleans are 0/1;
dates, datetimes and durations are seconds (since 1970-01-01 UTC for the first two).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import SchemaError, did_you_mean
from ceiba.task import Task, TaskName

Display = Literal["number", "boolean", "date", "datetime", "duration"]


class Kind(StrEnum):
    """The kind of a column, which determines its splits.

    Examples
    --------
    >>> Kind("ordered") is Kind.ORDERED
    True
    """

    NUMERIC = "numeric"
    CATEGORICAL = "categorical"
    ORDERED = "ordered"


@dataclass(frozen=True)
class ColumnInfo:
    """Name, kind, levels and range of a column.

    Parameters
    ----------
    name : str
        Name of the column; ``x0``, ``x1``, ... if the table had none.
    kind : Kind
        Numeric, categorical or ordered.
    levels : tuple
        The levels in their order (declared, else sorted); empty for numeric columns.
        A level is a str, int, float or bool.
    display : {"number", "boolean", "date", "datetime", "duration"}
        Format of the numbers of this column.
    n_missing : int
        Missing values seen when fitting.
    minimum, maximum : float or None
        Range seen when fitting; None for columns without numbers.
    zone : str or None
        Time zone in which the datetimes of this column are printed; None if they had none.

    Examples
    --------
    >>> info = ColumnInfo("Patrons", Kind.CATEGORICAL, ("None", "Some", "Full"))
    >>> info.n_levels
    3
    """

    name: str
    kind: Kind
    levels: tuple[Any, ...] = ()
    display: Display = "number"
    n_missing: int = 0
    minimum: float | None = None
    maximum: float | None = None
    zone: str | None = None

    def __setstate__(self, state: dict[str, Any]) -> None:
        # skops stores a string enum as a plain string, so convert it back.
        self.__dict__.update(state, kind=Kind(state["kind"]))

    @property
    def is_numeric(self) -> bool:
        """Whether the values are numbers rather than level codes."""
        return self.kind is Kind.NUMERIC

    @property
    def n_levels(self) -> int:
        """The number of levels, which is 0 for a numeric column."""
        return len(self.levels)

    @cached_property
    def codes(self) -> dict[Any, int]:
        """A dict from each level to its code."""
        return {level: code for code, level in enumerate(self.levels)}


@dataclass(frozen=True, eq=False, init=False)
class TargetInfo:
    """Name, task and classes of the target.

    Parameters
    ----------
    name : str or None
        Name of the target, if it had one.
    task : Task or {"classification", "regression", "survival"}
        The learning task.
    classes : tuple of ndarray
        The labels in order, one array per output; empty for regression and survival.
    n_outputs : int
        Number of outputs: 1 for survival, although times and events are two columns.
    outputs : tuple of str
        Names of several outputs; empty if they had none.

    Examples
    --------
    >>> TargetInfo("RAIN", "classification", (np.array(["no", "yes"]),), 1).n_classes
    (2,)
    """

    name: str | None
    task: Task
    classes: tuple[NDArray[Any], ...] = ()
    n_outputs: int = 1
    outputs: tuple[str, ...] = ()

    def __init__(
        self,
        name: str | None,
        task: Task | TaskName,
        classes: tuple[NDArray[Any], ...] = (),
        n_outputs: int = 1,
        outputs: tuple[str, ...] = (),
    ) -> None:
        mine = self.__dict__  # faster than the generated __init__, which matters in tiny fits
        mine["name"], mine["task"] = name, task if type(task) is Task else Task(task)
        mine["classes"], mine["n_outputs"], mine["outputs"] = classes, n_outputs, outputs

    def __setstate__(self, state: dict[str, Any]) -> None:
        # skops stores the task, a string enum, as a plain string.
        self.__dict__.update(state, task=Task(state["task"]))

    @property
    def n_classes(self) -> tuple[int, ...]:
        """The number of classes of each output, or () for targets without classes."""
        return tuple(len(labels) for labels in self.classes)

    @property
    def width(self) -> int:
        """The number of values per node and output: the largest number of classes, or 1."""
        return max(self.n_classes, default=1)

    def format_output(self, k: int, text: str) -> str:
        """Format a value with the name of its output, if there is one: ``size = large``.

        Examples
        --------
        >>> TargetInfo(None, "regression", (), 2, ("height", "weight")).format_output(1, "70")
        'weight = 70'
        """
        return f"{self.outputs[k]} = {text}" if self.outputs else text

    def output_suffix(self, k: int) -> str:
        """Return the suffix that exported code adds to names for an output: its name or number.

        Examples
        --------
        >>> TargetInfo(None, "regression", (), 2, ("height", "weight")).output_suffix(1)
        '_weight'
        """
        if self.n_outputs == 1:
            return ""
        return f"_{self.outputs[k] if self.outputs else k}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TargetInfo):
            return NotImplemented
        return (
            (self.name, self.task, self.n_outputs, self.n_classes, self.outputs)
            == (other.name, other.task, other.n_outputs, other.n_classes, other.outputs)
        ) and all(
            np.array_equal(labels, other_labels)
            for labels, other_labels in zip(self.classes, other.classes, strict=True)
        )

    def __hash__(self) -> int:
        return hash((self.name, self.task, self.n_outputs, self.n_classes))


@dataclass(frozen=True)
class Schema:
    """The columns and the target of a table, without its rows.

    Parameters
    ----------
    columns : tuple of ColumnInfo
        The columns in order.
    target : TargetInfo or None
        The target, if there is one.
    named : bool
        False if the table had no names and they are generated (``x0``, ``x1``, ...).

    Examples
    --------
    >>> schema = Schema((ColumnInfo("age", Kind.NUMERIC), ColumnInfo("city", Kind.CATEGORICAL)))
    >>> schema.names
    ('age', 'city')
    >>> schema.index("city")
    1
    """

    columns: tuple[ColumnInfo, ...]
    target: TargetInfo | None = None
    named: bool = True

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @staticmethod
    def from_ranges(
        ranges: NDArray[np.float64],
        names: tuple[str, ...] | None = None,
        display: Display = "number",
        target: TargetInfo | None = None,
    ) -> Schema:
        """Return a schema for a matrix; the schema creates its `columns` on first use.

        Parameters
        ----------
        ranges : float64 array of shape (3, n_columns)
            Missing count, minimum and maximum of each column.
        names : tuple of str, optional
            Generated if not given.
        display : {"number", "boolean"}
        target : TargetInfo, optional

        Examples
        --------
        >>> Schema.from_ranges(np.array([[0.0], [1.5], [4.0]])).columns[0].maximum
        4.0
        """
        schema = object.__new__(Schema)
        schema.__dict__.update(target=target, named=names is not None, n_columns=ranges.shape[1])
        schema.__dict__.update(is_matrix=True, _ranges=(ranges, names, display))
        return schema

    def __getattr__(self, name: str) -> Any:
        if name != "columns" or "_ranges" not in self.__dict__:
            raise AttributeError(f"'Schema' object has no attribute {name!r}")
        ranges, names, display = self.__dict__["_ranges"]
        known = [[x if x == x else None for x in row] for row in ranges.tolist()]
        facts = zip(names or auto_names(ranges.shape[1]), *known, strict=True)
        columns = tuple(
            ColumnInfo(name, Kind.NUMERIC, (), display, int(n_missing), low, high)
            for name, n_missing, low, high in facts
        )
        self.__dict__["columns"] = columns
        return columns

    @cached_property
    def n_columns(self) -> int:
        """Number of columns of the table."""
        return len(self.columns)

    @cached_property
    def is_matrix(self) -> bool:
        """Whether all columns are plain numbers or booleans, so that X can be a float matrix."""
        return all(c.is_numeric and c.display in ("number", "boolean") for c in self.columns)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def index(self, name: str) -> int:
        """Return the position of the column called ``name``."""
        try:
            return self._positions[name]
        except KeyError:
            raise column_error(name, self.names) from None

    def with_target(self, target: TargetInfo | None) -> Schema:
        """Return a schema with the same columns and another target."""
        schema = object.__new__(Schema)
        schema.__dict__.update(self.__dict__, target=target)
        return schema


def auto_names(n_columns: int) -> tuple[str, ...]:
    """Return generated names for columns without names: x0, x1, ..."""
    return tuple([f"x{j}" for j in range(n_columns)])


def column_error(name: str, names: Sequence[Any]) -> SchemaError:
    """Return the error for a column that a table does not have."""
    return SchemaError(
        f"Column not found: {name!r}. Columns: "
        f"{join_names(tuple(names))}.{did_you_mean(name, names)}"
    )


def join_names(names: tuple[Any, ...], limit: int = 8) -> str:
    """Format at most ``limit`` names for a message."""
    text = ", ".join(repr(name) for name in names[:limit])
    return f"{text}, ... ({len(names)} in all)" if len(names) > limit else text or "none"
