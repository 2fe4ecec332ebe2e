"""Cross-validation over shards: what folds need of the rows, and the trees of all folds at once.

The trees of all folds are grown in the same rounds, and held-out rows are routed where they are.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.grow.problem import Problem
from ceiba.shards.grower import Part, grow_parts
from ceiba.shards.table import ShardedTable, ShardedTarget
from ceiba.table.weights import exact_sum
from ceiba.tree import Tree


def with_rows(problem: Problem) -> Problem:
    """Return the problem with target and weight of every row, by which folds are judged."""
    table, target = problem.table, problem.target
    if not isinstance(table, ShardedTable) or target.values is not None:
        return problem
    assert isinstance(target, ShardedTarget)
    values, *weights = map(np.concatenate, zip(*table.exchange.collect("rows"), strict=True))
    if target.units.target:
        values = np.ldexp(values, target.units.target)
    weight = np.ldexp(weights[0], target.units.weight) if weights else None
    rows = ShardedTarget(target.info, target.totals, target.units, values.reshape(-1, 1))
    return problem.changed(target=rows, weight=weight)


def grow_folds(
    problem: Problem, fold: npt.NDArray[Any]
) -> list[tuple[npt.NDArray[np.uint32], Tree, npt.NDArray[np.int32]]]:
    """Return, for each fold, its rows, the tree of the others, and the nodes in which its rows end.

    `problem` has its rows (`with_rows`); `fold` is the fold of each.
    """
    table, target = problem.table, problem.target
    assert isinstance(table, ShardedTable)
    assert isinstance(target, ShardedTarget)
    fold = fold.astype(np.uint16)
    firsts = np.cumsum(table.shard_rows)[:-1]
    table.exchange.scatter("folds", [(own,) for own in np.split(fold, firsts)])
    parts = []
    weight = target.units.shrink_weight(problem.weight)
    for v in range(int(fold.max()) + 1):
        kept = fold != v
        n_rows = int(np.count_nonzero(kept))
        if weight is None:
            parts.append(Part(v + 1, n_rows, n_rows, float(n_rows)))
        else:
            own = weight[kept]
            parts.append(Part(v + 1, n_rows, int(np.count_nonzero(own)), exact_sum(own)))
    trees = grow_parts(problem, parts)
    routes = np.frombuffer(pickle.dumps(trees), np.uint8)
    table.exchange.scatter("routes", [(routes,)] * table.n_shards)
    ends = np.concatenate([own for (own,) in table.exchange.collect("ends")])
    rows = [np.flatnonzero(fold == v).astype(np.uint32) for v in range(len(trees))]
    return [(own, tree, ends[own]) for own, tree in zip(rows, trees, strict=True)]
