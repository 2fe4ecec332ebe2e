"""Comparison of two states: which rows change their prediction, and which tree is better."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ceiba.errors import OptionError
from ceiba.paths import node_condition
from ceiba.studio.analysis.node_analysis import NodeAnalysis
from ceiba.studio.analysis.scores import mean_and_se, row_losses, row_shares, score_tree
from ceiba.table import Target
from ceiba.tree import Tree
from ceiba.tree.routing import route

_MAX_PAIRS: Final = 100  # pairs of leaves that are listed


def compare_states(a: NodeAnalysis, b: NodeAnalysis) -> dict[str, Any]:
    """Compare the trees of two states on held-out rows, or on the training rows."""
    data, other = (x.data if x.data.held_out is None else x.data.held_out for x in (a, b))
    if not _is_same_target(data.y, other.y) or (a.data.held_out is None) != (
        b.data.held_out is None
    ):
        raise OptionError("Cannot compare snapshots with different targets or held-out rows.")
    truth = data.y.values[:, 0]
    leaf_ids = [np.asarray(route.apply(x.tree, d.X)) for x, d in ((a, data), (b, other))]
    losses = [row_losses(x.tree, ids, truth) for x, ids in zip((a, b), leaf_ids, strict=True)]
    share = row_shares(data, a.tree)
    difference, se = mean_and_se(losses[1] - losses[0], share)
    risks = [mean_and_se(loss, share) for loss in losses]
    best = int(risks[1][0] < risks[0][0])
    changed = _count_changes(a.tree, b.tree, *leaf_ids)
    return {
        "a": _summarize(a),
        "b": _summarize(b),
        "rows": "train" if a.data.held_out is None else "held_out",
        "n_rows": len(truth),
        "n_changed": sum(row["n_rows"] for row in changed),
        "changed": [
            row
            | {
                "rule_a": _rule_parts(a.tree, row["node_a"]),
                "rule_b": _rule_parts(b.tree, row["node_b"]),
            }
            for row in changed[:_MAX_PAIRS]
        ],
        "difference": difference,
        "se": se,
        "within_one_se": bool(risks[1 - best][0] <= risks[best][0] + risks[best][1]),
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
    """Return the conditions of a leaf, since its number means little in a tree not drawn."""
    return list(node_condition(tree, node).parts(max_levels=4))


def _predicted_value(tree: Tree, node: int) -> Any:
    if tree.task.is_regression("The studio"):
        return float(tree.value[node, 0, 0])
    return str(tree.target.classes[0][int(tree.answer[node])])
