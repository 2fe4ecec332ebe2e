"""Export a tree as an SQL query, in which a CASE expression finds the leaf of each row.

A CASE of a few leaves is flat. A flat CASE of many leaves is slow (it is evaluated leaf by leaf and
planned in quadratic time), and a CASE per split is too deep for some databases (at most 24 levels
in SQLite, 10 in SQL Server). So the tree is divided into parts of similar size, one WHEN each, and
each part is divided again: for 4,000 leaves, CASEs are nested three deep, whatever the depth of the
tree. The WHENs of a part are evaluated in order, so a WHEN need not repeat conditions that those
before it have decided. NULL counts as missing, and so does NaN in databases that have it. Cuts are
read back as the same float64; SQLite may read decimals of many digits one unit off, so it gets an
exact quotient or product of integers and powers of two. Names and strings are quoted; columns are
qualified by the table's alias, because SQLite reads an unknown name in double quotes as a string.
`sql_dialects.py` has the differences between databases.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np

from ceiba.errors import OptionError, TreeError, did_you_mean
from ceiba.export.code.program import header, median_or_none, read_times, survival_at
from ceiba.export.code.sql_dialects import DIALECTS, Dialect, DialectName
from ceiba.paths import (
    Condition,
    ValueSet,
    end_nodes,
    join_texts,
    nodes_on_paths,
    places_every_row,
    reachable_ends,
    refuse_fractional,
    root_answers,
)
from ceiba.table import ColumnInfo
from ceiba.task import Task
from ceiba.tree import Tree, has_curve, note_lines

_ALIAS: Final = "t"
_INDENT: Final = "      "
_MAX_WHENS: Final = 32  # maximum number of WHENs in a CASE; larger trees get nested CASEs


def to_sql(
    tree: Tree,
    *,
    dialect: DialectName = "ansi",
    table: str | Sequence[str] = "data",
    prefix: str = "",
    form: Literal["query", "prediction", "leaf"] = "query",
    times: Sequence[float] = (),
) -> str:
    """Return a tree as an SQL query that computes the prediction for every row of a table.

    The query returns all columns of the table, then `leaf` (the node in which the row ends),
    `prediction` and, for classification, `probability_<class>` for each class. The prediction of a
    survival tree is the relative risk; `median` is NULL if the median time is not reached. NULL is
    a missing value. The prediction is NULL for unseen levels and missing values that the tree
    rejects (`unseen="error"`, `missing="error"`).

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
        Prefix of the names of the new columns. Required if the table has a column called "leaf"
        (in upper or lower case), which databases would confuse with the new one. If the tree was
        fitted with such a column, a missing prefix is an error.
    form : {"query", "prediction", "leaf"}, default="query"
        The whole query, or only the expression of the prediction or of the leaf, for use in
        another query in which the table is called ``t``.
    times : sequence of float, default=()
        Times at which the columns `survival_<time>` of a survival tree have the probability of no
        event so far.

    Returns
    -------
    str

    Raises
    ------
    TreeError
        For `missing="fractional"`, for names, strings and numbers that the database does not
        support, and for `form="prediction"` with several outputs.

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
    chosen = _find_dialect(dialect)
    if form not in ("query", "prediction", "leaf"):
        raise OptionError(f"form must be 'query', 'prediction' or 'leaf', got {form!r}.")
    refuse_fractional(tree, "sql")
    moments = read_times(tree, times)
    if moments and form != "query":
        raise OptionError(f"times is not supported with form={form!r}.")
    writer = _SqlWriter(tree, chosen)
    nodes = [node for node, _ in end_nodes(tree)]
    if root_answers(tree) and 0 not in nodes:
        nodes.insert(0, 0)
    if form == "leaf":
        return writer.tree_case({node: str(node) for node in nodes})
    if form == "prediction":
        if tree.n_outputs > 1:
            raise TreeError(
                f"sql: form='prediction' requires a single-output tree, got {tree.n_outputs} "
                "outputs. Use form='query'."
            )
        return writer.tree_case({node: writer.answer(node, 0) for node in nodes})
    return _query(tree, writer, nodes, table, prefix, moments)


def _find_dialect(name: str) -> Dialect:
    if name not in DIALECTS:
        hint = did_you_mean(name, DIALECTS)
        raise OptionError(f"Unknown dialect {name!r}. Allowed values: {', '.join(DIALECTS)}.{hint}")
    return DIALECTS[name]


def conditions_case(
    tree: Tree,
    conditions: dict[int, Condition],
    answers: dict[int, Any],
    default: Any,
    dialect: str = "duckdb",
) -> str:
    """Return a CASE expression that tests the conditions of a rule set in order."""
    writer = _SqlWriter(tree, _find_dialect(dialect))
    results = {i: writer.literal(answer) for i, answer in answers.items()}
    if not conditions:
        return writer.literal(default)
    whens = [(writer.condition(conditions[i]), results[i]) for i in conditions]
    return _case(whens, writer.literal(default))


def _case(whens: list[tuple[str, str]], default: str | None, indent: str = _INDENT) -> str:
    """Return a CASE expression that maps conditions to results, with an optional default."""
    lines = [f"{indent}WHEN {condition} THEN {result}" for condition, result in whens]
    if default is not None:
        lines.append(f"{indent}ELSE {default}")
    return "\n".join(["CASE", *lines, f"{indent[:-2]}END"])


def _query(
    tree: Tree,
    writer: _SqlWriter,
    nodes: list[int],
    table: str | Sequence[str],
    prefix: str,
    times: list[float],
) -> str:
    parts = [table] if isinstance(table, str) else list(table)
    source = ".".join(writer.name(identifier) for identifier in parts)
    names = [*tree.schema.names, *([tree.target.name] if tree.target.name else [])]
    clash = next((name for name in names if name.casefold() == f"{prefix}leaf".casefold()), None)
    if clash is not None:
        raise OptionError(
            f"sql: column {clash!r} conflicts with the column '{prefix}leaf' that the query adds. "
            "Pass another prefix."
        )
    leaf = writer.new_column(f"{prefix}leaf")
    columns = []
    for k in range(tree.n_outputs):
        tail = tree.target.output_suffix(k)
        answers = {node: writer.answer(node, k) for node in nodes}
        columns.append((f"{prefix}prediction{tail}", answers))
        if tree.task.has_classes:
            for c, label in enumerate(tree.target.classes[k].tolist()):
                share = {node: writer.share(float(tree.value[node, k, c])) for node in nodes}
                columns.append((f"{prefix}probability{tail}_{label}", share))
    if tree.task is Task.SURVIVAL and has_curve(tree):
        medians = {node: median_or_none(tree, node) for node in nodes}
        texts = {
            node: "NULL" if median is None else writer.number(median)
            for node, median in medians.items()
        }
        columns.append((f"{prefix}median", texts))
        for k, time in enumerate(times):
            shares = {node: writer.share(survival_at(tree, node, times)[k]) for node in nodes}
            columns.append((f"{prefix}survival_{time:g}", shares))
    comment = f"{header(tree).rstrip('.')}, written by ceiba; NULL is missing."
    lines = [f"-- {comment}", *(f"-- {note}" for note in note_lines(tree))]
    lines += ["SELECT", "  s.*"]
    quoted_names: set[str] = set()
    for i, (name, by_node) in enumerate(columns):
        quoted = writer.new_column(name)
        if quoted in quoted_names:  # `new_column` may make two names equal
            quoted = writer.new_column(f"{name}_{i}")
        quoted_names.add(quoted)
        lines[-1] += ","
        lines.append(f"  {writer.lookup(f's.{leaf}', by_node)} AS {quoted}")
    case = writer.tree_case({node: str(node) for node in nodes})
    lines += [
        "FROM (",
        "  SELECT",
        f"    {_ALIAS}.*,",
        f"    {case} AS {leaf}",
        f"  FROM {source}{writer.dialect.alias}{_ALIAS}",
        f"){writer.dialect.alias}s",
    ]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class _SqlWriter:
    """Writer of conditions, names and literals in an SQL dialect."""

    tree: Tree
    dialect: Dialect
    checked: set[str] = field(default_factory=set)  # columns whose levels are valid in SQL

    # ------------------------------------------------------------------ literals

    def name(self, name: str) -> str:
        if "\x00" in name or not name:
            raise TreeError(f"sql: names must not be empty or contain NUL, got {name!r}.")
        return self.dialect.quoted(_check_unicode(name))

    def column(self, name: str) -> str:
        return self.name(name) and self.dialect.column(name)

    def new_column(self, name: str) -> str:
        return self.name(name) and self.dialect.new_column(name)

    def text(self, text: str) -> str:
        if "\x00" in text:
            raise TreeError(f"sql: strings must not contain NUL characters, got {text!r}.")
        return self.dialect.text(_check_unicode(text))

    def number(self, x: float) -> str:
        if not math.isfinite(x):
            raise TreeError(f"sql: numbers must be finite, got {x}.")
        return self.dialect.number(x)

    def share(self, x: float) -> str:
        """Return the SQL literal of a probability."""
        return (self.dialect.share or self.number)(x)

    def literal(self, value: Any) -> str:
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, bool):
            return self.dialect.booleans[value]
        if isinstance(value, int):
            return str(value)
        if isinstance(value, float):
            return self.number(value)
        if isinstance(value, str):
            return self.text(value)
        raise TreeError(
            f"sql: {value!r} ({type(value).__name__}) is not supported. Classes and levels must be "
            "strings, numbers or booleans."
        )

    def answer(self, node: int, output: int) -> str:
        """Return the SQL literal of the prediction of a node."""
        if not self.tree.task.has_classes:
            return self.number(float(self.tree.value[node, output, 0]))
        index = self.tree.answer.reshape(self.tree.n_nodes, -1)[node, output]
        return self.literal(self.tree.target.classes[output][index])

    # ------------------------------------------------------------------ cases

    @cached_property
    def places_every_row(self) -> bool:
        return places_every_row(self.tree)

    def tree_case(self, results: dict[int, str]) -> str:
        """Return the CASE expression that finds a row's leaf and returns its entry in `results`."""
        default, refused = None, []
        if root_answers(self.tree):
            default = results[0]
            if self.tree.missing == "error":  # a row with a missing value gets NULL
                used = (self.tree.schema.columns[j] for j in self.tree.used_features.tolist())
                refused = [(self.values(ValueSet.only_missing(info)), "NULL") for info in used]
        return self.subtree_case(0, end_nodes(self.tree), results, default, refused)

    def subtree_case(
        self,
        top: int,
        ends: list[tuple[int, bool]],
        results: dict[int, str],
        default: str | None,
        first: Sequence[tuple[str, str]] = (),
        indent: str = _INDENT,
    ) -> str:
        """Return the CASE expression for the rows of a subtree that end in the nodes `ends`."""
        parts, loose = _divide(self.tree, top, ends) if len(ends) > _MAX_WHENS else ([], ends)
        deeper = indent + "  "
        whens = list(first)
        tops = [(node, False) for node, _ in parts]
        ends_of = dict(parts)
        for node, condition in reachable_ends(self.tree, tops, top=top):
            inner = self.subtree_case(node, ends_of[node], results, default, (), deeper)
            whens.append((self.condition(condition), inner))
        if parts and len(loose) > _MAX_WHENS:
            inner = self.subtree_case(top, loose, results, default, (), deeper)
            return _case(whens, inner, indent)
        # If every row reaches a leaf, a WHEN need not repeat the tests of earlier WHENs.
        sequential = self.places_every_row and (top > 0 or bool(parts))
        for node, condition in reachable_ends(self.tree, loose, top=top, sequential=sequential):
            whens.append((self.condition(condition), results[node]))
        return _case(whens, default, indent)

    def lookup(self, leaf: str, results: dict[int, str]) -> str:
        """Return the CASE expression that maps the leaves in the SQL column `leaf` to results."""
        if len(results) > _MAX_WHENS:
            # Refer to the leaf only once, because databases that inline the inner query repeat its
            # CASE for each reference.
            lines = [f"    WHEN {node} THEN {text}" for node, text in results.items()]
            return "\n".join([f"CASE {leaf}", *lines, "  END"])
        nodes_of: dict[str, list[int]] = {}
        for node, text in results.items():
            nodes_of.setdefault(text, []).append(node)
        whens = [
            (f"{leaf} IN ({', '.join(map(str, nodes))})", text) for text, nodes in nodes_of.items()
        ]
        return _case(whens, None, "    ")

    def condition(self, condition: Condition) -> str:
        """Return a condition as SQL."""
        parts = [
            clause.fold(self.values, _join_and, _join_or)
            for clause in condition.clauses
            if not clause.is_trivial
        ]
        return _join_and(parts) or "1 = 1"

    def values(self, values: ValueSet) -> str:
        """Return the condition that the value of a column is in a set."""
        column = f"{_ALIAS}.{self.column(values.info.name)}"
        return (self.numbers if values.info.is_numeric else self.levels)(column, values)

    def levels(self, column: str, values: ValueSet) -> str:
        info, unseen = values.info, values.info.n_levels in values.codes
        codes = sorted(frozenset(range(info.n_levels)) - values.codes if unseen else values.codes)
        if info.name not in self.checked:
            for level in info.levels:
                self.literal(level)  # raises an error if SQL cannot represent the level
            self.checked.add(info.name)
        levels = [info.levels[code] for code in codes]
        parts = [f"{column} IS NULL"] if values.missing else []
        if levels:
            parts.append(self.format_membership(column, levels, "NOT IN" if unseen else "IN"))
        elif unseen:
            parts.append(f"{column} IS NOT NULL")
        return _join_or(parts)

    def format_membership(
        self, column: str, levels: list[Any], word: Literal["IN", "NOT IN"]
    ) -> str:
        """Return the condition that a column has one of the levels (IN) or none (NOT IN)."""
        if any(isinstance(level, str) for level in levels):
            column = self.dialect.text_comparison.format(column)
            tail = self.dialect.comparison_suffix
            levels = [level + tail if isinstance(level, str) else level for level in levels]
        literals = [self.literal(level) for level in levels]
        if len(literals) == 1 and word == "IN":
            return f"{column} = {literals[0]}"
        size = self.dialect.max_list or len(literals)
        lists = [", ".join(literals[i : i + size]) for i in range(0, len(literals), size)]
        forms = self.dialect.many_lists if self.tree.n_leaves > _MAX_WHENS else None
        if forms is not None:
            return forms[word == "NOT IN"].format(column, lists[0])
        parts = [f"{column} {word} ({literal_list})" for literal_list in lists]
        return _join_or(parts) if word == "IN" else _join_and(parts)

    def numbers(self, column: str, values: ValueSet) -> str:
        number, info, dialect = self.number_of(column, values.info), values.info, self.dialect
        nan = dialect.nan if number == column and info.display in ("number", "duration") else None
        missing = [f"{column} IS NULL"]
        if values.present.is_empty:
            return _join_or([*missing, nan.format(number)] if nan else missing)
        bounds = []
        if values.low > -math.inf:
            bounds.append(f"{number} > {self.bound(values.low, info)}")
        if values.high < math.inf:
            bounds.append(f"{number} <= {self.bound(values.high, info)}")
        elif nan and not values.missing:
            bounds.append(dialect.not_nan.format(number))
        if nan and (values.high < math.inf or not dialect.nan_is_largest):
            missing.append(nan.format(number))
        inside = _join_and(bounds) or f"{column} IS NOT NULL"
        return _join_or([*missing, inside]) if values.missing else inside

    def number_of(self, column: str, info: ColumnInfo) -> str:
        """Return the expression that converts a column to the unit of its cuts."""
        if info.display == "boolean":
            return self.dialect.boolean.format(column)
        if info.display == "duration":
            return self.dialect.duration.format(column)
        if info.display in ("date", "datetime"):
            return self.dialect.time_expression(column, info.zone is not None)
        return column

    def bound(self, cut: float, info: ColumnInfo) -> str:
        """Return the literal of a cut: a number, or for dates in some dialects a timestamp."""
        if info.display in ("date", "datetime"):
            return self.dialect.time_literal(cut, info.name, info.zone is not None)
        return self.number(cut)


def _divide(
    tree: Tree, top: int, ends: list[tuple[int, bool]]
) -> tuple[list[tuple[int, list[tuple[int, bool]]]], list[tuple[int, bool]]]:
    """Divide the end nodes below `top` into parts of similar size and a remainder."""
    # Visit nodes from the bottom up. A subtree with enough end nodes becomes a part and is not
    # counted again above. Inner parts precede outer parts, because the first true WHEN applies.
    share = -(-len(ends) // _MAX_WHENS)
    on_path = sorted(nodes_on_paths(tree, (node for node, _ in ends), top))
    n_below = dict.fromkeys(on_path, 0)
    for node, _ in ends:
        n_below[node] += 1
    parts: dict[int, list[tuple[int, bool]]] = {}
    for node in reversed(on_path[1:]):
        if n_below[node] >= share:
            parts[node] = []
        else:
            n_below[int(tree.parent[node])] += n_below[node]
    part_of = {top: top}
    for node in on_path[1:]:
        part_of[node] = node if node in parts else part_of[int(tree.parent[node])]
    loose: list[tuple[int, bool]] = []
    for end in ends:
        parts.get(part_of[end[0]], loose).append(end)
    return list(parts.items()), loose


def _join_and(parts: list[str]) -> str:
    return join_texts(parts, " AND ", " OR ")


def _join_or(parts: list[str]) -> str:
    return join_texts(parts, " OR ", " AND ")


def _check_unicode(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise TreeError(f"sql: names and strings must be valid Unicode, got {text!r}.") from None
    return text
