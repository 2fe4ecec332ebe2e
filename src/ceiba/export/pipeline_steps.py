"""Which raw column each column that a Pipeline makes comes from, and how.

Only steps that are known are followed: each column they make depends on one raw column, and rises
with it if it is a number. What the steps compute is not repeated here: `pipeline.py` asks them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np

from ceiba.errors import OptionError

# Steps that keep the order of numbers, column by column.
_SCALERS: Final = ("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler")
_ENCODERS: Final = ("OrdinalEncoder", "OneHotEncoder")
KNOWN: Final = ("SimpleImputer", *_SCALERS, *_ENCODERS, "ColumnTransformer", "Pipeline")

# As the raw column; filled where that is missing; rising with it; a value for each of its levels.
DerivedKind = Literal["same", "filled", "number", "levels"]


@dataclass(frozen=True)
class DerivedColumn:
    """A column that the steps make of a raw one, and the levels that were encoded."""

    raw: int
    kind: DerivedKind = "same"
    levels: tuple[Any, ...] = ()


def derive_columns(step: Any, columns: list[DerivedColumn]) -> list[DerivedColumn]:
    """Return the columns that a fitted step makes of the given ones, in its order."""
    kind = type(step).__name__
    identity = kind == "FunctionTransformer" and step.func is None  # what "passthrough" becomes
    if step is None or step == "passthrough" or identity:
        return columns
    if step == "drop":
        return []
    if kind == "Pipeline":
        for _, inner in step.steps:
            columns = derive_columns(inner, columns)
        return columns
    if kind == "ColumnTransformer":
        return _derive_by_transformer(step, columns)
    if kind == "SimpleImputer":
        return _derive_imputed(step, columns)
    if kind in _SCALERS:
        return [
            column if column.kind == "levels" else replace(column, kind="number")
            for column in columns
        ]
    if kind in _ENCODERS:
        return _derive_encoded(step, columns)
    raise OptionError(f"The step {kind} is not known. Known are {', '.join(KNOWN)}.")


def _derive_by_transformer(step: Any, inputs: list[DerivedColumn]) -> list[DerivedColumn]:
    names = list(getattr(step, "feature_names_in_", ()))
    out: list[DerivedColumn] = []
    for _, inner, columns in step.transformers_:
        out += derive_columns(
            inner, [inputs[place] for place in _find_positions(columns, names, len(inputs))]
        )
    return out


def _find_positions(columns: Any, names: list[Any], n: int) -> list[int]:
    """Return the positions that a ColumnTransformer's selection names."""
    if isinstance(columns, slice):
        first, last = columns.start, columns.stop
        first = names.index(first) if isinstance(first, str) else first
        last = names.index(last) + 1 if isinstance(last, str) else last  # the last one included
        return list(range(n))[first : last : columns.step]
    listed = [columns] if isinstance(columns, str | int) else list(columns)
    if listed and isinstance(listed[0], bool | np.bool_):
        return [int(place) for place in np.flatnonzero(listed)]
    return [names.index(key) if isinstance(key, str) else int(key) % n for key in listed]


def _derive_imputed(step: Any, columns: list[DerivedColumn]) -> list[DerivedColumn]:
    if not (step.missing_values is None or step.missing_values != step.missing_values):
        raise OptionError(
            f"SimpleImputer(missing_values={step.missing_values!r}) is not known, only NaN."
        )
    filled = [
        replace(column, kind="filled") if column.kind == "same" else column for column in columns
    ]
    empty = [fill is None or fill != fill for fill in step.statistics_.tolist()]
    if step.strategy != "constant" and not step.keep_empty_features:
        filled = [column for column, gone in zip(filled, empty, strict=True) if not gone]
    if step.add_indicator:
        # 1 where the raw value is missing, 0 elsewhere: it never falls as the value rises.
        indicators = [columns[place] for place in step.indicator_.features_.tolist()]
        filled += [
            column if column.kind == "levels" else replace(column, kind="number")
            for column in indicators
        ]
    return filled


def _derive_encoded(step: Any, columns: list[DerivedColumn]) -> list[DerivedColumn]:
    kind = type(step).__name__
    if any(column.kind not in ("same", "filled") for column in columns):
        raise OptionError(f"{kind} after a step that scales or encodes is not known.")
    out: list[DerivedColumn] = []
    for place, (column, categories) in enumerate(zip(columns, step.categories_, strict=True)):
        levels = tuple(v for v in categories.tolist() if v is not None and v == v)
        n = _count_indicators(step, place) if kind == "OneHotEncoder" else 1
        out += [DerivedColumn(column.raw, "levels", levels)] * n
    return out


def _count_indicators(step: Any, place: int) -> int:
    """Return how many columns a OneHotEncoder makes of one."""
    n = len(step.categories_[place])
    dropped = step.drop_idx_ is not None and step.drop_idx_[place] is not None
    rare = getattr(step, "infrequent_categories_", None)
    few = None if rare is None else rare[place]
    return n - dropped - (0 if few is None else len(few) - 1)
