"""Values in a model file with their positions; each value is validated when it is read.

Every failed check raises `ModelFileError` with the value, its position (``tree.splits.cut[3]``) and
what is allowed. Types are not coerced: a model file is untrusted input, and values that pass reach
numpy and C++.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NoReturn

import numpy as np
import numpy.typing as npt

from ceiba.errors import ModelFileError, did_you_mean

_MAX_TEXT: Final = 60
_NUMBERS: Final = frozenset({int, float})
_NUMBERS_OR_NULL: Final = frozenset({int, float, type(None)})


@dataclass(frozen=True)
class Field:
    """A value in a model file and its position."""

    value: Any
    place: str = ""

    def fail(self, allowed: str, got: str | None = None) -> NoReturn:
        """Raise `ModelFileError` with the position of this value and what is allowed."""
        if got is None:
            text = repr(self.value)
            got = text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}..."
        position = f"at {self.place}" if self.place else "at the top level"
        raise ModelFileError(f"Damaged model file, {position}: got {got}. {allowed}")

    # ------------------------------------------------------------------ objects and lists

    def object(self, keys: Iterable[str], optional: Iterable[str] = ()) -> Field:
        """Require an object with all of the given keys, and no others except optional keys."""
        if not isinstance(self.value, dict):
            self.fail("Must be an object {...}.")
        keys, optional = tuple(keys), tuple(optional)
        for key in keys:
            if key not in self.value:
                self.fail(f"The key {key!r} is missing.", f"keys {_format_names(self.value)}")
        all_keys = {*keys, *optional}
        for key in self.value:
            if key not in all_keys:
                hint = did_you_mean(key, all_keys)
                self.fail(
                    f"Allowed keys: {_format_names(all_keys)}.{hint}", f"the unknown key {key!r}"
                )
        return self

    def __getitem__(self, key: str) -> Field:
        return Field(self.value[key], f"{self.place}.{key}" if self.place else key)

    def get(self, key: str) -> Field | None:
        """Return the member called `key`, or None if it is absent or null."""
        return None if self.value.get(key) is None else self[key]

    def optional(self, key: str, read: Callable[[Field], Any], default: Any = None) -> Any:
        """Apply `read` to the member called `key`; return `default` if it is absent or null."""
        return default if self.value.get(key) is None else read(self[key])

    def items(self, length: int | None = None) -> Iterator[Field]:
        """Return the entries of a list as fields."""
        values = self.entries(length)
        return (Field(value, f"{self.place}[{i}]") for i, value in enumerate(values))

    def entries(self, length: int | None = None) -> list[Any]:
        """Require a list, optionally of the given length, and return it."""
        if not isinstance(self.value, list):
            self.fail("Must be a list [...].")
        if length is not None and len(self.value) != length:
            self.fail(f"Must have {length} entries.", f"{len(self.value)} entries")
        return self.value

    # ------------------------------------------------------------------ single values

    def text(self, allowed: Iterable[str] | None = None) -> str:
        """Require a string, one of `allowed` if given, and return it."""
        if not isinstance(self.value, str):
            self.fail("Must be a string.")
        if allowed is not None and self.value not in (choices := tuple(allowed)):
            self.fail(f"Allowed values: {', '.join(choices)}.{did_you_mean(self.value, choices)}")
        return self.value

    def boolean(self) -> bool:
        """Require a boolean, and return it."""
        if not isinstance(self.value, bool):
            self.fail("Must be true or false.")
        return self.value

    def integer(self, low: int, high: int) -> int:
        """Require an integer from `low` to `high`, and return it."""
        if type(self.value) is not int or not low <= self.value <= high:
            self.fail(f"Must be an integer from {low} to {high}.")
        return int(self.value)

    def number(self) -> float:
        """Require a finite number, and return it."""
        if type(self.value) not in _NUMBERS:
            self.fail("Must be a number.")
        return float(self._convert([self.value], False)[0])

    # ------------------------------------------------------------------ arrays

    def integers(
        self, length: int, low: int, high: int, dtype: npt.DTypeLike
    ) -> npt.NDArray[np.int64]:
        """Require a list of `length` integers from `low` to `high`; return it as an array."""
        values = self.entries(length)
        if set(map(type, values)) - {int}:
            bad = next(i for i, value in enumerate(values) if type(value) is not int)
            Field(values[bad], f"{self.place}[{bad}]").fail("Must be an integer.")
        try:
            array = np.array(values, dtype=np.int64)
        except OverflowError:
            array = np.array([low - 1 if abs(value) > 2**62 else 0 for value in values], np.int64)
        wrong = (array < low) | (array > high)
        if wrong.any():
            bad = int(np.argmax(wrong))
            Field(values[bad], f"{self.place}[{bad}]").fail(f"Must be from {low} to {high}.")
        return array.astype(dtype)

    def numbers(self, length: int, *, null: bool = False) -> npt.NDArray[np.float64]:
        """Return a list of finite numbers as an array; with `null`, entries may be null (NaN)."""
        values = self.entries(length)
        odd = set(map(type, values)) - (_NUMBERS_OR_NULL if null else _NUMBERS)
        if odd:
            bad = next(i for i, value in enumerate(values) if type(value) in odd)
            rule = "Must be a number or null." if null else "Must be a number."
            Field(values[bad], f"{self.place}[{bad}]").fail(rule)
        return self._convert(values, null)

    def _convert(self, values: list[Any], null: bool) -> npt.NDArray[np.float64]:
        try:
            array = np.array(values, dtype=np.float64)
        except OverflowError:
            self.fail("Numbers must be finite.", "a number beyond 1.8e308")
        wrong = np.isinf(array) if null else ~np.isfinite(array)
        if wrong.any():
            self.fail("Numbers must be finite.", f"{array[wrong][0]} in entry {np.argmax(wrong)}")
        return array


def _format_names(names: Iterable[Any]) -> str:
    texts = sorted(map(repr, names))
    return ", ".join(texts[:20]) + (", ..." if len(texts) > 20 else "") or "none"
