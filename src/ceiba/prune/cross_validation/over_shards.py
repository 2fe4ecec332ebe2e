"""Folds of a table in shards: the same rows as in memory, and the trees of all folds at once.

Rows are dealt out as `folds.py` deals them (the same permutation, the same order of classes), in
blocks: 8 bytes per row for the permutation, 2 for the fold. The trees of all rows and of all folds
are grown in the same rounds. Held-out rows are routed where they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError
from ceiba.grow.problem import Problem
from ceiba.grow.shards.sharded import ShardedTable
from ceiba.prune.cross_validation.folds import (
    Fold,
    dealt_groups,
    ids_of,
    is_random,
    leaves_one_out,
    the_same_each_time,
)
from ceiba.prune.cross_validation.shard_trees import Folds, ends_of, trees_without, with_rows
from ceiba.tree import Tree

_BLOCK: Final = 1 << 22  # rows
_MOST_FOLDS: Final = 1000


@dataclass(frozen=True)
class ShardedFold(Fold):
    """Rows to try a tree with, the tree of the others, and the nodes in which the rows end."""

    tree: Tree = field(repr=False)
    ends: npt.NDArray[np.int32] = field(repr=False)

    def has_weight(self, weight: npt.NDArray[np.float64]) -> bool:
        """Tell whether a row outside the fold has a weight above 0."""
        return bool(np.count_nonzero(weight) > np.count_nonzero(weight[self.test]))


@dataclass(frozen=True)
class ShardedFolds:
    """The tree of all rows, the folds of each repeat, and the problem with what the rows are."""

    tree: Tree
    plan: list[list[ShardedFold]]
    problem: Problem


def folds_over_shards(
    problem: Problem, folds: Any, *, stratify: bool, groups: Any, seed: int, repeats: int
) -> ShardedFolds:
    """Grow the tree of all rows and those of the folds.

    Parameters
    ----------
    problem : Problem
        Over shards.
    folds : int, "leave-one-out" with groups, or array-like of one id per row
    stratify : bool
    groups : array-like of shape (n_rows,) or None
    seed : int
    repeats : int
    """
    given = _given_ids(problem, folds, groups)
    if given is not None and repeats > 1 and not leaves_one_out(folds):
        raise the_same_each_time()
    codes = None if groups is None else ids_of("groups", groups, problem.n_rows)
    table, rows = problem.table, with_rows(problem)
    assert isinstance(table, ShardedTable)
    whole: Tree | None = None
    plan: list[list[ShardedFold]] = []
    for repeat in range(repeats):
        rng = np.random.default_rng([seed, repeat])
        fold = given
        if fold is None and codes is not None:
            n_folds = min(int(folds), int(codes.max()) + 1)
            fold = dealt_groups(codes, n_folds, rng).astype(np.uint16)
        elif fold is None:
            fold = dealt(rows, min(int(folds), rows.n_rows), stratify, rng)
        n_folds = int(fold.max()) + 1
        trees = trees_without(problem, rows, fold, n_folds, also_whole=whole is None)
        if whole is None:
            whole, *trees = trees
        grown_on = np.empty(0, np.uint32)  # nobody asks
        plan.append(
            [
                ShardedFold(grown_on, np.flatnonzero(fold == v).astype(np.uint32), tree, ends)
                for v, (tree, ends) in enumerate(zip(trees, ends_of(table, trees), strict=True))
            ]
        )
    assert whole is not None
    return ShardedFolds(whole, plan, rows)


def _given_ids(problem: Problem, folds: Any, groups: Any) -> Folds | None:
    """Give the fold of each row, where folds are not a number."""
    if is_random(folds) and folds <= _MOST_FOLDS:
        if folds < 2:
            raise OptionError(f"folds must be at least 2. Got {folds}.")
        return None
    ids = None
    if leaves_one_out(folds) and groups is not None:
        ids = ids_of("groups", groups, problem.n_rows)
    elif np.shape(folds) == (problem.n_rows,):
        ids = ids_of("folds", folds, problem.n_rows)
    if ids is None or ids.max() >= _MOST_FOLDS:
        raise OptionError(
            f"folds={folds!r} needs a table in memory, and this one is beyond it. There, folds is "
            f"a whole number from 2 to {_MOST_FOLDS}, or an array of one fold id per row, of at "
            f"most {_MOST_FOLDS} different ones."
        )
    return ids.astype(np.uint16)


def dealt(problem: Problem, n_folds: int, stratify: bool, rng: np.random.Generator) -> Folds:
    """Deal rows out to folds as `folds._dealt` does, with less memory."""
    n = problem.n_rows
    if n_folds < 2:
        raise OptionError(f"folds must be at least 2. Got {n_folds}.")
    order = rng.permutation(n)
    fold = np.empty(n, np.uint16)
    by_class = stratify and problem.options.task == "classification"
    codes = problem.target.values[:, 0] if by_class else None
    # In the order by class, a row comes after all rows of the classes before its own.
    n_classes = 1 if codes is None else len(problem.target.info.classes[0])
    counts = np.array([n]) if codes is None else np.bincount(codes, minlength=n_classes)
    place = np.cumsum(counts) - counts
    for first in range(0, n, _BLOCK):
        rows = order[first : first + _BLOCK]
        own = np.zeros(len(rows), np.intp) if codes is None else codes[rows]
        for k in np.unique(own).tolist():
            here = rows[own == k]
            fold[here] = (place[k] + np.arange(len(here))) % n_folds
            place[k] += len(here)
    return fold
