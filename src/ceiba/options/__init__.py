"""Options as data: one row per option, what a value may be, and objects that hold several."""

from __future__ import annotations

from ceiba.options.checks import Check, ParameterError, check_options
from ceiba.options.option import Option, takes_options
from ceiba.options.option_object import OptionObject, parameter

__all__ = [
    "Check",
    "Option",
    "OptionObject",
    "ParameterError",
    "check_options",
    "parameter",
    "takes_options",
]
