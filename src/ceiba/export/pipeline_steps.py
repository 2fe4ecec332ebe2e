"""Find the raw column from which each output column of a Pipeline is derived.

Supported steps derive each column from one raw column, by a monotone function if it has numbers.
The function is not repeated here; `pipeline.py` calls `transform`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np

from ceiba.errors import OptionError

# These steps keep the order of the numbers in each column.
_SCALERS: Final = ("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler")
_ENCODERS: Final = ("OrdinalEncoder", "OneHotEncoder")
KNOWN: Final = ("SimpleImputer", *_SCALERS, *_ENCODERS, "ColumnTransformer", "Pipeline")

# Kind of a derived column: unchanged, imputed, a function of numbers, or a function of levels.
DerivedKind = Literal["same", "filled", "number", "levels"]


@dataclass(frozen=True)
class DerivedColumn:
    """A column derived from a raw column, with the levels of the raw column if it is encoded."""

    raw: int
    kind: DerivedKind = "same"
    levels: tuple[Any, ...] = ()


def derive_columns(step: Any, columns: list[DerivedColumn]) -> list[DerivedColumn]:
    """Return the columns that a fitted step derives from its input columns, in output order."""
    kind = type(step).__name__
    identity = kind == "FunctionTransformer" and step.func is None  # a fitted "passthrough"
    if step is None or step == "passthrough" or identity:
        return columns
    if step == "drop":
        return []
    if kind == "Pipeline":
        for _, inner in step.steps:
            columns = derive_columns(inner, columns)
        return columns
    if kind == "ColumnTransformer":
        names = list(getattr(step, "feature_names_in_", ()))
        out: list[DerivedColumn] = []
        for _, inner, selected in step.transformers_:
            positions = _find_positions(selected, names, len(columns))
            out += derive_columns(inner, [columns[position] for position in positions])
        return out
    if kind == "SimpleImputer":
        return _derive_imputed(step, columns)
    if kind in _SCALERS:
        return [
            column if column.kind == "levels" else replace(column, kind="number")
            for column in columns
        ]
    if kind in _ENCODERS:
        return _derive_encoded(step, columns)
    raise OptionError(f"Step {kind} is not supported. Supported steps: {', '.join(KNOWN)}.")


def _find_positions(columns: Any, names: list[Any], n: int) -> list[int]:
    """Return the positions of the columns that a ColumnTransformer selects."""
    if isinstance(columns, slice):
        first, last = columns.start, columns.stop
        first = names.index(first) if isinstance(first, str) else first
        last = names.index(last) + 1 if isinstance(last, str) else last  # names are inclusive
        return list(range(n))[first : last : columns.step]
    keys = [columns] if isinstance(columns, str | int) else list(columns)
    if keys and isinstance(keys[0], bool | np.bool_):
        return np.flatnonzero(keys).tolist()
    return [names.index(key) if isinstance(key, str) else int(key) % n for key in keys]


def _derive_imputed(step: Any, columns: list[DerivedColumn]) -> list[DerivedColumn]:
    if not (step.missing_values is None or step.missing_values != step.missing_values):
        raise OptionError(
            f"missing_values of SimpleImputer must be NaN or None, got {step.missing_values!r}."
        )
    outputs = [
        replace(column, kind="filled") if column.kind == "same" else column for column in columns
    ]
    empty = [fill is None or fill != fill for fill in step.statistics_.tolist()]
    if step.strategy != "constant" and not step.keep_empty_features:
        outputs = [column for column, is_empty in zip(outputs, empty, strict=True) if not is_empty]
    if step.add_indicator:
        # The indicator is 0 for all numbers, so a split on it tests only for missing values.
        indicators = [columns[j] for j in step.indicator_.features_.tolist()]
        outputs += [
            column if column.kind == "levels" else replace(column, kind="number")
            for column in indicators
        ]
    return outputs


def _derive_encoded(step: Any, columns: list[DerivedColumn]) -> list[DerivedColumn]:
    kind = type(step).__name__
    if any(column.kind not in ("same", "filled") for column in columns):
        raise OptionError(f"{kind} is not supported after a step that scales or encodes.")
    out: list[DerivedColumn] = []
    for j, (column, categories) in enumerate(zip(columns, step.categories_, strict=True)):
        levels = tuple(v for v in categories.tolist() if v is not None and v == v)
        n = _count_indicators(step, j) if kind == "OneHotEncoder" else 1
        out += [DerivedColumn(column.raw, "levels", levels)] * n
    return out


def _count_indicators(step: Any, j: int) -> int:
    """Return the number of columns that a OneHotEncoder derives from column j."""
    n = len(step.categories_[j])
    drops_one = step.drop_idx_ is not None and step.drop_idx_[j] is not None
    infrequent = getattr(step, "infrequent_categories_", None)
    merged = None if infrequent is None else infrequent[j]
    return n - drops_one - (0 if merged is None else len(merged) - 1)
