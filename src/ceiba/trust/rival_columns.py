"""Which other column could stand at a node, and what it would cost.

For each column that can split the node: the tree grown with the column's best split forced there,
and its cross-validated risk beside that of the free tree, on the rows of the node. In every fold
the split of each column is found again, so choosing it is part of what is validated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.edit.by_hand import set_split_in
from ceiba.errors import OptionError, TreeError
from ceiba.grow.problem import Problem
from ceiba.listing import Listing
from ceiba.prune.cross_validation.folds import read_folds
from ceiba.tree import Split, Tree
from ceiba.tree.routing import route

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class RivalColumns:
    """Trees with another column at one node, beside ours; prints.

    Attributes
    ----------
    node : int
    table : Listing
        Per column: its best split, the tree's leaves, cross-validated risk and its standard
        error, the difference to ours, and whether it is within one SE of ours.
    trees : dict
        The whole tree with each column forced, by name.
    risk, se : float
        Of the free tree.
    """

    node: int
    table: Listing
    trees: dict[str, Tree]
    risk: float
    se: float

    def __str__(self) -> str:
        return str(self.table)

    __repr__ = __str__

    def plot(self, ax: Any = None, *, lang: str = "en") -> Any:
        """Draw the risks with their standard errors; see `ceiba.plot.plot_rival_columns`."""
        from importlib import import_module  # a neighbour: at call time only

        return import_module("ceiba.plot").plot_rival_columns(self, ax=ax, lang=lang)


def rival_columns(
    tree: Tree, problem: Problem, *, node: int = 0, folds: int = 10, seed: int = 0
) -> RivalColumns:
    """Force each column at a node in turn; `model.rival_columns(X, y)` calls this.

    Parameters
    ----------
    tree : Tree
        Grown on the problem, with one output.
    problem : Problem
    node : int
        An inner node of the tree.
    folds : int
    seed : int
    """
    if tree.n_outputs > 1:
        raise OptionError("Rival columns are compared for one output; this tree has several.")
    if tree.node(node).is_leaf:
        raise TreeError(f"Node {node} is a leaf; rival columns are for nodes that split.")
    rows = tree.rows(node, problem.table)
    depth = int(tree.node_depth[node])
    here = problem.take(rows)
    if (deepest := here.options.max_depth) is not None:
        here = replace(here, options=replace(here.options, max_depth=deepest - depth))
    names = tree.schema.names
    splits = {j: split for j in range(len(names)) if (split := _best_split(here, j)) is not None}
    loss = {j: np.full(len(rows), np.nan) for j in (-1, *splits)}
    for fold in read_folds(folds, here, random_state=seed):
        part, test = here.take(fold.train), fold.test
        held_out = here.table.take(test)
        free = part.grow()
        loss[-1][test] = _losses(free, held_out, here, test)
        for j in splits:
            split = _best_split(part, j)
            grown = free if split is None else set_split_in(free, 0, split, part)
            loss[j][test] = _losses(grown, held_out, here, test)
    trees = {names[j]: set_split_in(tree, node, split, problem) for j, split in splits.items()}
    return _result(tree, node, splits, loss, here.row_weight, trees)


def _best_split(problem: Problem, j: int) -> Split | None:
    """Return the best split of one column, None if it has none."""
    options = replace(
        problem.options, max_depth=1, column_cost=None, monotonic_cst=None, max_features=None
    )
    stump = replace(problem, table=problem.table.select([j]), options=options).grow()
    return stump.root.split


def _losses(tree: Tree, table: Any, problem: Problem, rows: Array) -> Array:
    truth = problem.target.values[rows, 0]
    if tree.task == "regression":
        return np.asarray((route.predict(tree, table) - truth) ** 2)
    answers = tree.answer[route.apply(tree, table)]
    if tree.cost_matrix is None:
        return np.asarray(answers != truth, np.float64)
    return np.asarray(tree.cost_matrix[truth, answers])


def _result(
    tree: Tree, node: int, splits: dict[int, Split], loss: dict[int, Array], weight: Array,
    trees: dict[str, Tree],
) -> RivalColumns:  # fmt: skip
    def mean_se(values: Array) -> tuple[float, float]:
        share = weight / weight.sum()
        mean = float(share @ values)
        return mean, float(np.sqrt((share**2) @ (values - mean) ** 2))

    risk, se = mean_se(loss[-1])
    names = tree.schema.names
    lines = []
    for j, split in splits.items():
        mine, mine_se = mean_se(loss[j])
        apart, apart_se = mean_se(loss[j] - loss[-1])
        lines.append(
            (
                names[j], split.sentence(0, tree.schema, max_levels=3),
                j == int(tree.splits.column[node]), trees[names[j]].n_leaves, mine, mine_se,
                apart, apart_se, mine <= risk + se,
            )
        )  # fmt: skip
    lines.sort(key=lambda line: (line[4], line[0]))
    heads = (
        "column", "best split", "ours", "leaves", "risk", "SE", "difference", "its SE",
        "within 1 SE",
    )  # fmt: skip
    columns = dict(zip(heads, map(list, zip(*lines, strict=True)), strict=True))
    what = "misclassification cost" if tree.task == "classification" else "squared error"
    table = Listing(
        columns,
        title=f"columns that could stand at node {node}",
        legend=f"risk: cross-validated {what} of the node's rows with the column forced there; the "
        f"free tree has {risk:.4g} (SE {se:.2g}); difference: to the free tree, row by row",
    )
    return RivalColumns(node, table, trees, risk, se)
