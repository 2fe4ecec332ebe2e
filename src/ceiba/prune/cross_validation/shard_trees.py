"""Rows of shards held out in turn: what folds need of the rows, and the trees of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.grow.problem import Problem
from ceiba.grow.shards.grower import Part, grow_parts, whole_part
from ceiba.grow.shards.shard import Shard
from ceiba.grow.shards.sharded import ShardedTable, ShardedTarget
from ceiba.table import Target
from ceiba.table.weights import exact_sum
from ceiba.tree import Tree
from ceiba.tree.routing import route

Folds = npt.NDArray[np.uint16]


def with_rows(problem: Problem) -> Problem:
    """Give the problem with target and weights of every row, which folds are made and judged by."""
    table, target = problem.table, problem.target
    assert isinstance(table, ShardedTable)
    assert isinstance(target, ShardedTarget)
    parts = table.exchange.each(_rows_of, [None] * table.n_shards)
    values = np.concatenate([own for own, _ in parts])
    if target.units.target:
        values = np.ldexp(values, target.units.target)
    weight = None
    if table.weighed is not None:
        weight = np.ldexp(np.concatenate([own for _, own in parts]), target.units.weight)
    made = replace(problem, target=Target(target.info, values.reshape(-1, 1)), weight=weight)
    made.__dict__["scales"] = problem.scales
    return made


def without_shards(problem: Problem) -> Problem:
    """Give the problem without its shards: of the rows, target and weights are left."""
    table = problem.table
    assert isinstance(table, ShardedTable)
    made = replace(problem, table=table.changed(exchange=None, watch=None))
    made.__dict__["scales"] = problem.scales
    return made


def trees_without(
    problem: Problem, rows: Problem, fold: Folds, n_folds: int, *, also_whole: bool
) -> list[Tree]:
    """Grow the tree without the rows of each fold; before them that of all rows, if asked for.

    Parameters
    ----------
    problem : Problem
        Over shards.
    rows : Problem
        The same as `with_rows` gives it.
    fold : uint16 array
        The fold of each row.
    n_folds : int
    also_whole : bool
    """
    table, target = problem.table, problem.target
    assert isinstance(table, ShardedTable)
    assert isinstance(target, ShardedTarget)
    table.exchange.change(_in_folds, table.by_shard(fold))
    parts = [whole_part(table)] if also_whole else []
    weight = target.units.shrink_weight(rows.weight)
    for v in range(n_folds):
        kept = fold != v
        n_rows = int(np.count_nonzero(kept))
        if weight is None:
            parts.append(Part(v + 1, n_rows, n_rows, float(n_rows)))
            continue
        own = weight[kept]
        parts.append(Part(v + 1, n_rows, int(np.count_nonzero(own)), exact_sum(own)))
    return grow_parts(problem, parts)


def ends_of(table: ShardedTable, trees: Sequence[Tree]) -> list[npt.NDArray[np.int32]]:
    """Give the node in which each row of a fold ends in the tree of that fold, for all folds."""
    ends = table.exchange.each(_ends, [trees] * table.n_shards)
    return [np.concatenate(of_fold) for of_fold in zip(*ends, strict=True)]


# --- work on a shard, wherever it is


def _rows_of(shard: Shard, _: Any) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64] | None]:
    own = shard.arrays
    return np.array(own.target), None if own.weights is None else np.array(own.weights)


def _in_folds(shard: Shard, fold: Folds) -> Shard:
    return Shard(shard.arrays, shard.schema, shard.layout, shard.number, fold, shard.scratch)


def _ends(shard: Shard, trees: Sequence[Tree]) -> list[npt.NDArray[np.int32]]:
    assert shard.fold is not None
    ends = []
    for v, tree in enumerate(trees):
        rows = np.flatnonzero(shard.fold == v)
        nowhere = np.empty(0, np.int32)
        ends.append(route.apply(tree, shard.table(rows)) if len(rows) else nowhere)
    return ends
