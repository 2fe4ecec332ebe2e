"""Allowed values of options, as data: a table of checks for each option, one error for all.

A check is a test and the words that say what it allows, so the error lists what would have been
right. The sentence is scikit-learn's ("The 'max_depth' parameter of X must be ... Got ...
instead."), because its own checks and many users look for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from ceiba.errors import OptionError, did_you_mean


class ParameterError(OptionError, TypeError):
    """An option has a wrong type or value; also a TypeError, as scikit-learn's own error is.

    Examples
    --------
    >>> from ceiba.grow.options import GrowOptions
    >>> from ceiba.options import ParameterError
    >>> try:
    ...     GrowOptions(task="classification", n_jobs=0)
    ... except ParameterError as error:
    ...     print(error)
    The 'n_jobs' parameter of GrowOptions must be an int that is not 0 or None. Got 0 instead.
    """


@dataclass(frozen=True)
class Check:
    """A test of one value, and the words for what it allows."""

    allows: str
    test: Callable[[Any], bool]
    names: tuple[str, ...] = ()


def integer(low: int) -> Check:
    """Whole numbers from `low` up; True and False are not numbers."""
    return Check(
        f"an int in the range [{low}, inf)",
        lambda value: isinstance(value, Integral) and not _is_bool(value) and int(value) >= low,
    )


def fraction(low: float, high: float, brackets: str = "[]", *, kind: str = "a float") -> Check:
    """Floats (not ints) between two bounds; `brackets` says which bound is allowed itself."""
    inside = _inside(low, high, brackets)
    return Check(
        f"{kind} in the range {brackets[0]}{low}, {high}{brackets[1]}",
        lambda value: isinstance(value, Real) and not isinstance(value, Integral) and inside(value),
    )


def number(low: float, high: float = np.inf, brackets: str = "[)") -> Check:
    """Ints and floats between two bounds."""
    inside = _inside(low, high, brackets)
    return Check(
        f"a float in the range {brackets[0]}{low}, {high}{brackets[1]}",
        lambda value: isinstance(value, Real) and not _is_bool(value) and inside(value),
    )


def one_of(*names: str) -> Check:
    """One of several names."""
    listed = ", ".join(map(repr, names))
    return Check(
        f"a str among {{{listed}}}" if len(names) > 1 else f"the str {listed}",
        lambda value: isinstance(value, str) and value in names,
        names,
    )


def instance(words: str, *types: type) -> Check:
    """Accept instances of the types."""
    return Check(words, lambda value: isinstance(value, types))


def array_like(words: str = "an array-like") -> Check:
    """Anything with a length that is not text."""
    return Check(
        words,
        lambda value: (
            not isinstance(value, str | bytes | dict)
            and (hasattr(value, "__len__") or hasattr(value, "__array__"))
        ),
    )


nothing = Check("None", lambda value: value is None)
boolean = Check("a bool", lambda value: _is_bool(value))


def check_options(
    options: Mapping[str, Any], allowed: Mapping[str, tuple[Check, ...]], owner: str
) -> None:
    """Refuse the first option that passes none of its checks.

    Parameters
    ----------
    options : mapping
        Values by name; names without checks are free.
    allowed : mapping
        Checks by name; one that passes is enough.
    owner : str
        Whose options these are, for the message.
    """
    for name, value in options.items():
        checks = allowed.get(name)
        if checks is None or any(check.test(value) for check in checks):
            continue
        words = [check.allows for check in checks]
        listed = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
        names = [known for check in checks for known in check.names]
        hint = did_you_mean(value, names) if isinstance(value, str) else ""
        raise ParameterError(
            f"The {name!r} parameter of {owner} must be {listed}. Got {value!r} instead.{hint}"
        )


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


def _inside(low: float, high: float, brackets: str) -> Callable[[Any], bool]:
    def inside(value: Any) -> bool:
        above = value >= low if brackets[0] == "[" else value > low
        below = value <= high if brackets[1] == "]" else value < high
        return bool(above and below)

    return inside
