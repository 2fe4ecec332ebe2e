"""A tree as SQL: one flat CASE with a WHEN per leaf, bounds of each column merged.

Flat, because nested CASE breaks at some depth (24 levels in SQLite). Conditions exclude each other
and no NOT stands before a comparison, so NULL behaves as missing does, and NaN where a database has
it. Cuts are written so that they come back as the same float64; SQLite reads decimals of many
digits one unit off, so there such a cut is a quotient of whole numbers by a power of two, which is
exact. What differs between databases is data (`sql_dialects.py`).
Names and strings are quoted; columns are qualified by the table's alias, because SQLite takes an
unknown name in double quotes for a text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from ceiba.errors import OptionError, TreeError, did_you_mean
from ceiba.export.code.program import about
from ceiba.export.code.sql_dialects import DIALECTS, Dialect, DialectName
from ceiba.paths import Condition, ValueSet, ends_of
from ceiba.paths.conditions import all_of
from ceiba.paths.of_tree import refuse_fractional, root_answers
from ceiba.table import ColumnInfo
from ceiba.tree.notes import note_lines
from ceiba.tree.tree import Tree

_ALIAS: Final = "t"
_INDENT: Final = "      "


def to_sql(
    tree: Tree,
    *,
    dialect: DialectName = "ansi",
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
    dialect : str, default="ansi"
        "ansi", "postgresql", "sqlite", "duckdb", "mysql" (MariaDB too), "tsql" (SQL Server),
        "bigquery", "snowflake", "spark" (Databricks too) or "oracle". Strings are compared by
        their code points whatever the collation: ``'a'`` is neither ``'A'`` nor ``'a '``.
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
        For `missing="fractional"`, for names, strings and numbers that the database cannot hold,
        and for a single prediction of a tree with several outputs.

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("clouds <= 4.5", "no", "yes"), target="RAIN")
    >>> print(tree.export("sql", form="prediction"))
    CASE
          WHEN t."clouds" IS NULL OR t."clouds" <= 4.5E0 THEN 'no'
          WHEN t."clouds" > 4.5E0 THEN 'yes'
        END
    >>> print(tree.export("sql", form="prediction", dialect="tsql"))
    CASE
          WHEN t.[clouds] IS NULL OR t.[clouds] <= 4.5E0 THEN N'no'
          WHEN t.[clouds] > 4.5E0 THEN N'yes'
        END
    """
    chosen = _dialect(dialect)
    if form not in ("query", "prediction", "leaf"):
        raise OptionError(f"form={form!r}. Allowed are query, prediction and leaf.")
    refuse_fractional(tree, "sql")
    writer = _Writer(tree, chosen)
    ends = dict(ends_of(tree))
    nodes = _answering(tree, ends)
    if form == "leaf":
        return writer.whole_case(ends, {node: str(node) for node in nodes})
    if form == "prediction":
        if tree.n_outputs > 1:
            raise TreeError("sql: the tree has several outputs. Use form='query'.")
        return writer.whole_case(ends, {node: writer.answer(node, 0) for node in nodes})
    return _query(tree, writer, ends, table, prefix)


def _answering(tree: Tree, ends: dict[int, Condition]) -> list[int]:
    """Return the nodes that give answers: the ends, and the root where it answers the rest."""
    return [*ends, 0] if root_answers(tree) and 0 not in ends else list(ends)


def _dialect(name: str) -> Dialect:
    if name not in DIALECTS:
        hint = did_you_mean(name, DIALECTS)
        raise OptionError(f"dialect={name!r}. Allowed are {', '.join(DIALECTS)}.{hint}")
    return DIALECTS[name]


def conditions_case(
    tree: Tree,
    conditions: dict[int, Condition],
    answers: dict[int, Any],
    default: Any,
    dialect: str = "duckdb",
) -> str:
    """Return a CASE of conditions that are asked in order, with an answer for all other rows.

    For rule sets: unlike those of a tree, conditions may overlap, and the first one decides. The
    table is called ``t``.
    """
    writer = _Writer(tree, _dialect(dialect))
    results = {i: writer.literal(answer) for i, answer in answers.items()}
    if not conditions:
        return writer.literal(default)
    return _with_else(writer.case(conditions, results), writer.literal(default))


def _with_else(case: str, result: str) -> str:
    """Give a CASE a result for all other rows."""
    return f"{case.removesuffix('END').rstrip()}\n{_INDENT}ELSE {result}\n    END"


def _query(
    tree: Tree, writer: _Writer, ends: dict[int, Condition], table: str | Sequence[str], prefix: str
) -> str:
    parts = [table] if isinstance(table, str) else list(table)
    source = ".".join(writer.name(part) for part in parts)
    _refuse_leaf(tree, prefix)
    leaf = writer.new_column(f"{prefix}leaf")
    nodes = _answering(tree, ends)
    columns = []
    for k in range(tree.n_outputs):
        tail = tree.target.after_name(k)
        answers = {node: writer.answer(node, k) for node in nodes}
        columns.append((f"{prefix}prediction{tail}", answers))
        if tree.task == "classification":
            for c, label in enumerate(tree.target.classes[k].tolist()):
                share = {node: writer.share(float(tree.value[node, k, c])) for node in nodes}
                columns.append((f"{prefix}probability{tail}_{label}", share))
    comment = f"{about(tree).rstrip('.')}, written by ceiba; NULL is missing."
    lines = [f"-- {comment}", *(f"-- {note}" for note in note_lines(tree))]
    lines += ["SELECT", "  s.*"]
    taken: set[str] = set()
    for i, (name, by_node) in enumerate(columns):
        quoted = writer.new_column(name)
        if quoted in taken:  # two classes differ only in characters that the database cannot hold
            quoted = writer.new_column(f"{name}_{i}")
        taken.add(quoted)
        lines[-1] += ","
        lines.append(f"  {writer.lookup(f's.{leaf}', by_node)} AS {quoted}")
    case = writer.whole_case(ends, {node: str(node) for node in nodes})
    lines += [
        "FROM (",
        "  SELECT",
        f"    {_ALIAS}.*,",
        f"    {case} AS {leaf}",
        f"  FROM {source}{writer.dialect.alias}{_ALIAS}",
        f"){writer.dialect.alias}s",
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


@dataclass(frozen=True)
class _Writer:
    """Writes conditions, names and literals in one dialect."""

    tree: Tree
    dialect: Dialect

    # ------------------------------------------------------------------ literals

    def name(self, name: str) -> str:
        if "\x00" in name or not name:
            raise TreeError(f"sql: {name!r} cannot be the name of a column. Rename it and refit.")
        return self.dialect.quoted(_encodable(name))

    def column(self, name: str) -> str:
        return self.name(name) and self.dialect.column(name)

    def new_column(self, name: str) -> str:
        return self.name(name) and self.dialect.new_column(name)

    def text(self, text: str) -> str:
        if "\x00" in text:
            raise TreeError(f"sql: the string {text!r} contains a NUL, which SQL strings cannot.")
        return self.dialect.text(_encodable(text))

    def number(self, x: float) -> str:
        if not math.isfinite(x):
            raise TreeError(f"sql: {x} is not a number that SQL can write.")
        return self.dialect.number(x)

    def share(self, x: float) -> str:
        """Write a probability."""
        return (self.dialect.share or self.number)(x)

    def literal(self, value: Any) -> str:
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, bool):
            return self.dialect.truth[value]
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

    def whole_case(self, ends: dict[int, Condition], results: dict[int, str]) -> str:
        """Write the CASE over all rows; the root may answer those that fulfil no condition."""
        case = self.case(ends, results)
        if not root_answers(self.tree):
            return case
        if self.tree.missing == "error":  # such a row is refused, and not the root's
            refused = "".join(
                f"\n{_INDENT}WHEN {self.values(ValueSet.only_missing(info))} THEN NULL"
                for info in (self.tree.schema.columns[j] for j in self.tree.used_columns.tolist())
            )
            case = case.replace("CASE", f"CASE{refused}", 1)
        return _with_else(case, results[0])

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
        column = f"{_ALIAS}.{self.column(values.info.name)}"
        return (self.numbers if values.info.is_numeric else self.levels)(column, values)

    def levels(self, column: str, values: ValueSet) -> str:
        info, unseen = values.info, values.info.n_levels in values.codes
        codes = [code for code in range(info.n_levels) if (code in values.codes) != unseen]
        for level in info.levels:
            self.literal(level)  # the database must hold those that are not listed, too
        listed = [info.levels[code] for code in codes]
        parts = [f"{column} IS NULL"] if values.missing else []
        if listed:
            parts.append(self.is_among(column, listed, "NOT IN" if unseen else "IN"))
        elif unseen:
            parts.append(f"{column} IS NOT NULL")
        return _some(parts)

    def is_among(self, column: str, levels: list[Any], word: Literal["IN", "NOT IN"]) -> str:
        """Write that a column has one of some levels, or none of them."""
        if any(isinstance(level, str) for level in levels):
            column = self.dialect.compared_text.format(column)
            tail = self.dialect.compared_tail
            levels = [level + tail if isinstance(level, str) else level for level in levels]
        listed = [self.literal(level) for level in levels]
        if len(listed) == 1 and word == "IN":
            return f"{column} = {listed[0]}"
        most = self.dialect.max_list or len(listed)
        lists = [", ".join(listed[i : i + most]) for i in range(0, len(listed), most)]
        parts = [f"{column} {word} ({part})" for part in lists]
        return _some(parts) if word == "IN" else _every(parts)

    def numbers(self, column: str, values: ValueSet) -> str:
        number, info, dialect = self.number_of(column, values.info), values.info, self.dialect
        nan = dialect.nan if number == column and info.display in ("number", "duration") else None
        missing = [f"{column} IS NULL"]
        if values.present.is_empty:
            return _some([*missing, nan.format(number)] if nan else missing)
        bounds = []
        if values.low > -math.inf:
            bounds.append(f"{number} > {self.bound(values.low, info)}")
        if values.high < math.inf:
            bounds.append(f"{number} <= {self.bound(values.high, info)}")
        elif nan and not values.missing:
            bounds.append(dialect.not_nan.format(number))
        if nan and (values.high < math.inf or not dialect.nan_is_largest):
            missing.append(nan.format(number))
        inside = _every(bounds) or f"{column} IS NOT NULL"
        return _some([*missing, inside]) if values.missing else inside

    def number_of(self, column: str, info: ColumnInfo) -> str:
        """Write a numeric column as what its cuts are compared with."""
        if info.display == "boolean":
            return self.dialect.boolean.format(column)
        if info.display == "duration":
            return self.dialect.duration.format(column)
        if info.display in ("date", "datetime"):
            return self.dialect.time_of(column, info.zone is not None)
        return column

    def bound(self, cut: float, info: ColumnInfo) -> str:
        """Write a cut; between dates it may be a timestamp."""
        if info.display in ("date", "datetime"):
            return self.dialect.time_literal(cut, info.name, info.zone is not None)
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
