"""The table of growers: which function grows what `GrowOptions.growers` or a table asks for.

Each is a function of the problem, the rows (None: all) and the place in a larger tree (None: the
tree stands alone). They are imported on first use, which lets the table name rooms above this one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final

from ceiba.tree import Tree

Grower = Callable[[Any, Any, Any], Tree]

GROWERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "search": "ceiba.grow.core_grower:grow_by_search",
        "bins": "ceiba.grow.core_grower:grow_by_search",
        "gain_ratio": "ceiba.grow.core_grower:grow_by_search",
        "significance": "ceiba.grow.significance.grower:grow_by_significance",
        "tests": "ceiba.grow.chaid.grow:grow_by_tests",
        "best": "ceiba.grow.search.find:grow_best",
        "forced": "ceiba.edit.forced.grower:grow_forced",
        "shards": "ceiba.shards.grower:grow_over_shards",
    }
)


@cache
def find_grower(name: str) -> Grower:
    """Return the function of a grower."""
    module, _, function = GROWERS[name].partition(":")
    grower: Grower = getattr(import_module(module), function)
    return grower
