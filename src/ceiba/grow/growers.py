"""The growers by name, in one place: who grows what `GrowOptions.growers` asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from ceiba.grow.chaid.grow import grow_by_tests
from ceiba.grow.core_grower import grow_by_search
from ceiba.grow.search.find import grow_best
from ceiba.grow.shards.grower import grow_over_shards
from ceiba.grow.significance.grower import grow_by_significance
from ceiba.tree import Tree

#: By the ruling grower: a function of the problem, the rows (None: all) and the place in a larger
#: tree (None: the tree stands alone). A table in shards has a grower of its own.
GROWERS: Final[Mapping[str, Callable[[Any, Any, Any], Tree]]] = MappingProxyType(
    {
        "search": grow_by_search,
        "bins": grow_by_search,
        "gain_ratio": grow_by_search,
        "significance": grow_by_significance,
        "tests": grow_by_tests,
        "best": grow_best,
        "shards": grow_over_shards,
    }
)
