"""Where growing sent the rows of a tree with surrogates; in `rpart()` predicting may differ.

A row that the split of a node cannot place goes by the first surrogate that can, then with the side
that got more *weight* from the split itself (Breiman et al. 1984, section 5.3), the first on a tie.
rpart leaves a row in the node on a tie, and predicts by the branch with more *rows*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ceiba.tree import Tree
from ceiba.tree.routing.branches import MISSING, UNSEEN, ask, ask_surrogates

if TYPE_CHECKING:
    from ceiba.grow.problem import Problem

Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]
Branches = npt.NDArray[np.int64]


def growing_branches(tree: Tree, problem: Problem, node: int, rows: Rows) -> Branches:
    """Return the branch of each of the training rows in a node; -1: it stays."""
    primary = primary_branches(tree, problem, node, rows)
    branch = stand_in(tree, problem, node, rows, primary)
    heavier = heavier_branch(problem, rows, primary)
    if problem.options.use_surrogate < 2 or heavier is None:
        return branch
    return np.where(branch == MISSING, heavier, branch)


def primary_branches(tree: Tree, problem: Problem, node: int, rows: Rows) -> Branches:
    """Give the branches by the split alone; a level that it does not know counts as missing."""
    branch = ask(tree.splits, node, problem.table, rows)
    return np.where(branch == UNSEEN, MISSING, branch)


def stand_in(tree: Tree, problem: Problem, node: int, rows: Rows, branch: Branches) -> Branches:
    """Send rows without a branch by the first surrogate that can place them."""
    branch = branch.copy()
    ask_surrogates(tree, problem.table, node, rows, branch)
    return branch


def heavier_branch(problem: Problem, rows: Rows, primary: Branches) -> int | None:
    """Return the branch to which the split itself sent more weight; None on a tie in rpart()."""
    options = problem.options
    if (
        options.rpart is not None and options.surrogates.keep == 0
    ):  # rpart does not look for it then
        return None
    placed = primary >= 0
    weight = case_weights(problem)[rows][placed]
    load = np.bincount(primary[placed], weights=weight, minlength=2)
    heaviest = np.flatnonzero(load == load.max())
    return int(heaviest[0]) if len(heaviest) == 1 or options.rpart is None else None


def case_weights(problem: Problem) -> Array:
    """Return the weight of each row, without its time under observation."""
    return problem.row_weight if problem.case_weight is None else problem.case_weight
