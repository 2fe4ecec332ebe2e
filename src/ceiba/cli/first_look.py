"""What is said of a table once it is read: one line, and what deserves a look, with what to do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ceiba.cli.files._polars import pl
from ceiba.cli.files.kinds import as_columns
from ceiba.errors import OptionError, did_you_mean

if TYPE_CHECKING:
    from ceiba.inspection import Description, Remark

_MOST_ROWS: Final = 100_000  # kinds and doubts are judged by so many rows, missing cells by all
_DO: Final = {
    "identifier": "--drop {name}",
    "dates_differ": "--drop {name}",
    "many_levels": "--drop {name}",
    "leak": "--drop {name}",
    "numbers_as_text": "--numeric {name} reads numbers, --missing-marker names what means missing",
    "codes": "--numeric {name} reads numbers",
    "dates_as_text": "--drop {name}, or write them as 2024-12-31",
}


def described(frame: pl.DataFrame, target: str | None = None) -> Description:
    """Describe a frame of any size."""
    from ceiba.inspection import describe

    n = len(frame)
    some = frame.gather_every(-(-n // _MOST_ROWS)) if n > _MOST_ROWS else frame
    made = describe(as_columns(some), target)
    if len(some) == n:
        return made
    exact = {one.name: one.null_count() for one in frame.get_columns()}
    columns = tuple(
        replace(one, n_missing=k, missing=k / n, n_present=n - k)
        for one in made.columns
        for k in [exact[one.name]]
    )
    return replace(made, n_rows=n, columns=columns)


def in_option_words(remark: Remark) -> str:
    """Add the option that does what a remark advises."""
    option = _DO.get(remark.code)
    name = f"'{remark.column}'" if " " in remark.column else remark.column
    return f"{remark.text} ({option.format(name=name)})" if option else remark.text


def column_named(given: str, columns: list[str], option: str, source: str) -> str:
    """Give the column that is meant, by name or by number (1 is the first, -1 the last)."""
    if given in columns:
        return given
    try:
        number = int(given)
    except ValueError:
        number = 0
    if 1 <= abs(number) <= len(columns):
        return columns[number - 1 if number > 0 else number]
    shown: Any = ", ".join(columns[:8]) + (f", ... ({len(columns)})" if len(columns) > 8 else "")
    raise OptionError(
        f"{option} {given!r}: {source} has no such column.{did_you_mean(given, columns)} It has "
        f"{shown}."
    )
