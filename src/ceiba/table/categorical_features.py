"""Which columns the user wants categorical: "from_dtype", names, positions or a mask.

The spelling is scikit-learn's. Columns that are named become categorical whatever their type; all
others go by their type.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ceiba.errors import OptionError, did_you_mean
from ceiba.table.schema import listing

_ALLOWED = (
    "Allowed are 'from_dtype', column names, column positions, or a mask with one bool for each "
    "column."
)


def chosen_columns(categorical_features: Any, names: tuple[str, ...]) -> frozenset[int]:
    """Return the positions of the columns named by ``categorical_features``."""
    if categorical_features is None:
        return frozenset()
    if isinstance(categorical_features, str):
        if categorical_features == "from_dtype":
            return frozenset()
        hint = did_you_mean(categorical_features, ["from_dtype"])
        if categorical_features in names:
            hint = f" Did you mean [{categorical_features!r}]?"
        raise OptionError(f"categorical_features={categorical_features!r}. {_ALLOWED}{hint}")
    if not isinstance(categorical_features, Iterable):
        raise OptionError(f"categorical_features={categorical_features!r}. {_ALLOWED}")
    chosen = [x.item() if isinstance(x, np.generic) else x for x in categorical_features]
    if not chosen:
        return frozenset()
    if all(isinstance(x, bool) for x in chosen):
        return _from_mask(chosen, len(names))
    if all(isinstance(x, str) for x in chosen):
        return frozenset(_position(name, names) for name in chosen)
    if all(isinstance(x, int) and not isinstance(x, bool) for x in chosen):
        return frozenset(_from_position(j, len(names)) for j in chosen)
    types = ", ".join(sorted({type(x).__name__ for x in chosen}))
    raise OptionError(f"categorical_features holds values of type {types}. {_ALLOWED}")


def _from_mask(mask: list[bool], n_columns: int) -> frozenset[int]:
    if len(mask) != n_columns:
        raise OptionError(
            f"categorical_features is a mask of {len(mask)} for a table of {n_columns} columns. "
            "Give one bool for each column."
        )
    return frozenset(j for j, is_chosen in enumerate(mask) if is_chosen)


def _position(name: str, names: tuple[str, ...]) -> int:
    if name not in names:
        raise OptionError(
            f"categorical_features names {name!r}, but the table has "
            f"{listing(names)}.{did_you_mean(name, names)}"
        )
    return names.index(name)


def _from_position(j: int, n_columns: int) -> int:
    if not 0 <= j < n_columns:
        raise OptionError(
            f"categorical_features holds position {j}, but the table has columns 0 to "
            f"{n_columns - 1}."
        )
    return j
