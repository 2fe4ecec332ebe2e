"""Options with their allowed values, and the base class of option objects.

A check is a test with a description of the allowed values, which the error message lists. Messages
are worded as in scikit-learn ("The 'max_depth' parameter of X must be ... Got ... instead."),
because its estimator checks and many users match them. An option object such as
`Surrogates(keep=3)` is the value of one parameter; `get_params`, `set_params` and grid search
access its parameters as `missing__keep`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from textwrap import fill, indent
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

import numpy as np

from ceiba.errors import OptionError, did_you_mean

T = TypeVar("T", bound=type)


class ParameterError(OptionError, TypeError):
    """Raised for an option with an invalid type or value; also a TypeError, as in scikit-learn."""


@dataclass(frozen=True)
class Check:
    """A check of an option value, with a description of the allowed values."""

    allows: str
    test: Callable[[Any], bool]
    names: tuple[str, ...] = ()


def integer(low: int) -> Check:
    """Return a check that accepts integers of at least `low`, but no booleans."""
    return Check(
        f"an int in the range [{low}, inf)",
        lambda value: isinstance(value, Integral) and not _is_bool(value) and int(value) >= low,
    )


def fraction(low: float, high: float, brackets: str = "[]", *, kind: str = "a float") -> Check:
    """Return a check of floats (not ints) in an interval; `brackets` marks included endpoints."""
    inside = _interval_test(low, high, brackets)
    return Check(
        f"{kind} in the range {brackets[0]}{low}, {high}{brackets[1]}",
        lambda value: isinstance(value, Real) and not isinstance(value, Integral) and inside(value),
    )


def number(low: float, high: float = np.inf, brackets: str = "[)") -> Check:
    """Return a check that accepts ints and floats in an interval, but no booleans."""
    inside = _interval_test(low, high, brackets)
    return Check(
        f"a float in the range {brackets[0]}{low}, {high}{brackets[1]}",
        lambda value: isinstance(value, Real) and not _is_bool(value) and inside(value),
    )


def one_of(*names: str) -> Check:
    """Return a check that accepts the given strings."""
    names_text = ", ".join(map(repr, names))
    return Check(
        f"a str among {{{names_text}}}" if len(names) > 1 else f"the str {names_text}",
        lambda value: isinstance(value, str) and value in names,
        names,
    )


def instance(words: str, *types: type) -> Check:
    """Return a check that accepts instances of the given types; `words` describes them."""
    return Check(words, lambda value: isinstance(value, types))


def array_like(words: str = "an array-like") -> Check:
    """Return a check of objects with `__len__` or `__array__`, except str, bytes and dict."""
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
    """Raise an error if an option passes none of its checks; the message names the `owner`."""
    for name, value in options.items():
        checks = allowed.get(name)
        if checks is None or any(check.test(value) for check in checks):
            continue
        words = [check.allows for check in checks]
        description = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
        names = [choice for check in checks for choice in check.names]
        hint = did_you_mean(value, names) if isinstance(value, str) else ""
        raise ParameterError(
            f"The {name!r} parameter of {owner} must be {description}. Got {value!r} instead.{hint}"
        )


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


def _interval_test(low: float, high: float, brackets: str) -> Callable[[Any], bool]:
    def inside(value: Any) -> bool:
        above = value >= low if brackets[0] == "[" else value > low
        below = value <= high if brackets[1] == "]" else value < high
        return bool(above and below)

    return inside


@dataclass(frozen=True)
class Option:
    """A parameter with its default, checks, documentation and command-line flag."""

    name: str
    default: Any
    allowed: tuple[Check, ...]  # a valid value passes at least one of these checks
    kind: str  # text for the type in the numpydoc parameter list
    help: str  # description; the command line prints its first sentence
    # Type of the command-line flag: tuple parses numbers ("0.1,0.9"), list parses groups ("a,b;c").
    flag: Any = None
    growers: frozenset[str] | None = None  # tree algorithms that support the option; None for all
    core: str | None = None  # name of the field in the options of the C++ core
    to_core: Callable[[Any], Any] | None = None

    def entry(self) -> str:
        """Return the entry of this option for a numpydoc parameter list."""
        default = f'"{self.default}"' if isinstance(self.default, str) else repr(self.default)
        text = fill(" ".join(self.help.split()), 88)
        return f"{self.name} : {self.kind}, default={default}\n{indent(text, '    ')}"


def init_from_options(options: Iterable[Option]) -> Callable[[T], T]:
    """Return a class decorator that adds `__init__` and fills ``{parameters}`` in the docstring."""
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

        kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        set_up.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [inspect.Parameter("self", kinds[0])]
            + [
                inspect.Parameter(name, kinds[1], default=default)
                for name, default in defaults.items()
            ]
        )
        set_up.__name__ = "__init__"
        set_up.__qualname__ = f"{cls.__qualname__}.__init__"
        cls.__init__ = set_up  # type: ignore[misc]
        if cls.__doc__:
            entries = indent("\n".join(row.entry() for row in rows.values()), "    ").lstrip()
            cls.__doc__ = cls.__doc__.replace("{parameters}", entries)
        return cls

    return decorate


def is_default(value: Any, default: Any) -> bool:
    """Whether a value is a str, int, float or bool that equals the default and has its type."""
    plain = type(value) in (str, int, float, bool)
    return plain and type(value) is type(default) and value == default


def parameter(*allowed: Check, default: Any, kw_only: bool = True) -> Any:
    """Declare a parameter of an option object by its default and its checks, if any."""
    return field(default=default, kw_only=kw_only, metadata={"allowed": allowed})


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(parameter,))
class OptionObject:
    """Base class of option objects; their fields define the parameters and their checks."""

    __dataclass_fields__: ClassVar[dict[str, Any]]  # defined in subclasses
    _allowed: ClassVar[Mapping[str, tuple[Check, ...]]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        dataclass(eq=False, repr=False, kw_only=True)(cls)
        checks = {parameter.name: parameter.metadata["allowed"] for parameter in fields(cls)}
        cls._allowed = {name: allowed for name, allowed in checks.items() if allowed}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name."""
        return {parameter.name: getattr(self, parameter.name) for parameter in fields(self)}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name and return the object."""
        names = [parameter.name for parameter in fields(self)]
        for name, value in params.items():
            if name not in names:
                raise OptionError(
                    f"{type(self).__name__} has no parameter {name!r}. Parameters: "
                    f"{', '.join(names)}.{did_you_mean(name, names)}"
                )
            setattr(self, name, value)
        return self

    def check(self) -> None:
        """Raise an error for invalid values; `__init__` and `set_params` do not check them."""
        params = {
            parameter.name: value
            for parameter in fields(self)
            if (value := getattr(self, parameter.name)) is not parameter.default
        }
        if params:  # defaults are always valid
            check_options(params, self._allowed, type(self).__name__)

    def __repr__(self) -> str:
        params = [
            f"{parameter.name}={getattr(self, parameter.name)!r}"
            for parameter in fields(self)
            if not _is_equal(getattr(self, parameter.name), parameter.default)
        ]
        return f"{type(self).__name__}({', '.join(params)})"

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        params, other_params = self.get_params(), other.get_params()
        return all(_is_equal(params[name], other_params[name]) for name in params)

    __hash__ = None  # type: ignore[assignment]


def _is_equal(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.shape(a) == np.shape(b) and bool(np.all(np.asarray(a) == np.asarray(b)))
    return type(a) is type(b) and bool(a == b)
