"""Cross-validation of a tree that was made by hand and by growing.

Splits made by hand, and those above them, are kept in every fold; what was grown is grown again
from the rows of the fold, to the depth that it has. So the figures answer for what the search
chose, and take for granted what a person decided. Where a fold has no rows its tree has a leaf.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ceiba.edit.by_hand import asked_again, grown, replanted, rules_at
from ceiba.edit.forced.here import Here
from ceiba.grow.problem import Problem
from ceiba.prune.cross_validation.folds import read_folds
from ceiba.studio.answers.bench import Bench
from ceiba.studio.answers.figures import mean_and_se, row_losses, shares
from ceiba.tree import Tree
from ceiba.tree.routing import route


class CancelledError(Exception):
    """Somebody does not want to wait any longer."""


def cross_validated(
    bench: Bench, folds: int, tell: Callable[[int, int], None], is_cancelled: Callable[[], bool]
) -> dict[str, Any]:
    """Return the cross-validated figures of a tree; `tell(done, total)` hears of each fold."""
    problem, truth = bench.problem, bench.problem.target.values[:, 0]
    losses, errors = np.empty((2, len(truth)))
    parts = read_folds(folds, problem)
    for done, fold in enumerate(parts):
        if is_cancelled():
            raise CancelledError
        tree = fold_tree(bench.tree, bench.state.nodes_by_hand, problem, fold.train)
        ends = np.asarray(route.apply(tree, problem.table.take(fold.test)))
        losses[fold.test] = row_losses(tree, ends, truth[fold.test])
        if tree.task.has_classes:
            errors[fold.test] = tree.answer[ends] != truth[fold.test]
        tell(done + 1, len(parts))
    share = shares(bench.data, bench.tree)
    risk, se = mean_and_se(losses, share)
    made = {"n_rows": len(truth), "folds": len(parts), "n_leaves": int(bench.tree.n_leaves)}
    if bench.tree.task.is_regression("The studio"):
        spread = float(share @ (truth - share @ truth) ** 2)
        return made | {"mse": risk, "se": se, "rmse": float(np.sqrt(risk)),
                       "r2": 1.0 - risk / spread if spread > 0 else None}  # fmt: skip
    error, error_se = mean_and_se(errors, share)
    if bench.tree.cost_matrix is None:
        return made | {"error": error, "se": error_se, "cost": None}
    return made | {"error": error, "se": se, "cost": risk}


def fold_tree(tree: Tree, by_hand: list[int], problem: Problem, rows: Any) -> Tree:
    """Make the tree of some rows: what was made by hand is kept, the rest is grown again."""
    kept = np.zeros(tree.n_nodes, bool)
    for node in by_hand:
        kept[list(tree.path(node).nodes)] = True
    depth = tree.node_depth

    def asked(node: int, place: Here) -> tuple[Tree, list[Here]]:
        if kept[node]:
            return asked_again(tree, node, place)
        inside = slice(node, int(tree.subtree_end[node]))
        levels = int(depth[inside].max() - depth[node])
        return grown(place, rules_at(tree, node), levels), []

    return replanted(tree, 0, Here.root(problem, rows), asked)
