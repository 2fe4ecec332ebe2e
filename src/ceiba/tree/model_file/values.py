"""Values of parameters and fitted attributes as JSON, and back: no pickle, no code.

Numbers, strings, true, false, null and lists are themselves. What JSON cannot say is an object with
one key that starts with ``$``: ``{"$tuple": [...]}``, ``{"$items": [[key, value], ...]}`` (a dict
whose keys are not all strings), ``{"$float": "inf"}``, ``{"$array": [dtype, shape, [values]]}`` and
``{"$object": [name, {field: value}]}`` for the classes that the caller allows by name.
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

_ODD_FLOATS: Final = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_DTYPES: Final = {
    f"{kind}{bits}": np.dtype(f"{kind}{bits}")
    for kind, sizes in (
        ("int", (8, 16, 32, 64)),
        ("uint", (8, 16, 32, 64)),
        ("float", (16, 32, 64)),
    )
    for bits in sizes
} | {"bool": np.dtype(bool), "text": np.dtype(str), "object": np.dtype(object)}


_ENDLESS: Final = 2**64  # whole numbers beyond it: their hashes can all be made equal
_DEEP: Final = 50  # brackets within brackets
_TEXTS_FREE, _TEXTS_TIMES = 2**26, 10  # bytes of an array of texts, as in document.py


class UnwritableError(ModelFileError):
    """A value that has no place in a model file."""


def to_json(value: Any, objects: Mapping[str, type] | None = None) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        if abs(value) >= _ENDLESS:
            raise UnwritableError(f"Beyond 2**64: about {Decimal(value):.3g}.")
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
            raise UnwritableError(f"An array of {value.dtype} cannot be written into a model file.")
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
    raise UnwritableError(f"A {name} cannot be written into a model file: {value!r}.")


def from_json(field: Field, objects: Mapping[str, type] | None = None) -> Any:
    """Return the value that `to_json` wrote; other classes than those allowed are refused."""
    value = field.value
    if isinstance(value, list):
        return [from_json(item, objects) for item in field.items()]
    if not isinstance(value, dict):
        refuse_endless(field)
        return value
    if not any(key.startswith("$") for key in value):
        return {key: from_json(field[key], objects) for key in value}
    if len(value) != 1:
        field.fail("An object with a $ key has one key.")
    tag = next(iter(value))
    inner = field[tag]
    if tag == "$tuple":
        return tuple(from_json(item, objects) for item in inner.items())
    if tag == "$float":
        return _ODD_FLOATS[inner.text(_ODD_FLOATS)]
    if tag == "$items":
        pairs = [list(pair.items(2)) for pair in inner.items()]
        try:
            return {from_json(k, objects): from_json(v, objects) for k, v in pairs}
        except TypeError:
            inner.fail("Keys are numbers, strings or tuples of them.", "a key that cannot be one")
    if tag == "$array":
        return _array_from_json(inner, objects)
    if tag == "$object":
        return _object_from_json(inner, objects or {})
    field.fail("Known: $tuple, $float, $items, $array, $object.", f"the unknown tag {tag!r}")


def _array_from_json(field: Field, objects: Mapping[str, type] | None) -> Any:
    kind, shape, entries = field.items(3)
    dtype = _DTYPES[kind.text(_DTYPES)]
    sizes = [size.integer(0, 2**40) for size in shape.items()]
    if len(sizes) > 8:
        shape.fail("At most 8 dimensions.")
    values = [from_json(entry, objects) for entry in entries.items(math.prod(sizes))]
    allowed: tuple[type, ...] = {
        "U": (str,), "b": (bool,), "f": (int, float), "i": (int,), "u": (int,)
    }.get(dtype.kind, ())  # fmt: skip
    for at, value in enumerate(values):
        if allowed and type(value) not in allowed:
            Field(value, f"{entries.place}[{at}]").fail(f"An entry of type {kind.value} is needed.")
    array: npt.NDArray[Any]
    if dtype.kind == "O":
        array = np.empty(len(values), dtype=object)
        for at, value in enumerate(values):
            array[at] = value
    elif dtype.kind == "U":
        array = array_of_texts(entries, values)
    else:
        try:
            array = np.array(values, dtype=dtype)
        except OverflowError:
            entries.fail(f"Numbers must fit {kind.value}.", "a number that does not")
    try:
        return array.reshape(sizes)
    except ValueError:  # numpy has a limit even for arrays without entries
        shape.fail("Such an array cannot be made.")


def array_of_texts(field: Field, texts: list[str]) -> npt.NDArray[np.str_]:
    """Make an array of texts; each takes the room of the longest, which must not be much more."""
    room = 4 * len(texts) * max(map(len, texts), default=0)
    if room > _TEXTS_FREE and room > _TEXTS_TIMES * 4 * sum(map(len, texts)):
        field.fail("Texts of one array have about one length.", f"texts that take {room} bytes")
    return np.array(texts, dtype=str)


def refuse_endless(field: Field) -> None:
    """Refuse whole numbers of 2**64 and more."""
    if type(field.value) is int and abs(field.value) >= _ENDLESS:
        field.fail("Whole numbers lie within 2**64.", f"{Decimal(field.value):.6g}")


def refuse_deep(field: Field) -> None:
    """Refuse brackets within brackets that no writer makes; in a loop, so that no depth hurts."""
    layer = [field.value]
    for _ in range(_DEEP):
        layer = [
            inner
            for outer in layer
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not layer:
            return
    field.fail(f"At most {_DEEP} brackets within brackets.", "deeper ones")


def _object_from_json(field: Field, objects: Mapping[str, type]) -> Any:
    name, parts = field.items(2)
    cls = objects[name.text(objects)]
    state = from_json(parts, objects)
    if not isinstance(state, dict):
        parts.fail("An object {...} is needed.")
    try:
        if is_dataclass(cls) or hasattr(cls, "get_params"):
            return cls(**state)
        instance: Any = object.__new__(cls)
        instance.__setstate__(state)
        return instance
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        parts.fail(f"These are not the fields of {name.value}: {error}", "others")
