"""Options that have options: objects with parameters by name, as scikit-learn reads and sets them.

An object such as `Surrogates(keep=3)` stands for one value of an estimator's parameter, and its own
parameters are reached as `missing__keep` by `get_params`, `set_params` and grid search.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from ceiba.errors import OptionError, did_you_mean
from ceiba.options.checks import Check, check_options

__all__ = ["OptionObject"]


class OptionObject:
    """Base of option objects; not for direct use.

    A subclass lists its parameters in `__init__` and what each may be in `_allowed`.

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

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get the parameters by name."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name."""
        names = self._names()
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
        check_options(self.get_params(), self._allowed, type(self).__name__)

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        stated = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if not _same(value, defaults[name].default)
        ]
        return f"{type(self).__name__}({', '.join(stated)})"

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        mine, theirs = self.get_params(), other.get_params()
        return all(_same(mine[name], theirs[name]) for name in mine)

    __hash__ = None  # type: ignore[assignment]


def _same(a: Any, b: Any) -> bool:
    """Compare parameters, some of which are arrays."""
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.shape(a) == np.shape(b) and bool(np.all(np.asarray(a) == np.asarray(b)))
    return type(a) is type(b) and bool(a == b)
