"""Describe the columns of a table: kinds, missing values, distributions and associations.

Association is the share of the target's impurity (Gini, or the variance) that the best single split
on the column removes: 0 for an uninformative column, 1 for one that decides the target alone. It is
measured on at most 20,000 rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ceiba.criteria import criterion_named
from ceiba.errors import DataWarning, SchemaError, did_you_mean
from ceiba.inspection.describing.column import (
    ColumnDescription,
    Remark,
    describe_column,
    leak_remark,
)
from ceiba.inspection.splitting.division import column_gains
from ceiba.layout import percent
from ceiba.listing import Listing
from ceiba.table import Column, Table, read, read_target

_MAX_ROWS: Final = 20_000  # maximum number of rows from which associations are computed
_MAX_CLASSES: Final = 20  # maximum number of distinct integers that are read as classes
_KINDS: Final = {
    "number": "numbers", "category": "categories", "ordered": "ordered", "date": "dates",
    "identifier": "identifiers",
}  # fmt: skip


@dataclass(frozen=True)
class Description:
    """Description of a table.

    Attributes
    ----------
    n_rows : int
    columns : tuple of ColumnDescription
    target : str or None

    Examples
    --------
    >>> import ceiba
    >>> description = ceiba.describe({"age": [20, 30, None, 50], "sex": ["f", "m", "f", "m"]})
    >>> description["age"].missing
    0.25
    >>> description.headline()
    '4 rows, 2 columns: 1 number (age), 1 category (sex); 1 missing cell'
    """

    n_rows: int
    columns: tuple[ColumnDescription, ...]
    target: str | None = None

    def __getitem__(self, name: str) -> ColumnDescription:
        for column in self.columns:
            if column.name == name:
                return column
        names = [column.name for column in self.columns]
        raise SchemaError(f"Column {name!r} not found.{did_you_mean(name, names)}")

    def __iter__(self) -> Iterator[ColumnDescription]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """The remarks on possible problems of all columns."""
        return tuple(remark for column in self.columns for remark in column.remarks)

    @property
    def n_missing(self) -> int:
        """The number of missing values in all columns."""
        return sum(column.n_missing for column in self.columns)

    def headline(self, most: int = 5) -> str:
        """Return one line with the number of rows, the columns by kind and the missing values."""
        parts = []
        for kind, many in _KINDS.items():
            names = [
                column.name
                for column in self.columns
                if column.kind == kind and not column.is_target
            ]
            if names:
                names_text = ", ".join(names[:most]) + (", ..." if len(names) > most else "")
                word = many if len(names) > 1 else kind
                parts.append(f"{len(names)} {word} ({names_text})")
        n, cells = len(self.columns), self.n_missing
        target = f"; target {self.target}" if self.target is not None else ""
        summary = f": {', '.join(parts)}" if parts else ""
        return (
            f"{self.n_rows:,} {'row' if self.n_rows == 1 else 'rows'}, "
            f"{n:,} {'column' if n == 1 else 'columns'}{summary}{target}; "
            f"{f'{cells:,}' if cells else 'no'} missing {'cell' if cells == 1 else 'cells'}"
        )

    def table(self, *, unicode: bool = True) -> Listing:
        """Return a table with one row per column."""
        figures: dict[str, Any] = {
            "column": [column.name for column in self.columns],
            "kind": ["target" if column.is_target else column.kind for column in self.columns],
            "missing": [
                percent(column.missing) if column.n_missing else "" for column in self.columns
            ],
            "distinct": np.array([column.n_distinct for column in self.columns], np.int64),
            "distribution": [column.distribution(unicode=unicode) for column in self.columns],
        }
        legend = []
        if self.target is not None:
            strength = [column.association for column in self.columns]
            # Associations with a rare class are small, so show two significant digits.
            figures["association"] = ["" if a is None else f"{a:.2g}" for a in strength]
            ranked = sorted((a for a in strength if a is not None), reverse=True)
            figures["rank"] = ["" if a is None else str(ranked.index(a) + 1) for a in strength]
            legend.append(
                f"association: share of the impurity of {self.target} that the best single split "
                "takes away"
            )
        if any(column.n_counted < column.n_present for column in self.columns):
            legend.append("distinct, distribution: of a sample of the rows; missing: of all rows")
        return Listing(figures, title=self.headline(), legend="\n".join(legend))

    def to_dict(self) -> dict[str, Any]:
        """Return the description as a dict, for JSON."""
        return {
            "n_rows": self.n_rows,
            "n_missing": self.n_missing,
            "target": self.target,
            "columns": [column.to_dict() for column in self.columns],
        }

    def __str__(self) -> str:
        return "\n".join([str(self.table()), *(f"! {remark.text}" for remark in self.remarks)])

    def _repr_html_(self) -> str:
        from html import escape

        items = "".join(f"<li>{escape(remark.text)}</li>" for remark in self.remarks)
        return self.table()._repr_html_() + (f"<ul>{items}</ul>" if items else "")


def describe(X: Any, target: str | None = None, *, bins: int = 10, top: int = 10) -> Description:
    """Describe the columns of a table: kind, missing values, distribution and possible problems.

    Parameters
    ----------
    X : table
        Anything that `fit` accepts.
    target : str, optional
        A column of X; the others then get their association with it.
    bins : int, default=10
        Bins of the histograms of numbers and dates; about as many for whole numbers.
    top : int, default=10
        Number of levels listed per category.

    Returns
    -------
    Description
        A value that prints; `to_dict()` is plain data.

    Examples
    --------
    >>> import ceiba
    >>> X = {"age": [20, 30, 40, 50], "sex": ["f", "m", "f", "m"], "buys": ["n", "n", "y", "y"]}
    >>> print(ceiba.describe(X, "buys"))
    4 rows, 3 columns: 1 number (age), 1 category (sex); target buys; no missing cells
    column  kind      missing  distinct  distribution  association  rank
    age     number                    4  20 ████ 50    1            1
    sex     category                  2  f 50%, m 50%  0            2
    buys    target                    2  n 50%, y 50%
    association: share of the impurity of buys that the best single split takes away
    """
    with warnings.catch_warnings():  # the remarks in the result repeat these warnings
        warnings.simplefilter("ignore", DataWarning)
        table = read(X, finite=False)
    if target is not None and target not in table.schema.names:
        raise SchemaError(f"Column {target!r} not found.{did_you_mean(target, table.schema.names)}")
    columns = [describe_column(column, bins=bins, top=top) for column in table.columns]
    if target is not None:
        finite = tuple(
            Column(column.info, np.where(np.isinf(column.values), np.nan, column.values))
            if column.info.is_numeric and bool(np.isinf(column.values).any())
            else column
            for column in table.columns
        )
        strength = _associations(replace(table, columns=finite), columns, target)
        columns = [
            replace(column, is_target=True, remarks=())
            if column.name == target
            else replace(column, association=strength.get(column.name))
            for column in columns
        ]
        columns = [
            replace(column, remarks=(*column.remarks, *leak_remark(column, target)))
            for column in columns
        ]
    return Description(table.n_rows, tuple(columns), target)


def _associations(table: Table, columns: list[ColumnDescription], target: str) -> dict[str, float]:
    """Return the association of each column with the target; omit identifiers and constants."""
    at = table.schema.index(target)
    answer = table.columns[at]
    rows = np.flatnonzero(~answer.missing)
    if len(rows) > _MAX_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(rows, _MAX_ROWS, replace=False))
    candidates = [
        j
        for j, column in enumerate(columns)
        if j != at and column.kind != "identifier" and column.n_distinct > 1
    ]
    if not len(rows) or not candidates:
        return {}
    y, criterion, impurity = _target_and_impurity(answer, rows)
    if not 0 < impurity < np.inf:
        return {}
    rule = criterion_named(criterion)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the target may have many classes
        learned = read_target(y, task=rule.task)
    gains = column_gains(table.select(candidates).take(rows), learned, rule)
    return {name: min(max(gain / impurity, 0.0), 1.0) for name, gain in gains.items()}


def _target_and_impurity(column: Column, rows: Any) -> tuple[Any, str, float]:
    """Return the target values, their criterion and their impurity."""
    values = column.values[rows]
    if is_numeric_target(column, rows):
        with np.errstate(over="ignore", invalid="ignore"):  # the variance may overflow to infinity
            variance = float(np.var(values))
        return values.astype(np.float64), "squared_error", variance
    labels, codes = np.unique(values, return_inverse=True)
    shares = np.bincount(codes, minlength=len(labels)) / len(codes)
    return codes, "gini", float(1 - (shares**2).sum())


def is_numeric_target(column: Column, rows: Any) -> bool:
    """Whether a target is numeric; booleans and up to 20 distinct integers count as classes."""
    if not column.info.is_numeric or column.info.display == "boolean":
        return False
    values = column.values[rows]
    return not bool((values == np.round(values)).all()) or len(np.unique(values)) > _MAX_CLASSES
