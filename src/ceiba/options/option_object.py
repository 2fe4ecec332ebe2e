"""Options that have options: objects with parameters by name, as scikit-learn reads and sets them.

An object such as `Surrogates(keep=3)` stands for one value of an estimator's parameter, and its own
parameters are reached as `missing__keep` by `get_params`, `set_params` and grid search.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self, dataclass_transform

import numpy as np

from ceiba.errors import OptionError, did_you_mean
from ceiba.options.checks import Check, check_options


def parameter(*allowed: Check, default: Any, kw_only: bool = True) -> Any:
    """Declare a parameter of an option object: what it may be (no check: anything), its default.

    Examples
    --------
    >>> from ceiba.options import OptionObject, parameter
    >>> from ceiba.options.checks import integer
    >>> class Repeats(OptionObject):
    ...     times: int = parameter(integer(1), default=3)
    >>> Repeats(), Repeats(times=5)
    (Repeats(), Repeats(times=5))
    """
    return field(default=default, kw_only=kw_only, metadata={"allowed": allowed})


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(parameter,))
class OptionObject:
    """Base of option objects; not for direct use.

    A subclass declares each of its parameters as a field; `__init__` and checks follow from them.

    Examples
    --------
    >>> import ceiba
    >>> surrogates = ceiba.Surrogates(keep=3)
    >>> surrogates
    Surrogates(keep=3)
    >>> surrogates.set_params(otherwise="stay").get_params()
    {'keep': 3, 'otherwise': 'stay', 'agreement': 'all'}
    """

    _allowed: ClassVar[Mapping[str, tuple[Check, ...]]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        dataclass(eq=False, repr=False, kw_only=True)(cls)
        checks = {one.name: one.metadata["allowed"] for one in _fields(cls)}
        cls._allowed = {name: allowed for name, allowed in checks.items() if allowed}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get the parameters by name."""
        return {one.name: getattr(self, one.name) for one in _fields(self)}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name."""
        names = [one.name for one in _fields(self)]
        for name, value in params.items():
            if name not in names:
                raise OptionError(
                    f"{type(self).__name__} has no parameter {name!r}; it has "
                    f"{', '.join(names)}.{did_you_mean(name, names)}"
                )
            setattr(self, name, value)
        return self

    def check(self) -> None:
        """Refuse wrong values; called on use, because `set_params` must be free to set them."""
        stated = {
            one.name: value
            for one in _fields(self)
            if (value := getattr(self, one.name)) is not one.default
        }
        if stated:  # defaults are right by construction
            check_options(stated, self._allowed, type(self).__name__)

    def __repr__(self) -> str:
        stated = [
            f"{one.name}={getattr(self, one.name)!r}"
            for one in _fields(self)
            if not _same(getattr(self, one.name), one.default)
        ]
        return f"{type(self).__name__}({', '.join(stated)})"

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        mine, theirs = self.get_params(), other.get_params()
        return all(_same(mine[name], theirs[name]) for name in mine)

    __hash__ = None  # type: ignore[assignment]


def _fields(made: Any) -> tuple[Any, ...]:
    return fields(made)


def _same(a: Any, b: Any) -> bool:
    """Compare parameters, some of which are arrays."""
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.shape(a) == np.shape(b) and bool(np.all(np.asarray(a) == np.asarray(b)))
    return type(a) is type(b) and bool(a == b)
