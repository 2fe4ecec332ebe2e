"""Options as data: what a value may be, and objects that hold several options."""

from __future__ import annotations

from ceiba.options.checks import Check, ParameterError, check_options

__all__ = [
    "Check",
    "ParameterError",
    "check_options",
]
