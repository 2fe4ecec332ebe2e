"""The level grower: rounds go out to the shards, merged answers come back, a tree comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from ceiba import _core
from ceiba.errors import DataError, OptionError
from ceiba.grow.core_grower import tree_of
from ceiba.grow.core_options import Place, core_options
from ceiba.grow.shards.shard import Words
from ceiba.grow.shards.sharded import ShardedTable, ShardedTarget
from ceiba.grow.shards.supported import check_supported
from ceiba.tree import Tree

if TYPE_CHECKING:
    from ceiba.grow.problem import Problem

#: Nodes with fewer rows are gathered and finished as in memory.
GATHER_ROWS: Final = 50_000
#: A stretch of values with more rows is counted in parts before it is fetched.
FETCH_ROWS: Final = 4096
_WORDS: Final = {
    "count": "counting",
    "zoom": "looking closer",
    "fetch": "fetching values",
    "neighbours": "placing cuts",
    "gather": "finishing small nodes",
    "describe": "describing nodes",
}


def grow_over_shards(problem: Problem, rows: object, below: Place | None) -> Tree:
    """Grow the tree of a table in shards.

    Parameters
    ----------
    problem : Problem
        With a :class:`ShardedTable`.
    rows, below
        Must be None: trees over shards are of all rows, and stand alone.
    """
    table, target, options = problem.table, problem.target, problem.options
    assert isinstance(table, ShardedTable)
    assert isinstance(target, ShardedTarget)
    if rows is not None or below is not None:
        raise OptionError("A tree of some rows only needs a table in memory.")
    check_supported(options)
    core = core_options(table, options, None, problem.scales, None)
    types = [(info.kind.value, info.n_levels) for info in table.schema.columns]
    grower = _core.LevelGrower(
        core, table.layout.core, types, table.n_rows,
        min(GATHER_ROWS, table.gather_rows or GATHER_ROWS), FETCH_ROWS, table.values_in_memory,
    )  # fmt: skip
    try:
        while not grower.done:
            if table.watch is not None:
                table.watch(
                    "progress",
                    f"level {grower.level}: {_WORDS[grower.asks]}, {grower.rows_open:,} rows open",
                )
            grower.take(table.exchange.ask(cast(Words, grower.round)))
    except _core.Contradiction as error:
        raise DataError(
            f"The pieces of the table contradict each other: {error}. Their source changed while "
            "the tree was grown; fit again when nobody writes to it."
        ) from error
    return tree_of(grower.tree(), problem, target.units, None)
