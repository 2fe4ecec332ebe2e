"""Compare two states: the rows whose prediction changes, and which tree is better.

Trees are compared on held-out rows or by cross-validation, never on their training rows. Losses
that differ by rounding errors count as equal.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ceiba.errors import OptionError
from ceiba.paths import node_condition
from ceiba.studio.analysis.node_analysis import NodeAnalysis
from ceiba.studio.analysis.scores import mean_and_se, row_losses, row_shares, score_tree
from ceiba.studio.prepare import Prepared
from ceiba.table import Target
from ceiba.task import Task
from ceiba.tree import Tree
from ceiba.tree.routing import route

_MAX_PAIRS: Final = 100  # maximum number of listed pairs of leaves
_ROUNDING: Final = 1e-12  # smaller relative differences of mean losses are rounding errors


def compare_states(
    a: NodeAnalysis, b: NodeAnalysis, losses: tuple[Any, Any] | None = None
) -> dict[str, Any]:
    """Compare the trees of two states on held-out rows, or by their cross-validated `losses`."""
    data, other = (x.data if x.data.held_out is None else x.data.held_out for x in (a, b))
    if not _is_same_target(data.y, other.y) or (a.data.held_out is None) != (
        b.data.held_out is None
    ):
        raise OptionError("Cannot compare snapshots with different targets or held-out rows.")
    n_rows = len(data.y)
    leaf_ids = [np.asarray(route.apply(x.tree, d.X)) for x, d in ((a, data), (b, other))]
    rows = "held_out" if a.data.held_out is not None else "cross_validated"
    if a.data.held_out is not None:
        losses = (row_losses(a.tree, leaf_ids[0], data), row_losses(b.tree, leaf_ids[1], data))
    elif losses is None and a.tree == b.tree:
        losses = (np.zeros(n_rows), np.zeros(n_rows))  # identical trees have equal losses
    changed = _count_changes(a.tree, b.tree, *leaf_ids)
    return {
        "a": _summarize(a),
        "b": _summarize(b),
        "rows": "train" if a.data.held_out is None else "held_out",
        "n_rows": n_rows,
        "n_changed": sum(row["n_rows"] for row in changed),
        "changed": [
            row
            | {
                "rule_a": _rule_parts(a.tree, row["node_a"]),
                "rule_b": _rule_parts(b.tree, row["node_b"]),
            }
            for row in changed[:_MAX_PAIRS]
        ],
        "verdict": None if losses is None else {"rows": rows, **_judge(a, data, losses)},
    }


def _judge(a: NodeAnalysis, data: Prepared, losses: tuple[Any, Any]) -> dict[str, Any]:
    """Return which tree has the smaller loss, and by how much."""
    share = row_shares(data, a.tree)
    difference, se = mean_and_se(losses[1] - losses[0], share)
    risks = [mean_and_se(loss, share) for loss in losses]
    errors = None
    if a.tree.task.has_classes and a.tree.cost_matrix is None:
        errors = [int(np.count_nonzero(loss)) for loss in losses]
        if bool((share == share[0]).all()):
            difference = (errors[1] - errors[0]) / len(share)
    elif abs(difference) <= _ROUNDING * max(risks[0][0], risks[1][0]):
        difference = 0.0
    best = int(difference < 0)
    variance = None
    if a.tree.task is Task.REGRESSION:
        truth = data.y.values[:, 0]
        variance = float(share @ (truth - share @ truth) ** 2)
    return {
        "errors": errors,
        "n_rows": len(share),
        "variance": variance,
        "difference": difference,
        "se": se,
        "best_se": risks[best][1],
        "within_one_se": bool(abs(difference) <= risks[best][1]),
        "better": None if difference == 0 else "ab"[best],
    }


def _is_same_target(a: Target, b: Target) -> bool:
    return a.info == b.info and np.array_equal(a.values, b.values)


def _summarize(analysis: NodeAnalysis) -> dict[str, Any]:
    tree = analysis.tree
    return {
        "figures": score_tree(analysis),
        "n_leaves": int(tree.n_leaves),
        "depth": int(tree.depth),
    }


def _count_changes(a: Tree, b: Tree, leaf_ids_a: Any, leaf_ids_b: Any) -> list[dict[str, Any]]:
    """Count the rows whose prediction changes, by their leaves in both trees."""
    pairs, counts = np.unique(np.stack([leaf_ids_a, leaf_ids_b]), axis=1, return_counts=True)
    listed = []
    for (i, j), n in zip(pairs.T.tolist(), counts.tolist(), strict=True):
        before, after = _predicted_value(a, i), _predicted_value(b, j)
        if before != after:
            listed.append({"a": before, "b": after, "node_a": i, "node_b": j, "n_rows": n})
    return sorted(listed, key=lambda row: -row["n_rows"])


def _rule_parts(tree: Tree, node: int) -> list[str]:
    """Return the conditions of a leaf, because its tree may not be drawn with node numbers."""
    return list(node_condition(tree, node).parts(max_levels=4))


def _predicted_value(tree: Tree, node: int) -> Any:
    if not tree.task.has_classes:
        return float(tree.value[node, 0, 0])
    return str(tree.target.classes[0][int(tree.answer[node])])
