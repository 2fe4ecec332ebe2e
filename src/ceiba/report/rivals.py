"""Runner-up splits of the largest nodes, searched for in the training rows.

A model keeps its runner-ups only when asked to (`max_competitors`). With the training rows at hand
the best splits of a node are found again by growing one level from its rows. What comes first must
be the split the tree has, with the same gain: where weights, priors or limits made another choice,
nothing is said of the node.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ceiba.errors import CeibaError
from ceiba.grow.problem import Problem
from ceiba.report.histograms import RowsByNode
from ceiba.report.nodes import split_columns
from ceiba.report.numbers import shown
from ceiba.tree import Tree

KEPT: Final = 4
MOST_NODES: Final = 60
MOST_CELLS: Final = 20_000_000  # rows times columns that are searched in all


def searched_rivals(tree: Tree, rows: RowsByNode, y: Any) -> dict[str, Any] | None:
    """Return the runner-up splits of the largest nodes, in the form of those that a tree keeps."""
    if not rows.table.is_whole:  # the rows of a node are never together
        return None
    plain = tree.class_prior is None and tree.cost_matrix is None and tree.tests is None
    if not plain or tree.n_outputs > 1 or not np.array_equal(tree.weight, tree.n_rows):
        return None
    try:
        problem = Problem.like(tree, rows.table, y, max_depth=1, max_competitors=KEPT)
    except CeibaError:
        return None
    n = [0] * tree.n_nodes
    kept: dict[int, tuple[dict[str, Any], list[Any]]] = {}
    cells = 0
    inner = [int(i) for i in np.argsort(-tree.n_rows, kind="stable") if tree.splits.column[i] >= 0]
    for node in inner[:MOST_NODES]:
        mine = np.sort(rows.of(node)).astype(np.uint32)
        cells += len(mine) * rows.table.n_columns
        if len(mine) != tree.n_rows[node] or (cells > MOST_CELLS and kept):
            continue
        stump = problem.grow(mine)
        if _agrees(tree, node, stump) and stump.competitors is not None:
            listed = stump.competitors
            n[node] = len(listed.gain)
            kept[node] = split_columns(listed.splits), shown(listed.gain)
    if not any(n):
        return None
    nodes = sorted(kept)
    return {
        "n": n,
        "splits": _joined([kept[node][0] for node in nodes]),
        "gain": [gain for node in nodes for gain in kept[node][1]],
    }


def _agrees(tree: Tree, node: int, stump: Tree) -> bool:
    """Return whether the rows give the split that the tree has."""
    same = stump.n_nodes > 1 and stump.splits.column[0] == tree.splits.column[node]
    return bool(same and np.isclose(stump.gain[0], tree.gain[node], rtol=1e-6, atol=1e-12))


def _joined(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Put tables of splits below each other; what some lack is filled in."""
    splits: dict[str, Any] = {}
    for key in ("kind", "column", "cut", "low_branch", "n_levels", "level_code", "level_branch"):
        if not any(key in part for part in parts):
            continue
        fill = key in ("low_branch", "n_levels")
        splits[key] = [
            value
            for part in parts
            for value in part.get(key, [0] * len(part["kind"]) if fill else [])
        ]
    return splits
