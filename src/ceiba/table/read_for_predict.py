"""Read a table for predicting, using the schema seen when fitting.

container -> TableSource -> columns matched by position or by name -> levels encoded by the schema
-> Table. A float matrix skips these steps. Matching by position follows scikit-learn: it raises an
error if names differ, and warns if only one of the tables has names. Matching by name allows any
order and ignores other columns. A column with the name of the target is skipped.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import DataWarning, OptionError, SchemaError, did_you_mean
from ceiba.table.display import number_to_level
from ceiba.table.levels import encode_numbers, recode
from ceiba.table.readers.dispatch import open_source
from ceiba.table.readers.source import check_shape
from ceiba.table.readers.times import parse_iso_dates
from ceiba.table.scanning.scan import Scan, ScannedTable
from ceiba.table.schema import ColumnInfo, Kind, Schema, join_names
from ceiba.table.table import FLOATS, MISSING_CODE, Column, Table

Unseen = Literal["keep", "missing", "error"]
_SMALL = 100_000  # maximum number of cells for which copying is fast
_MATCHES = ("position", "name", "order")
_MAX_LISTED = 5
_PLAIN = ("number", "boolean")
_DATES = ("date", "datetime")


def read_like(
    X: Any,
    schema: Schema,
    *,
    match: Literal["position", "name", "order"] = "position",
    unseen: Unseen = "keep",
    owner: str = "this tree",
) -> Table:
    """Read a table or a scan for predicting, using the schema seen when fitting.

    With ``match="position"``, the names in X, if any, must be those of the schema, in its order;
    "order" ignores names. Scans are always matched by name. Levels not seen when fitting get the
    code ``n_levels`` (``unseen="keep"``), become missing, or raise an error. Infinities are
    allowed. `owner` names the fitted object in messages.
    """
    # Fast path: use a float matrix directly if the columns are numeric and unnamed.
    if type(X) is np.ndarray and X.ndim == 2 and schema.is_matrix and not schema.named:
        dtype, shape = X.dtype, X.shape
        if dtype in FLOATS and shape[1] == schema.n_columns and shape[0] and X.flags.aligned:
            return Table.from_matrix(X, schema)
    if isinstance(X, Scan):
        return ScannedTable(X, schema, partial(read_like, match="name", unseen=unseen))
    source = open_source(X)
    if match in ("position", "order"):
        names = source.names
        if match == "order":
            names = schema.names if schema.named else None
        positions = match_by_position(names, source.n_columns, schema, owner)
        check_shape(source)
    elif match == "name":
        positions = match_by_name(source.names, source.n_columns, schema, owner)
    else:
        raise OptionError(
            f"`match` must be 'position', 'name' or 'order', got {match!r}."
            f"{did_you_mean(match, _MATCHES)}"
        )
    as_is = positions == list(range(source.n_columns))
    if source.matrix is not None and schema.is_matrix and (as_is or source.matrix.size <= _SMALL):
        return Table.from_matrix(source.matrix if as_is else source.matrix[:, positions], schema)
    if source.sparse is not None and schema.is_matrix:
        return Table.from_sparse(source.sparse if as_is else source.sparse[:, positions], schema)
    columns = tuple(
        conform_column(source.read_column(j, info.name), info, unseen)
        for j, info in zip(positions, schema.columns, strict=True)
    )
    return Table(columns, source.n_rows, schema)


def match_by_position(
    names: tuple[str, ...] | None, n_columns: int, schema: Schema, owner: str
) -> list[int]:
    """Return the position in X of each column of ``schema``; X must have the schema's order."""
    positions = _drop_target(names, n_columns, schema)
    if names is not None and schema.named:
        columns = [names[j] for j in positions]
        if columns != list(schema.names):
            raise SchemaError(_name_mismatch_message(columns, schema.names))
        return positions
    if names is not None:
        _warn(f"X has feature names, but {owner} was fitted without feature names")
    elif schema.named:
        _warn(f"X does not have valid feature names, but {owner} was fitted with feature names")
    check_n_columns(len(positions), schema, owner)
    return positions


def match_by_name(
    names: tuple[str, ...] | None, n_columns: int, schema: Schema, owner: str
) -> list[int]:
    """Return the position in X of each column of ``schema``, by name if possible."""
    if names is None or not schema.named:
        positions = _drop_target(names, n_columns, schema)
        if names is not None and set(schema.names) <= set(names):
            return [names.index(name) for name in schema.names]
        check_n_columns(len(positions), schema, owner)
        return positions
    position = {name: j for j, name in enumerate(names)}
    absent = [name for name in schema.names if name not in position]
    if absent:
        free = [name for name in names if name not in schema.names]
        lines = [f"X lacks {len(absent)} of the {schema.n_columns} columns seen when fitting:"]
        for name in absent[:_MAX_LISTED]:
            hint = did_you_mean(name, free).replace(" Did you mean", " (is it")
            lines.append(f"- {name}{hint.replace('?', ' in X?)')}")
        lines += ["- ..."] * (len(absent) > _MAX_LISTED)
        lines.append(f"X has {join_names(tuple(names))}. Add the columns, with NaN if unknown.")
        raise SchemaError("\n".join(lines))
    return [position[name] for name in schema.names]


def check_n_columns(n_columns: int, schema: Schema, owner: str) -> None:
    """Raise scikit-learn's error if the schema does not have `n_columns` columns."""
    if n_columns != schema.n_columns:
        raise SchemaError(
            f"X has {n_columns} features, but {owner} is expecting {schema.n_columns} features as "
            f"input: {join_names(schema.names)}."
        )


def _drop_target(names: tuple[str, ...] | None, n_columns: int, schema: Schema) -> list[int]:
    target = schema.target.name if schema.target is not None else None
    if names is None or target is None or target in schema.names:
        return list(range(n_columns))
    return [j for j, name in enumerate(names) if name != target]


def _warn(message: str) -> None:
    warnings.warn(message, DataWarning, stacklevel=5)


def _name_mismatch_message(names: Sequence[str], fitted: Sequence[str]) -> str:
    """Return scikit-learn's message about wrong feature names, with suggested corrections."""
    unseen = sorted(set(names) - set(fitted))
    absent = sorted(set(fitted) - set(names))
    lines = ["The feature names should match those that were passed during fit."]
    if unseen:
        lines += ["Feature names unseen at fit time:", *_bullet_list(unseen)]
    if absent:
        lines += ["Feature names seen at fit time, yet now missing:", *_bullet_list(absent)]
    if not unseen and not absent:
        lines += ["Feature names must be in the same order as they were in fit."]
        j = next(j for j, (got, was) in enumerate(zip(names, fitted, strict=True)) if got != was)
        lines += [f"First difference: column {j} is {names[j]!r}, in fit it was {fitted[j]!r}."]
    for name in unseen[:_MAX_LISTED]:
        hint = did_you_mean(name, absent)
        if hint:
            lines.append(f"{name!r}:{hint}")
    return "\n".join(lines) + "\n"


def _bullet_list(names: Sequence[str]) -> list[str]:
    return [f"- {name}" for name in names[:_MAX_LISTED]] + ["- ..."] * (len(names) > _MAX_LISTED)


def conform_column(column: Column, info: ColumnInfo, unseen: Unseen = "keep") -> Column:
    """Convert ``column`` to the kind and the levels of ``info``."""
    if info.is_numeric:
        return Column(info, _conform_numbers(column, info))
    if column.info.is_numeric:
        codes, numbers = encode_numbers(column.values)
        levels = tuple(number_to_level(number, column.info.display) for number in numbers.tolist())
    else:
        codes, levels = column.values, column.info.levels
    if levels == info.levels:
        return Column(info, codes)
    texts = {isinstance(level, str) for level in levels}
    if levels and info.levels and texts.isdisjoint(isinstance(level, str) for level in info.levels):
        kind = "strings" if True in texts else "numbers"
        raise _kind_error(info, f"{kind} ({join_names(levels, 3)})")
    other = MISSING_CODE if unseen == "missing" else info.n_levels
    codes_by_schema = recode(codes, [info.codes.get(level, other) for level in levels])
    if unseen == "error" and (is_unseen := codes_by_schema == info.n_levels).any():
        level = levels[codes[int(np.argmax(is_unseen))]]
        raise SchemaError(
            f"Column {info.name!r}: level {level!r} was not seen when fitting ({info.n_levels} "
            f"levels).{did_you_mean(level, info.levels)} Refit with such rows or unseen='majority'."
        )
    return Column(info, codes_by_schema)


def _conform_numbers(column: Column, info: ColumnInfo) -> NDArray[Any]:
    if not column.info.is_numeric:
        if column.missing.all():
            return np.full(len(column.values), np.nan)
        if info.display in _DATES and all(isinstance(level, str) for level in column.info.levels):
            # Parse each distinct string once; code -1 (missing) indexes the last entry, NaN.
            used = np.unique(column.values[~column.missing])
            texts = [column.info.levels[code] for code in used.tolist()]
            by_code: NDArray[Any] = np.full(len(column.info.levels) + 1, np.nan)
            by_code[used], zone = parse_iso_dates(info.name, texts)
            _check_zones(info, zone)
            return np.asarray(by_code[column.values])
        raise _kind_error(info, f"strings or categories ({join_names(column.info.levels, 3)})")
    expected, display = info.display, column.info.display
    are_dates = expected in _DATES and display in _DATES
    same = expected == display or are_dates or (expected in _PLAIN and display in _PLAIN)
    if (are_dates or not same) and not column.missing.all():
        if not same:
            raise _kind_error(info, f"{display}s")
        _check_zones(info, column.info.zone)
    return column.values


def _check_zones(info: ColumnInfo, zone: str | None) -> None:
    """Raise an error if the column has a time zone in X but had none in `fit`, or vice versa."""
    if (info.zone is None) == (zone is None):
        return
    then = "without a time zone" if info.zone is None else f"in a time zone ({info.zone})"
    now = "without one" if zone is None else f"in a time zone ({zone})"
    remedy = "Remove it" if info.zone is None else "Set their time zone"
    raise SchemaError(
        f"Column {info.name!r}: expected datetimes {then}, got datetimes {now}. {remedy}, e.g. "
        f"in pandas with .dt.tz_localize({None if info.zone is None else repr(info.zone)})."
    )


def _kind_error(info: ColumnInfo, got: str) -> SchemaError:
    expected = f"{info.display}s"
    if not info.is_numeric:
        kind = "an ordered category" if info.kind is Kind.ORDERED else "categories"
        expected = f"{kind} ({join_names(info.levels, 3)})"
    return SchemaError(
        f"Column {info.name!r}: expected {expected}, got {got}. Convert the column to the type it "
        "had when fitting."
    )
