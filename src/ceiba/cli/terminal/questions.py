"""Predict interactively: choose the next column to ask for and read the answer.

The next column is the first split column on the row's path that has no entered value. If a value is
missing, the columns of the node's surrogates come next. `ceiba.tree.routing.trace` finds the path.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ceiba._polars import pl
from ceiba.errors import DataError, did_you_mean
from ceiba.table import ColumnInfo, Table, format_value
from ceiba.table.files import Batch, Style, apply_schema
from ceiba.tree import Tree
from ceiba.tree.splits import level_text, number_text
from ceiba.words import words

_MANY: Final = 20  # maximum number of levels in a question


@dataclass
class Conversation:
    """The column values that a user has entered for a row."""

    tree: Tree
    values: dict[str, str | None] = field(default_factory=dict)
    styles: Mapping[str, Style] = field(default_factory=dict)

    def next_column(self) -> str | None:
        """Return the next column to ask for, or None at the end of the path."""
        from ceiba.tree.routing import trace

        names = self.tree.schema.names
        for move in trace(self.tree, self.table(), 0):
            if self.tree.is_leaf[move.node]:
                continue
            column = names[int(self.tree.splits.column[move.node])]
            if column not in self.values:
                return column
            if move.by in ("surrogate", "default") and self.values[column] is None:
                for stand_in in self.tree.node(move.node).surrogates:
                    if stand_in.split.column not in self.values:
                        return stand_in.split.column
                    if self.values[stand_in.split.column] is not None:
                        break
        return None

    def info(self, column: str) -> ColumnInfo:
        """Return the schema entry of a column."""
        return self.tree.schema.columns[self.tree.schema.index(column)]

    def set_value(self, column: str, text: str) -> None:
        """Set the value of a column; an empty string is a missing value."""
        from ceiba.table.files import normalize_value

        text = text.strip()
        info = self.info(column)
        value: str | None = text or None
        if value is not None and not info.is_numeric:
            value = _read_level(value, info)
        elif value is not None:
            value = normalize_value(value, info, self.styles)
        before = dict(self.values)
        self.values[column] = value
        try:
            self.table()
        except DataError:
            self.values = before
            kinds = {"boolean": "yes or no", "date": "a date (2024-05-01)"}
            kinds["datetime"] = "a time (2024-05-01 12:30)"
            kind = kinds.get(info.display, "a number")
            raise DataError(f"The value of {column!r} must be {kind}, got {text!r}.") from None

    def table(self) -> Table:
        """Return the entered values as a table of one row; the other columns are missing."""
        from ceiba.tree.routing import route

        cells = {name: [self.values.get(name)] for name in self.tree.schema.names}
        frame = pl.DataFrame(cells, schema=dict.fromkeys(cells, pl.String))
        tree = self.tree
        return route.read(tree, apply_schema(Batch(frame.columns, 0, frame), tree.schema))


def _read_level(text: str, info: ColumnInfo) -> str:
    """Return the level with this name, number or unique prefix."""
    names = [str(level) for level in info.levels]
    if text in names:
        return text
    if text.isdigit() and 1 <= int(text) <= len(names) and len(names) <= _MANY:
        return names[int(text) - 1]
    begins = [name for name in names if name.casefold().startswith(text.casefold())]
    if len(begins) == 1:
        return begins[0]
    several = f" Several levels begin with {text!r}: {', '.join(begins[:_MANY])}."
    hint = several if begins else did_you_mean(text, names)
    raise DataError(f"The value of {info.name!r} must be a level, got {text!r}.{hint}")


def format_range(info: ColumnInfo, lang: str = "en") -> str:
    """Return the range or the levels of a column in the training data."""
    if not info.is_numeric:
        names = [level_text(level) for level in info.levels[:_MANY]]
        if info.n_levels > _MANY:
            return f"{', '.join(names[:6])}, ... ({info.n_levels})"
        return ", ".join(f"{k + 1} {name}" for k, name in enumerate(names))
    if info.display == "boolean":
        return f"{words(lang)['split.yes']}, {words(lang)['split.no']}"
    if info.minimum is None or info.maximum is None:
        return ""
    if info.display == "number":
        return f"{number_text(info.minimum, 4)} ... {number_text(info.maximum, 4)}"
    ends = (format_value(end, info.display, zone=info.zone) for end in (info.minimum, info.maximum))
    return " ... ".join(ends)


def find_confidence(tree: Tree, leaf: int) -> tuple[float, float, float, int]:
    """Return a leaf's confidence, both limits of its interval, and the number of training rows."""
    for rule in tree.rules().rules:
        if rule.node == leaf:
            return rule.confidence, rule.low, rule.high, rule.rows
    nothing = float("nan")
    return nothing, nothing, nothing, int(tree.n_rows[leaf])
