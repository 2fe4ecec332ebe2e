"""The level grower: rounds go out to the shards, merged answers come back, a tree comes out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ceiba import _core
from ceiba.errors import DataError, OptionError
from ceiba.grow.combinations import check_combinations
from ceiba.grow.core_grower import tree_of
from ceiba.grow.core_options import Place, core_options, set_sizes
from ceiba.grow.limits import folded
from ceiba.shards.layout import ShardLayout
from ceiba.shards.max_bins import choose_bins
from ceiba.shards.supported import check_supported
from ceiba.shards.table import ShardedTable, ShardedTarget
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


@dataclass(frozen=True)
class Part:
    """Rows that a tree over shards is grown on.

    Tree 0 is that of all rows, tree v + 1 that of the rows that fold v does not hold out;
    `n_learned` of the rows have a weight above 0.
    """

    tree: int
    n_rows: int
    n_learned: int
    weight: float


def grow_over_shards(problem: Problem, rows: object, below: Place | None) -> Tree:
    """Grow the tree of a table in shards."""
    table = problem.table
    assert isinstance(table, ShardedTable)
    if rows is not None or below is not None:
        raise OptionError("A tree of some rows only needs a table in memory.")
    whole = Part(0, table.n_rows, table.n_rows, float(table.n_rows))
    if table.weighed is not None:
        whole = Part(0, table.n_rows, table.weighed.n_rows, table.weighed.total)
    return _grow_together(problem, [whole])[0]


def grow_parts(problem: Problem, parts: Sequence[Part]) -> list[Tree]:
    """Grow the trees of several parts of the rows in the same rounds."""
    table = problem.table
    assert isinstance(table, ShardedTable)
    check_combinations(table, problem.target, problem.options, problem.weight)
    trees: list[Tree] = []
    for first in range(0, len(parts), table.trees_at_once):
        trees += _grow_together(problem, parts[first : first + table.trees_at_once])
    return trees if problem.options.monotonic_cst is None else [folded(tree) for tree in trees]


def _grow_together(problem: Problem, parts: Sequence[Part]) -> list[Tree]:
    table, target = problem.table, problem.target
    assert isinstance(table, ShardedTable)
    assert isinstance(target, ShardedTarget)
    check_supported(problem.options)
    _refuse_fractional_rows(problem)
    layouts = [table.layout] * len(parts)
    if problem.options.max_bins is not None:
        layouts = choose_bins(table, [part.tree for part in parts], problem.options.max_bins)
    growers = [
        _grower(problem, table, part, layout, len(parts))
        for part, layout in zip(parts, layouts, strict=True)
    ]
    with _contradictions_as_data_errors():
        while open_ones := [k for k, grower in enumerate(growers) if not grower.done]:
            if table.watch is not None:
                table.watch("progress", _progress([growers[k] for k in open_ones]))
            _ask(table, [(parts[k].tree, growers[k]) for k in open_ones])
    return [tree_of(grower.tree(), problem, target.units, None) for grower in growers]


@contextmanager
def _contradictions_as_data_errors() -> Iterator[None]:
    """Raise a `DataError` where shards contradict each other."""
    try:
        yield
    except _core.Contradiction as error:
        raise DataError(
            f"The pieces of the table contradict each other: {error}. Their source changed while "
            "the tree was grown; fit again when nobody writes to it."
        ) from error


def _refuse_fractional_rows(problem: Problem) -> None:
    """Refuse rows that would go down several branches."""
    if problem.options.missing_rule != "fractional":
        return
    for info in problem.table.schema.columns:
        if info.n_missing:
            raise OptionError(
                f"missing='fractional' needs a table in memory where values are missing, and "
                f"column {info.name!r} lacks {info.n_missing:,} in a table beyond memory. Use "
                "missing='learn' or 'majority'."
            )


def _grower(
    problem: Problem, table: ShardedTable, part: Part, layout: ShardLayout, n_together: int
) -> _core.LevelGrower:
    core = core_options(table, problem.options, None, problem.scales, None)
    if problem.options.missing_rule == "fractional":  # and nothing is missing
        core.set_missing("majority")
    core.approximate = False  # the layout says where a column is cut; gathered rows have its bins
    set_sizes(core, problem.options, part.n_rows, part.weight)
    types = [(info.kind.value, info.n_levels) for info in table.schema.columns]
    return _core.LevelGrower(
        core, layout.core, types, part.n_learned,
        min(GATHER_ROWS, table.gather_rows or GATHER_ROWS),
        min(FETCH_ROWS, table.fetch_rows or FETCH_ROWS),
        max(1, table.values_in_memory // n_together),
    )  # fmt: skip


def _ask(table: ShardedTable, growers: Sequence[tuple[int, _core.LevelGrower]]) -> None:
    """Ask the next round of each grower, all in one."""
    rounds = _core.join_rounds([(tree, grower.round) for tree, grower in growers])
    answers = _core.split_answers(table.exchange.ask(rounds))
    for (_, grower), answer in zip(growers, answers, strict=True):
        grower.take(answer)


def _progress(growers: Sequence[_core.LevelGrower]) -> str:
    rows = sum(grower.rows_open for grower in growers)
    first = growers[0]
    trees = "" if len(growers) == 1 else f"{len(growers)} trees, "
    return f"{trees}level {first.level}: {_WORDS[first.asks]}, {rows:,} rows open"
