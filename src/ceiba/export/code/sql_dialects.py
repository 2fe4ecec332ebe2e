"""SQL dialects: rules for quoting names and for writing numbers, strings and times.

A dialect is one row of `DIALECTS`. Except for probabilities in SQLite, literals are read back
exactly: floats are typed (``4.5E0``, ``4.5D``). Strings are compared by code points whatever the
collation, and NaN counts as missing where it exists. Unsupported values raise an error.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from types import MappingProxyType
from typing import Final, Literal, get_args

from ceiba.errors import TreeError

DialectName = Literal[
    "ansi", "postgresql", "sqlite", "duckdb", "mysql", "tsql", "bigquery", "snowflake", "spark",
    "oracle",
]  # fmt: skip
TextWriter = Callable[[str], str]
_EPOCH: Final = datetime.datetime(1970, 1, 1)
_SMALLEST_NORMAL: Final = 2.0**-1022


def _double(mark: str) -> TextWriter:
    return lambda text: text.replace(mark, mark * 2)


_STANDARD_NAME: Final = _double('"')


# ---------------------------------------------------------------------- strings


def _standard_text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _postgresql_text(text: str) -> str:
    # An E'...' string does not depend on the setting standard_conforming_strings.
    quoted = _standard_text(text)
    return "E" + quoted.replace("\\", "\\\\") if "\\" in text else quoted


def _mysql_text(text: str) -> str:
    # Hexadecimal strings do not depend on sql_mode or the connection's character set.
    if text.isascii() and "\\" not in text:
        return _standard_text(text)
    return f"_utf8mb4 X'{text.encode().hex()}'"


def _escape(mark: str) -> TextWriter:
    """Return a function that escapes text with backslashes, as in BigQuery and Spark."""
    pairs = (("\\", "\\\\"), (mark, "\\" + mark), ("\n", "\\n"), ("\r", "\\r"))
    return lambda text: reduce(lambda done, pair: done.replace(*pair), pairs, text)


def _backslash_text(text: str) -> str:
    return "'" + _escape("'")(text) + "'"


def _spark_text(text: str) -> str:
    # Spark replaces ${...} with the value of a variable, even within a string.
    return _backslash_text(text).replace("${", "$\\{")


def _oracle_text(text: str) -> str:
    if not text:
        raise TreeError(
            "sql: the level or class '' is not supported in Oracle, where an empty string is NULL. "
            "Rename it and refit."
        )
    return _standard_text(text)


# ---------------------------------------------------------------------- numbers


def _exponent_number(x: float) -> str:
    text = repr(x)
    return text if "e" in text else f"{text}E0"


def _sqlite_number(x: float) -> str:
    text = repr(x)
    digits = len(text.partition("e")[0].replace(".", "").replace("-", "").strip("0"))
    return text if (digits <= 15 and 1e-7 < abs(x) < 1e15) or x == 0 else format_quotient(x)


def _refuse_subnormal(write: Callable[[float], str], database: str) -> Callable[[float], str]:
    """Return a number writer that raises an error for subnormal numbers."""

    def write_normal(x: float) -> str:
        if 0.0 < abs(x) < _SMALLEST_NORMAL:
            raise TreeError(
                f"sql: the export to {database} does not support subnormal numbers, got {x!r}. "
                "Scale the columns or the target, and refit."
            )
        return write(x)

    return write_normal


def format_quotient(x: float) -> str:
    """Return a float64 as the exact product or quotient of an integer and powers of two."""
    top, bottom = x.as_integer_ratio()
    if bottom > 1:
        return "(" + " / ".join([str(top), *_powers(bottom.bit_length() - 1)]) + ")"
    mantissa, exponent = math.frexp(x)
    if exponent <= 53:
        return f"({int(x)} * 1.0)"
    return "(" + " * ".join([str(int(mantissa * 2**53)), *_powers(exponent - 53)]) + ")"


def _powers(exponent: int) -> list[str]:
    """Return 2**exponent as factors that SQLite reads exactly."""
    quotient, remainder = divmod(exponent, 49)
    return ["562949953421312.0"] * quotient + ([f"{2**remainder}.0"] if remainder else [])


# ---------------------------------------------------------------------- the table


@dataclass(frozen=True)
class Dialect:
    """Syntax of a database; in its templates, ``{}`` stands for a column or a literal."""

    title: str
    marks: tuple[str, str] = ('"', '"')
    name: TextWriter = _STANDARD_NAME
    forbidden: tuple[str, ...] = ()
    text: TextWriter = _standard_text
    number: Callable[[float], str] = _exponent_number
    share: Callable[[float], str] | None = None
    booleans: tuple[str, str] = ("FALSE", "TRUE")
    text_comparison: str = "{}"
    comparison_suffix: str = ""
    boolean: str = "{}"
    timestamp: str = "{}"
    zoned_timestamp: str | None = None
    duration: str = "{}"
    timestamp_literal: str | None = "TIMESTAMP '{}'"
    zoned_literal: str | None = None
    nan: str | None = None
    not_nan: str = ""
    nan_is_largest: bool = False
    alias: str = " AS "
    max_list: int | None = None
    many_lists: tuple[str, str] | None = None

    def quoted(self, name: str) -> str:
        """Return a quoted name."""
        return self.marks[0] + self.name(name) + self.marks[1]

    def column(self, name: str) -> str:
        """Return the quoted name of a table column."""
        bad = next((character for character in self.forbidden if character in name), None)
        if bad is not None:
            raise TreeError(
                f"sql: {self.title} does not support {bad!r} in column names, got {name!r}. "
                "Rename the column and refit."
            )
        return self.quoted(name)

    def new_column(self, name: str) -> str:
        """Return the quoted name of a new column, with ``_`` for unsupported characters."""
        for character in self.forbidden:
            name = name.replace(character, "_")
        return self.quoted(name)

    def time_expression(self, column: str, zoned: bool) -> str:
        """Return the expression of a date column that can be compared with `time_literal`."""
        form = self.zoned_timestamp if zoned else None
        return (form or self.timestamp).format(column)

    def time_literal(self, cut: float, name: str, zoned: bool) -> str:
        """Return a cut between dates as a number, or as a literal rounded down to microseconds."""
        form = self.zoned_literal if zoned and self.zoned_literal else self.timestamp_literal
        if form is None:
            return self.number(cut)
        try:
            timestamp = _EPOCH + datetime.timedelta(microseconds=math.floor(cut * 1e6))
        except OverflowError:
            raise TreeError(
                f"sql: cuts on {name!r} must be dates in the years 1 to 9999, got {cut:g} seconds "
                "since 1970."
            ) from None
        return form.format(timestamp.isoformat(" "))


_POSTGRESQL_TIME: Final = "CAST(EXTRACT(EPOCH FROM {}) AS float8)"
_DUCKDB_TIME: Final = "CAST(EXTRACT(EPOCH FROM {}) AS DOUBLE)"

#: The dialects by name.
DIALECTS: Final[Mapping[str, Dialect]] = MappingProxyType(
    {
        "ansi": Dialect("ANSI SQL"),
        "postgresql": Dialect(
            "PostgreSQL",
            text=_postgresql_text,
            number=lambda x: f"({x!r}::float8)" if x < 0 else f"{x!r}::float8",
            boolean="CAST({} AS INTEGER)",
            timestamp=_POSTGRESQL_TIME,
            duration=_POSTGRESQL_TIME,
            timestamp_literal=None,
            nan="{} = 'NaN'::float8",
            not_nan="{} < 'NaN'::float8",
            nan_is_largest=True,
        ),
        "sqlite": Dialect(
            "SQLite",
            number=_sqlite_number,
            share=repr,  # shortest decimal; SQLite may read it with an error in the last bit
            booleans=("0", "1"),
            timestamp="(strftime('%s', {0}) + (strftime('%f', {0}) - strftime('%S', {0})))",
            timestamp_literal=None,
        ),
        "duckdb": Dialect(
            "DuckDB",
            boolean="CAST({} AS DOUBLE)",
            timestamp=_DUCKDB_TIME,
            duration=_DUCKDB_TIME,
            timestamp_literal=None,
            nan="{} = 'NaN'::DOUBLE",
            not_nan="{} < 'NaN'::DOUBLE",
            nan_is_largest=True,
            # DuckDB plans IN lists in cubic time: 18 s for 400 lists, but 0.5 s for 400 calls of
            # list_position. Without a match, it returns 0 or NULL, depending on the version.
            many_lists=(
                "list_position([{1}], {0}) > 0",
                "({0} IS NOT NULL AND COALESCE(list_position([{1}], {0}), 0) = 0)",
            ),
        ),
        # MySQL and MariaDB compare bytes here, because collations treat 'a' and 'A' as equal.
        "mysql": Dialect(
            "MySQL",
            marks=("`", "`"),
            name=_double("`"),
            text=_mysql_text,
            text_comparison="CAST(CONVERT({} USING utf8mb4) AS BINARY)",
        ),
        # SQL Server ignores trailing spaces in comparisons, so both strings get a final period.
        "tsql": Dialect(
            "SQL Server",
            marks=("[", "]"),
            name=_double("]"),
            text=lambda text: "N" + _standard_text(text),
            number=_refuse_subnormal(_exponent_number, "SQL Server"),
            booleans=("0", "1"),
            text_comparison="({} + N'.') COLLATE Latin1_General_100_BIN2",
            comparison_suffix=".",
            boolean="CAST({} AS INT)",
            timestamp_literal="CAST('{}' AS DATETIME2)",
            zoned_literal="CAST('{}+00:00' AS DATETIMEOFFSET)",
        ),
        "bigquery": Dialect(
            "BigQuery",
            marks=("`", "`"),
            name=_escape("`"),
            forbidden=tuple('!"$()*,./;?@[\\]^`{}~\n\r'),
            text=_backslash_text,
            boolean="CAST({} AS INT64)",
            timestamp="CAST({} AS DATETIME)",
            timestamp_literal="DATETIME '{}'",
            nan="IS_NAN({})",
            not_nan="NOT IS_NAN({})",
        ),
        "snowflake": Dialect(
            "Snowflake",
            text=lambda text: _standard_text(text.replace("\\", "\\\\")),
            boolean="CAST({} AS INTEGER)",
            timestamp_literal="CAST('{}' AS TIMESTAMP_NTZ)",
            zoned_literal="CAST('{} +00:00' AS TIMESTAMP_TZ)",
            nan="{} = CAST('NaN' AS FLOAT)",
            not_nan="{} < CAST('NaN' AS FLOAT)",
            nan_is_largest=True,
        ),
        "spark": Dialect(
            "Spark",
            marks=("`", "`"),
            name=_double("`"),
            forbidden=("${",),
            text=_spark_text,
            number=lambda x: f"{x!r}D",
            boolean="CAST({} AS INT)",
            zoned_literal="TIMESTAMP '{}+00:00'",
            nan="{} = CAST('NaN' AS DOUBLE)",
            not_nan="{} < CAST('NaN' AS DOUBLE)",
            nan_is_largest=True,
        ),
        "oracle": Dialect(
            "Oracle",
            forbidden=('"',),
            text=_oracle_text,
            number=_refuse_subnormal(lambda x: f"{x!r}D", "Oracle"),
            booleans=("0", "1"),
            zoned_literal="TIMESTAMP '{} +00:00'",
            nan="{} = BINARY_DOUBLE_NAN",
            not_nan="{} < BINARY_DOUBLE_NAN",
            nan_is_largest=True,
            alias=" ",
            max_list=1000,
        ),
    }
)
assert tuple(DIALECTS) == get_args(DialectName)
