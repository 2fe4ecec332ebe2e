"""Objects compared field by field, whatever their `__eq__` looks at."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def differences(one: Any, other: Any, place: str = "") -> list[str]:
    """List the fields in which two objects differ, down to types of arrays and numbers."""
    if isinstance(one, np.ndarray):
        same = one.dtype == other.dtype and one.shape == other.shape
        if same and one.dtype == object:
            return differences(one.tolist(), other.tolist(), place)
        equal = same and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
        return [] if equal else [f"{place}: {one!r}, {other!r}"]
    if type(one) is not type(other):
        return [f"{place}: {type(one)}, {type(other)}"]
    if is_dataclass(one):
        names = [field.name for field in fields(one)]
        parts = [(name, getattr(one, name), getattr(other, name)) for name in names]
    elif isinstance(one, dict):
        if set(one) != set(other):
            return [f"{place}: {set(one) ^ set(other)}"]
        parts = [(name, value, other[name]) for name, value in one.items()]
    elif isinstance(one, list | tuple):
        if len(one) != len(other):
            return [f"{place}: lengths {len(one)}, {len(other)}"]
        parts = [(k, *pair) for k, pair in enumerate(zip(one, other, strict=True))]
    elif type(one).__module__.startswith("ceiba") and not isinstance(one, str | int):
        return differences(_state(one), _state(other), place)
    else:
        return [] if one == other or one != one else [f"{place}: {one!r}, {other!r}"]
    return [line for name, a, b in parts for line in differences(a, b, f"{place}.{name}")]


def _state(value: Any) -> Any:
    state = value.__getstate__()
    return {name: part for name, part in state.items() if name != "metadata_"}
