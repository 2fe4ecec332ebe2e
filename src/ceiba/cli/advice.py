"""Describe tables, and suggest command line options that resolve warnings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ceiba._polars import pl
from ceiba.errors import OptionError, did_you_mean
from ceiba.table import Table
from ceiba.task import Task

if TYPE_CHECKING:
    from ceiba.inspection import Description, Remark

_MOST_ROWS: Final = 100_000  # maximum number of sampled rows for describing columns
_RARE: Final = 5
_MANY_MISSING: Final = 0.05
_DO: Final = {
    "identifier": "--drop {name}",
    "dates_differ": "--drop {name}",
    "many_levels": "--drop {name}",
    "leak": "--drop {name}",
    "numbers_as_text": "--numeric {name} to read numbers, --missing-marker for missing values",
    "codes": "--numeric {name} to read numbers",
    "missing_code": "--missing-marker={value}",
    "dates_as_text": "--drop {name}, or write them as 2024-12-31",
}


def describe_table(table: Table, target: str | None = None) -> Description:
    """Describe the columns of a table, from a sample if it has more than `_MOST_ROWS` rows."""
    from ceiba.inspection import describe

    n = table.n_rows
    if n <= _MOST_ROWS:
        return describe(table, target)
    description = describe(table.take(np.arange(0, n, -(-n // _MOST_ROWS))), target)
    columns = tuple(
        describe(table.select([j])).columns[0]
        if column.kind == "identifier" and not column.is_target
        else replace(column, n_missing=k, missing=k / n, n_present=n - k)
        for j, column in enumerate(description.columns)
        for k in [table.schema.columns[j].n_missing]
    )
    return replace(description, n_rows=n, columns=columns)


def add_option_hint(remark: Remark) -> str:
    """Return the text of a warning, followed by the option that resolves it if there is one."""
    option = _DO.get(remark.code)
    name = f"'{remark.column}'" if " " in remark.column else remark.column
    value = "" if remark.value is None else f"{remark.value:g}"
    return f"{remark.text} ({option.format(name=name, value=value)})" if option else remark.text


def find_column(text: str, columns: list[str], option: str, source: str) -> str:
    """Return the name of a column that is given by name or number (1: the first, -1: the last)."""
    if text in columns:
        return text
    try:
        number = int(text)
    except ValueError:
        number = 0
    if 1 <= abs(number) <= len(columns):
        return columns[number - 1 if number > 0 else number]
    names: Any = ", ".join(columns[:8]) + (f", ... ({len(columns)})" if len(columns) > 8 else "")
    raise OptionError(
        f"{option} {text!r}: column not found in {source}.{did_you_mean(text, columns)} Columns: "
        f"{names}."
    )


def list_target_warnings(y: pl.Series, task: Task, n_missing: int) -> list[str]:
    """Return warnings about many rows without a target value, and about rare classes."""
    remarks = []
    total = len(y) + n_missing
    if n_missing > _MANY_MISSING * total:
        remarks.append(
            f"{n_missing} of {total} rows have no {y.name!r} and are left out. If they are not "
            "missing at random, the tree is biased."
        )
    if task.has_classes:
        counts = y.value_counts().sort("count")
        rare = counts.filter(counts["count"] < _RARE)
        for label, n in rare.rows()[:3]:
            remarks.append(f"Class {label!r} has only {n} row{'s' if n > 1 else ''}.")
    return remarks
