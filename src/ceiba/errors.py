"""Errors and warnings of ceiba.

ValueError
    CeibaError                  base class
        DataError               a table, a target or weights that cannot be used
            DataTypeError       ... because of the type of a value (also a TypeError)
            SchemaError         a table that does not match the schema seen in `fit`
        OptionError             an invalid parameter
        TreeError               an inconsistent tree, or an unsupported operation
        ModelFileError          a file that is damaged or not a model file
        OutputError             a file that cannot be written (also an OSError)
UserWarning
    CeibaWarning
        DataWarning             the data were read, but may contain a mistake
            LeakWarning         ... in a column that determines the target

A message states the problem and its place, the value, the allowed values and the next step.
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
    """Base class of all errors that ceiba defines; also a ``ValueError``."""


class DataError(CeibaError):
    """Raised for an invalid table, an invalid target or invalid weights."""


class DataTypeError(DataError, TypeError):
    """Raised for data of an unsupported type; also a ``TypeError``, as in scikit-learn."""


class SchemaError(DataError):
    """Raised when a table does not match the schema seen during `fit`."""


class OptionError(CeibaError):
    """Raised for an invalid parameter or an invalid combination of parameters."""


class TreeError(CeibaError):
    """Raised for an inconsistent tree, or an operation that the tree does not support."""


class ModelFileError(CeibaError):
    """Raised for a file that is damaged or not a model file."""


class OutputError(CeibaError, OSError):
    """Raised when a file cannot be written; also an ``OSError``."""


class CeibaWarning(UserWarning):
    """Base class of all warnings that ceiba issues."""


class DataWarning(CeibaWarning):
    """Warning about data that were read but may contain a mistake."""


class LeakWarning(DataWarning):
    """Warning about a column that determines the target but may be unknown at prediction time.

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
