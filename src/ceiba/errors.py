"""Define the errors and warnings of ceiba.

ValueError
    CeibaError                  base class
        DataError               a table, a target or weights that cannot be used
            DataTypeError       ... because of the type of a value (also a TypeError)
            SchemaError         a table that does not match the schema seen when fitting
        OptionError             an invalid parameter
        TreeError               a tree that breaks its invariants, or an unsupported operation
        ModelFileError          a file that is not a model, or is damaged
        OutputError             a file that cannot be written (also an OSError)
UserWarning
    CeibaWarning
        DataWarning             the data were read, but may contain a mistake

A message states what is wrong and where, what was passed, what is allowed, and what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "CeibaError",
    "CeibaWarning",
    "DataError",
    "DataTypeError",
    "DataWarning",
    "LeakWarning",
    "ModelFileError",
    "OptionError",
    "OutputError",
    "SchemaError",
    "TreeError",
]


class CeibaError(ValueError):
    """Base class of all errors of ceiba; also a ``ValueError``."""


class DataError(CeibaError):
    """A table, a target or weights that cannot be used."""


class DataTypeError(DataError, TypeError):
    """A value of an unsupported type; also a ``TypeError``, as in scikit-learn."""


class SchemaError(DataError):
    """A table that does not match the schema seen when fitting."""


class OptionError(CeibaError):
    """An invalid parameter."""


class TreeError(CeibaError):
    """A tree that breaks its invariants, or does not support an operation."""


class ModelFileError(CeibaError):
    """A file that is not a model file, or is damaged."""


class OutputError(CeibaError, OSError):
    """A file that cannot be written because of a full disk or permissions; also an ``OSError``."""


class CeibaWarning(UserWarning):
    """Base class of all warnings of ceiba."""


class DataWarning(CeibaWarning):
    """The data were read but may contain a mistake."""


class LeakWarning(DataWarning):
    """A single column determines the target: it may not be available when the tree is used.

    Examples
    --------
    >>> from ceiba.errors import DataWarning, LeakWarning
    >>> issubclass(LeakWarning, DataWarning)
    True
    """


def did_you_mean(name: object, allowed: Iterable[object]) -> str:
    """Return ``" Did you mean 'x'?"`` for the closest allowed name, or ``""`` if none is close."""
    if not isinstance(name, str):
        return ""
    names = [candidate for candidate in allowed if isinstance(candidate, str)]
    for candidate in names:
        if candidate.casefold().strip() == name.casefold().strip():
            return f" Did you mean {candidate!r}?"
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.7)
    return f" Did you mean {close[0]!r}?" if close else ""
