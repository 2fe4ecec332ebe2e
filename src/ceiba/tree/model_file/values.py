"""Convert parameters and fitted attributes to JSON and back, without running stored code.

Numbers, strings, true, false, null and lists are themselves. Other values are objects with one key
that starts with ``$``: ``{"$tuple": [...]}``, ``{"$items": [[key, value], ...]}`` (a dict
whose keys are not all strings), ``{"$float": "inf"}``, ``{"$array": [dtype, shape, [values]]}`` and
``{"$object": [name, {field: value}]}`` for classes that the caller allows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import ModelFileError
from ceiba.tree.model_file.field import Field

_NON_FINITE: Final = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_DTYPES: Final = {
    f"{kind}{bits}": np.dtype(f"{kind}{bits}")
    for kind, sizes in (
        ("int", (8, 16, 32, 64)),
        ("uint", (8, 16, 32, 64)),
        ("float", (16, 32, 64)),
    )
    for bits in sizes
} | {"bool": np.dtype(bool), "text": np.dtype(str), "object": np.dtype(object)}


_INT_LIMIT: Final = 2**64  # larger integers could be chosen to cause hash collisions
_MAX_DEPTH: Final = 50  # maximum depth of nested brackets
# A string array is rejected if it takes over 64 MiB and over 10 times the size of its strings.
_TEXTS_FREE, _TEXTS_TIMES = 2**26, 10


class UnwritableError(ModelFileError):
    """Error for a value that cannot be saved in a model file."""


def to_json(value: Any, objects: Mapping[str, type] | None = None) -> Any:
    """Return a value as JSON data; raise an error for classes that are not in `objects`."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        if abs(value) >= _INT_LIMIT:
            raise UnwritableError(f"Integers must be in (-2**64, 2**64), got {Decimal(value):.3g}.")
        return int(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": str(value)}
    if isinstance(value, list):
        return [to_json(item, objects) for item in value]
    if isinstance(value, tuple):
        return {"$tuple": [to_json(item, objects) for item in value]}
    if isinstance(value, Mapping):
        if all(isinstance(key, str) and not key.startswith("$") for key in value):
            return {key: to_json(item, objects) for key, item in value.items()}
        pairs = value.items()
        return {"$items": [[to_json(k, objects), to_json(v, objects)] for k, v in pairs]}
    if isinstance(value, np.ndarray):
        kind = "text" if value.dtype.kind in "UT" else value.dtype.name
        if kind not in _DTYPES:
            raise UnwritableError(f"Arrays of dtype {value.dtype} cannot be saved in a model file.")
        entries = [to_json(item, objects) for item in value.reshape(-1).tolist()]
        return {"$array": [kind, list(value.shape), entries]}
    name = type(value).__name__
    if objects and objects.get(name) is type(value):
        if hasattr(value, "get_params"):
            state = value.get_params(deep=False)
        elif is_dataclass(value):
            state = {f.name: getattr(value, f.name) for f in fields(value) if f.init}
        else:
            state = value.__getstate__()
        return {"$object": [name, to_json(state, objects)]}
    raise UnwritableError(f"Values of type {name} cannot be saved in a model file, got {value!r}.")


def from_json(field: Field, objects: Mapping[str, type] | None = None) -> Any:
    """Return the value that `to_json` wrote; reject classes that are not in `objects`."""
    value = field.value
    if isinstance(value, list):
        return [from_json(item, objects) for item in field.items()]
    if not isinstance(value, dict):
        check_integer_size(field)
        return value
    if not any(key.startswith("$") for key in value):
        return {key: from_json(field[key], objects) for key in value}
    if len(value) != 1:
        field.fail("An object with a $ key must have one key.")
    tag = next(iter(value))
    inner = field[tag]
    if tag == "$tuple":
        return tuple(from_json(item, objects) for item in inner.items())
    if tag == "$float":
        return _NON_FINITE[inner.text(_NON_FINITE)]
    if tag == "$items":
        pairs = [list(pair.items(2)) for pair in inner.items()]
        try:
            return {from_json(k, objects): from_json(v, objects) for k, v in pairs}
        except TypeError:
            inner.fail("Keys must be numbers, strings or tuples of them.", "an unhashable key")
    if tag == "$array":
        return _array_from_json(inner, objects)
    if tag == "$object":
        return _object_from_json(inner, objects or {})
    field.fail("Allowed tags: $tuple, $float, $items, $array, $object.", f"the unknown tag {tag!r}")


def _array_from_json(field: Field, objects: Mapping[str, type] | None) -> Any:
    kind, shape, entries = field.items(3)
    dtype = _DTYPES[kind.text(_DTYPES)]
    sizes = [size.integer(0, 2**40) for size in shape.items()]
    if len(sizes) > 8:
        shape.fail("Must have at most 8 dimensions.")
    values = [from_json(entry, objects) for entry in entries.items(math.prod(sizes))]
    allowed: tuple[type, ...] = {
        "U": (str,), "b": (bool,), "f": (int, float), "i": (int,), "u": (int,)
    }.get(dtype.kind, ())  # fmt: skip
    for at, value in enumerate(values):
        if allowed and type(value) not in allowed:
            Field(value, f"{entries.place}[{at}]").fail(f"Must be of type {kind.value}.")
    array: npt.NDArray[Any]
    if dtype.kind == "O":
        array = np.empty(len(values), dtype=object)
        for at, value in enumerate(values):
            array[at] = value
    elif dtype.kind == "U":
        array = text_array(entries, values)
    else:
        try:
            array = np.array(values, dtype=dtype)
        except OverflowError:
            entries.fail(f"Numbers must fit {kind.value}.", "a larger number")
    try:
        return array.reshape(sizes)
    except ValueError:  # numpy limits the shape even of arrays without entries
        shape.fail("Must be a valid array shape.")


def text_array(field: Field, texts: list[str]) -> npt.NDArray[np.str_]:
    """Return a string array; raise an error if padding to equal length takes too much memory."""
    room = 4 * len(texts) * max(map(len, texts), default=0)
    if room > _TEXTS_FREE and room > _TEXTS_TIMES * 4 * sum(map(len, texts)):
        field.fail("Strings must be of similar length.", f"strings that take {room} bytes")
    return np.array(texts, dtype=str)


def check_integer_size(field: Field) -> None:
    """Reject integers whose absolute value is 2**64 or more."""
    if type(field.value) is int and abs(field.value) >= _INT_LIMIT:
        field.fail("Integers must be in (-2**64, 2**64).", f"{Decimal(field.value):.6g}")


def check_depth(field: Field) -> None:
    """Raise an error for deeply nested values."""
    # Visit the values level by level, because recursion could exhaust the stack.
    layer = [field.value]
    for _ in range(_MAX_DEPTH):
        layer = [
            inner
            for outer in layer
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not layer:
            return
    field.fail(f"Brackets may be nested at most {_MAX_DEPTH} deep.", "more")


def _object_from_json(field: Field, objects: Mapping[str, type]) -> Any:
    name, parts = field.items(2)
    cls = objects[name.text(objects)]
    state = from_json(parts, objects)
    if not isinstance(state, dict):
        parts.fail("Must be an object {...}.")
    try:
        if is_dataclass(cls) or hasattr(cls, "get_params"):
            return cls(**state)
        instance: Any = object.__new__(cls)
        instance.__setstate__(state)
        return instance
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        parts.fail(f"Must be the fields of {name.value}: {error}.")
