"""One option, declared in one row: name, default, allowed values, documentation, growers.

Checks, error messages, the estimators' signatures and docstrings, the flags of the command line and
the core's value all follow from the row.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from textwrap import fill, indent
from typing import Any, TypeVar

from ceiba.errors import did_you_mean
from ceiba.options.checks import Check

T = TypeVar("T", bound=type)


@dataclass(frozen=True)
class Option:
    """A parameter that users set.

    Attributes
    ----------
    name : str
    default : object
    allowed : tuple of Check
        What the value may be; passing one check is enough.
    kind : str
        The type, as numpydoc writes it after the colon.
    help : str
        What the option does; the command line shows the first sentence.
    flag : type, optional
        How the command line reads it: int, float or str; None: no flag of its own.
    growers : frozenset of str, optional
        The growers that know the option; None: all of them do, or it is not about growing.
    core : str, optional
        Name of the field of the core's options that takes the value.
    to_core : callable, optional
        Turns the value into the core's.

    Examples
    --------
    >>> from ceiba.options import Option
    >>> from ceiba.options.checks import integer, nothing
    >>> row = Option("max_depth", None, (integer(1), nothing), "int", "Most splits on a path.")
    >>> print(row.entry())
    max_depth : int, default=None
        Most splits on a path.
    """

    name: str
    default: Any
    allowed: tuple[Check, ...]
    kind: str
    help: str
    flag: Any = None
    growers: frozenset[str] | None = None
    core: str | None = None
    to_core: Callable[[Any], Any] | None = None

    def entry(self) -> str:
        """Return the option's entry in a numpydoc list of parameters."""
        shown = f'"{self.default}"' if isinstance(self.default, str) else repr(self.default)
        text = fill(" ".join(self.help.split()), 88)
        return f"{self.name} : {self.kind}, default={shown}\n{indent(text, '    ')}"


def takes_options(options: Iterable[Option]) -> Callable[[T], T]:
    """Give a class its `__init__`, signature and docstring from the rows of its options.

    The docstring's line ``{parameters}`` is replaced by the entries of the rows.
    """
    rows = {option.name: option for option in options}
    defaults = {name: row.default for name, row in rows.items()}

    def decorate(cls: T) -> T:
        def set_up(self: Any, **parameters: Any) -> None:
            if not parameters.keys() <= defaults.keys():
                name = min(parameters.keys() - defaults.keys())
                raise TypeError(
                    f"{cls.__name__}() got an unexpected keyword argument {name!r}."
                    f"{did_you_mean(name, defaults)}"
                )
            self.__dict__.update(defaults)
            self.__dict__.update(parameters)

        set_up.__signature__ = _signature(defaults)  # type: ignore[attr-defined]
        set_up.__name__ = "__init__"
        set_up.__qualname__ = f"{cls.__qualname__}.__init__"
        cls.__init__ = set_up  # type: ignore[misc]
        if cls.__doc__:
            entries = indent("\n".join(row.entry() for row in rows.values()), "    ").lstrip()
            cls.__doc__ = cls.__doc__.replace("{parameters}", entries)
        return cls

    return decorate


def _signature(defaults: Mapping[str, Any]) -> inspect.Signature:
    myself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    keywords = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
        for name, default in defaults.items()
    ]
    return inspect.Signature([myself, *keywords])


def is_same(value: Any, default: Any) -> bool:
    """Whether a plain value is its default: a model file or a user writes an equal object."""
    return type(value) is type(default) and type(value) in _PLAIN and value == default


_PLAIN = (str, int, float, bool)
