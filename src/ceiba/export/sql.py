"""A tree as SQL: one flat CASE with a WHEN per leaf, bounds of each column merged.

Flat, because nested CASE breaks at some depth (24 levels in SQLite). Conditions exclude each other
and no NOT stands before a comparison, so NULL behaves as missing does. Where PostgreSQL and DuckDB
have NaN (greater than every number there) it is missing too. Cuts are written so that they come
back as the same float64; SQLite reads decimals of many digits one unit off, so there such a cut is
a quotient of whole numbers by a power of two, which is exact.
Names and strings are quoted; columns are qualified by the table's alias, because SQLite takes an
unknown name in double quotes for a text.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

import numpy as np

from ceiba.errors import OptionError, TreeError, did_you_mean
from ceiba.paths import Condition, ValueSet, ends_of
from ceiba.paths.conditions import all_of
from ceiba.paths.of_tree import refuse_fractional
from ceiba.table import ColumnInfo
from ceiba.tree.tree import Tree

Dialect = Literal["ansi", "postgresql", "sqlite", "duckdb"]
_ALIAS: Final = "t"
_INDENT: Final = "      "
_EPOCH: Final = datetime.datetime(1970, 1, 1)


def to_sql(
    tree: Tree,
    *,
    dialect: Dialect = "ansi",
    table: str | Sequence[str] = "data",
    prefix: str = "",
    form: Literal["query", "prediction", "leaf"] = "query",
) -> str:
    """Return a tree as an SQL query that predicts every row of a table.

    The query gives all columns of the table and after them `leaf` (the node in which the row
    ends), `prediction` and, for classification, `probability_<class>` for each class. NULL is a
    missing value. A level or a missing value that the tree refuses (`unseen="error"`,
    `missing="error"`) gives NULL.

    Parameters
    ----------
    tree : Tree
    dialect : {"ansi", "postgresql", "sqlite", "duckdb"}, default="ansi"
    table : str or sequence of str, default="data"
        Name of the table, or its parts: ``("public", "weather")``.
    prefix : str, default=""
        Before the names of the new columns. Needed if the table has a column called "leaf" (in
        any case of letters): databases would take the one for the other. Refused where the tree
        itself knows of such a column.
    form : {"query", "prediction", "leaf"}, default="query"
        The whole query, or only the expression of the prediction or of the leaf, to be put into a
        query of your own in which the table is called ``t``.

    Returns
    -------
    str

    Raises
    ------
    TreeError
        For `missing="fractional"`, for names that SQL cannot hold, and for a single prediction
        of a tree with several outputs.

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("clouds <= 4.5", "no", "yes"), target="RAIN")
    >>> print(tree.export("sql", form="prediction"))
    CASE
          WHEN t."clouds" IS NULL OR t."clouds" <= 4.5E0 THEN 'no'
          WHEN t."clouds" > 4.5E0 THEN 'yes'
        END
    """
    if dialect not in get_args(Dialect):
        allowed = ", ".join(get_args(Dialect))
        hint = did_you_mean(dialect, get_args(Dialect))
        raise OptionError(f"dialect={dialect!r}. Allowed are {allowed}.{hint}")
    if form not in ("query", "prediction", "leaf"):
        raise OptionError(f"form={form!r}. Allowed are query, prediction and leaf.")
    refuse_fractional(tree, "sql")
    writer = _Writer(tree, dialect)
    ends = dict(ends_of(tree))
    if form == "leaf":
        return writer.case(ends, {node: str(node) for node in ends})
    if form == "prediction":
        if tree.n_outputs > 1:
            raise TreeError("sql: the tree has several outputs. Use form='query'.")
        return writer.case(ends, {node: writer.answer(node, 0) for node in ends})
    return _query(tree, writer, ends, table, prefix)


def _query(
    tree: Tree, writer: _Writer, ends: dict[int, Condition], table: str | Sequence[str], prefix: str
) -> str:
    parts = [table] if isinstance(table, str) else list(table)
    source = ".".join(writer.name(part) for part in parts)
    _refuse_leaf(tree, prefix)
    leaf = writer.name(f"{prefix}leaf")
    columns = []
    for k in range(tree.n_outputs):
        tail = f"_{k}" if tree.n_outputs > 1 else ""
        answers = {node: writer.answer(node, k) for node in ends}
        columns.append((f"{prefix}prediction{tail}", answers))
        if tree.task == "classification":
            for c, label in enumerate(tree.target.classes[k].tolist()):
                share = {node: writer.share(float(tree.value[node, k, c])) for node in ends}
                columns.append((f"{prefix}probability{tail}_{label}", share))
    lines = [f"-- {_comment(tree)}", "SELECT", "  s.*"]
    for name, by_node in columns:
        lines[-1] += ","
        lines.append(f"  {writer.lookup(f's.{leaf}', by_node)} AS {writer.name(name)}")
    case = writer.case(ends, {node: str(node) for node in ends})
    lines += [
        "FROM (",
        "  SELECT",
        f"    {_ALIAS}.*,",
        f"    {case} AS {leaf}",
        f"  FROM {source} AS {_ALIAS}",
        ") AS s",
    ]
    return "\n".join(lines) + "\n"


def _refuse_leaf(tree: Tree, prefix: str) -> None:
    """Refuse a table with a column of the name that the query looks the answers up by."""
    known = [*tree.schema.names, *([tree.target.name] if tree.target.name else [])]
    clash = next((name for name in known if name.casefold() == f"{prefix}leaf".casefold()), None)
    if clash is not None:
        raise OptionError(
            f"sql: the table has a column {clash!r}, and the query adds one called "
            f"'{prefix}leaf'. Pass prefix='tree_'."
        )


def _comment(tree: Tree) -> str:
    name = tree.target.name
    # A name may hold a line break, which would end the comment.
    what = "" if name is None else " of " + ascii(name)
    return f"A tree{what} with {tree.n_leaves} leaves, written by ceiba; NULL is missing."


@dataclass(frozen=True)
class _Writer:
    """Writes conditions, names and literals in one dialect."""

    tree: Tree
    dialect: Dialect

    # ------------------------------------------------------------------ literals

    def name(self, name: str) -> str:
        if "\x00" in name or not name:
            raise TreeError(f"sql: {name!r} cannot be the name of a column. Rename it and refit.")
        return '"' + _encodable(name).replace('"', '""') + '"'

    def text(self, text: str) -> str:
        if "\x00" in text:
            raise TreeError(f"sql: the string {text!r} contains a NUL, which SQL strings cannot.")
        quoted = "'" + _encodable(text).replace("'", "''") + "'"
        if self.dialect == "postgresql" and "\\" in text:
            # Safe whatever standard_conforming_strings is set to.
            return "E" + quoted.replace("\\", "\\\\")
        return quoted

    def number(self, x: float) -> str:
        if not math.isfinite(x):
            raise TreeError(f"sql: {x} is not a number that SQL can write.")
        text = repr(x)
        if self.dialect == "postgresql":
            return f"({text}::float8)" if x < 0 else f"{text}::float8"
        if self.dialect == "sqlite":
            digits = len(text.partition("e")[0].replace(".", "").replace("-", "").strip("0"))
            return text if (digits <= 15 and 1e-7 < abs(x) < 1e15) or x == 0 else _quotient(x)
        return text if "e" in text else f"{text}E0"

    def share(self, x: float) -> str:
        """Write a probability: in SQLite readable rather than exact in the last bit."""
        return repr(x) if self.dialect == "sqlite" else self.number(x)

    def literal(self, value: Any) -> str:
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, bool):
            truth = ("0", "1") if self.dialect == "sqlite" else ("FALSE", "TRUE")
            return truth[value]
        if isinstance(value, int):
            return str(value)
        if isinstance(value, float):
            return self.number(value)
        if isinstance(value, str):
            return self.text(value)
        raise TreeError(
            f"sql: {value!r} ({type(value).__name__}) cannot be written as an SQL value. Classes "
            "and levels are strings, numbers or booleans."
        )

    def answer(self, node: int, output: int) -> str:
        """Return what a node predicts."""
        if self.tree.task == "regression":
            return self.number(float(self.tree.value[node, output, 0]))
        index = self.tree.answer.reshape(self.tree.n_nodes, -1)[node, output]
        return self.literal(self.tree.target.classes[output][index])

    # ------------------------------------------------------------------ cases

    def case(self, ends: dict[int, Condition], results: dict[int, str]) -> str:
        """Write the CASE over all ends."""
        lines = ["CASE"]
        for node, condition in ends.items():
            lines.append(f"{_INDENT}WHEN {self.condition(condition)} THEN {results[node]}")
        return "\n".join([*lines, "    END"])

    def lookup(self, leaf: str, results: dict[int, str]) -> str:
        """Write the CASE that turns a leaf into its result, equal results together."""
        nodes_of: dict[str, list[int]] = {}
        for node, text in results.items():
            nodes_of.setdefault(text, []).append(node)
        lines = ["CASE"]
        for text, nodes in nodes_of.items():
            ids = ", ".join(map(str, nodes))
            lines.append(f"    WHEN {leaf} IN ({ids}) THEN {text}")
        return "\n".join([*lines, "  END"])

    def condition(self, condition: Condition) -> str:
        """Write what is true of the rows of one end."""
        parts = [
            clause.fold(self.values, _every, _some)
            for clause in condition.clauses
            if not clause.is_trivial
        ]
        return _every(parts) or "1 = 1"

    def values(self, values: ValueSet) -> str:
        """Write that a column's value belongs to a set."""
        column = f"{_ALIAS}.{self.name(values.info.name)}"
        return (self.numbers if values.info.is_numeric else self.levels)(column, values)

    def levels(self, column: str, values: ValueSet) -> str:
        info, unseen = values.info, values.info.n_levels in values.codes
        codes = [code for code in range(info.n_levels) if (code in values.codes) != unseen]
        listed = ", ".join(self.literal(info.levels[code]) for code in codes)
        parts = [f"{column} IS NULL"] if values.missing else []
        if unseen:
            parts.append(f"{column} NOT IN ({listed})" if codes else f"{column} IS NOT NULL")
        elif codes:
            single = f"{column} = {listed}"
            parts.append(single if len(codes) == 1 else f"{column} IN ({listed})")
        return " OR ".join(parts)

    def numbers(self, column: str, values: ValueSet) -> str:
        number, info = self.number_of(column, values.info), values.info
        has_nan = self.dialect in ("postgresql", "duckdb")
        nan = "'NaN'::float8" if self.dialect == "postgresql" else "'NaN'::DOUBLE"
        missing = [f"{column} IS NULL"]
        if values.present.is_empty:
            return " OR ".join([*missing, f"{number} = {nan}"] if has_nan else missing)
        bounds = []
        if values.low > -math.inf:
            bounds.append(f"{number} > {self.bound(values.low, info)}")
        if values.high < math.inf:
            bounds.append(f"{number} <= {self.bound(values.high, info)}")
            missing += [f"{number} = {nan}"] if has_nan else []
        elif has_nan and not values.missing:
            bounds.append(f"{number} < {nan}")  # NaN is greater than all numbers, and missing
        inside = _every(bounds) or f"{column} IS NOT NULL"
        return _some([*missing, inside]) if values.missing else inside

    def number_of(self, column: str, info: ColumnInfo) -> str:
        """Write a numeric column as the number that the tree asks about."""
        if info.display == "boolean":
            casts = {"postgresql": f"CAST({column} AS INTEGER)"}
            casts["duckdb"] = f"CAST({column} AS DOUBLE)"
            return casts.get(self.dialect, column)
        if info.display == "number" or self.dialect == "ansi":
            return column
        if self.dialect in ("postgresql", "duckdb"):
            kind = "float8" if self.dialect == "postgresql" else "DOUBLE"
            return f"CAST(EXTRACT(EPOCH FROM {column}) AS {kind})"
        if info.display == "duration":
            return column
        return f"(strftime('%s', {column}) + (strftime('%f', {column}) - strftime('%S', {column})))"

    def bound(self, cut: float, info: ColumnInfo) -> str:
        """Write a cut; in ANSI a cut between dates is a timestamp."""
        if self.dialect == "ansi" and info.display in ("date", "datetime"):
            try:
                moment = _EPOCH + datetime.timedelta(microseconds=math.floor(cut * 1e6))
            except OverflowError:
                raise TreeError(f"sql: the cut {cut} of {info.name!r} is no date.") from None
            return f"TIMESTAMP '{moment.isoformat(' ')}'"
        return self.number(cut)


def _every(parts: list[str]) -> str:
    return all_of(parts, " AND ", " OR ")


def _some(parts: list[str]) -> str:
    return all_of(parts, " OR ", " AND ")


def _encodable(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise TreeError(f"sql: {text!r} is not valid Unicode. Rename it and refit.") from None
    return text


def _quotient(x: float) -> str:
    """Write a float64 as whole number times or over a power of two, exactly.

    Examples
    --------
    >>> _quotient(0.1)
    '(3602879701896397 / 562949953421312.0 / 64.0)'
    """
    top, bottom = x.as_integer_ratio()
    if bottom > 1:
        return "(" + " / ".join([str(top), *_powers(bottom.bit_length() - 1)]) + ")"
    mantissa, exponent = math.frexp(x)
    if exponent <= 53:
        return f"({int(x)} * 1.0)"
    return "(" + " * ".join([str(int(mantissa * 2**53)), *_powers(exponent - 53)]) + ")"


def _powers(exponent: int) -> list[str]:
    """Write 2**exponent as factors that SQLite reads exactly."""
    whole, rest = divmod(exponent, 49)
    return ["562949953421312.0"] * whole + ([f"{2**rest}.0"] if rest else [])
