"""The class of interest by its label, where the core speaks of the second class."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ceiba.errors import OptionError, did_you_mean
from ceiba.grow import GrowOptions
from ceiba.grow.per_column import read_monotonic
from ceiba.table import Table, Target


def about_class(options: GrowOptions, positive: Any, table: Table, target: Target) -> GrowOptions:
    """Return options whose monotone directions are about the probability of a class.

    Parameters
    ----------
    options : GrowOptions
    positive : label
    table, target
        What is learned from.
    """
    labels = target.info.classes[0].tolist() if target.info.n_outputs == 1 else []
    if positive not in labels:
        shown = [str(label) for label in labels]
        raise OptionError(
            f"positive={positive!r} is not a class. The classes are {', '.join(shown)}."
            f"{did_you_mean(str(positive), shown)}"
        )
    if options.monotonic_cst is None or len(labels) != 2 or labels.index(positive) == 1:
        return options
    directions = read_monotonic(options.monotonic_cst, table.schema.names)
    return replace(options, monotonic_cst=[-one for one in directions] or None)
