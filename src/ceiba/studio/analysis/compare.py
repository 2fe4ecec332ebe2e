"""Compare two trees of the studio: find changed predictions and the better tree.

Trees are compared as by `ceiba.compare`, on held-out rows or by the cross-validated predictions of
the training rows. Losses that differ only by rounding errors count as equal.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError
from ceiba.paths import node_condition
from ceiba.studio.analysis.node_analysis import NodeAnalysis
from ceiba.studio.analysis.scores import row_answers, row_losses, row_shares, score_tree
from ceiba.studio.prepare import Prepared
from ceiba.task import Task
from ceiba.tree import Tree
from ceiba.tree.routing import route

Array = npt.NDArray[Any]
#: Predictions of two trees and losses of two trees, as arrays with one value per row.
Judged = tuple[tuple[Array, Array], tuple[Array, Array]]
_ROUNDING: Final = 1e-12  # smaller relative differences of losses are due to rounding


def compare_states(
    a: NodeAnalysis, b: NodeAnalysis, validated: Judged | None = None, lang: str = "en"
) -> dict[str, Any]:
    """Compare the trees of two states on held-out rows, or else by cross-validation."""
    from ceiba.audit import count_moves  # this imports scikit-learn

    data, other = (x.data if x.data.held_out is None else x.data.held_out for x in (a, b))
    same_target = data.y.info == other.y.info and np.array_equal(data.y.values, other.y.values)
    if not same_target or (a.data.held_out is None) != (b.data.held_out is None):
        raise OptionError("Trees to compare must have the same target and held-out rows.")
    first, second = (np.asarray(route.apply(x.tree, rows.X)) for x, rows in ((a, data), (b, other)))
    answers = row_answers(a.tree, first), row_answers(b.tree, second)
    if a.data.held_out is not None:
        losses = row_losses(a.tree, answers[0], data), row_losses(b.tree, answers[1], data)
        validated = answers, losses
    elif validated is None and a.tree == b.tree:
        validated = answers, (np.zeros(len(data.y)), np.zeros(len(data.y)))
    moves = count_moves((first, second), answers, None, False)
    return {
        "a": _summarize(a),
        "b": _summarize(b),
        "rows": "train" if a.data.held_out is None else "held_out",
        "n_rows": len(data.y),
        "n_changed": int(np.count_nonzero(answers[0] != answers[1])),
        "changed": [
            change for move in moves if (change := _change(a.tree, b.tree, *move.values()))
        ],
        "verdict": None if validated is None else _judge(a, data, *validated, lang),
    }


def _change(a: Tree, b: Tree, i: int, j: int, n_rows: int) -> dict[str, Any] | None:
    """Describe two leaves, or return None if their predictions are equal."""
    before, after = _predicted_value(a, i), _predicted_value(b, j)
    if before == after:
        return None
    rules = {
        f"rule_{side}": list(node_condition(tree, node).parts(max_levels=4))
        for side, tree, node in (("a", a, i), ("b", b, j))
    }
    return {"a": before, "b": after, "node_a": i, "node_b": j, "n_rows": n_rows} | rules


def _judge(
    a: NodeAnalysis,
    data: Prepared,
    answers: tuple[Array, Array],
    losses: tuple[Array, Array],
    lang: str,
) -> dict[str, Any]:
    """Compare the losses of two trees, and find rules for the rows on which they disagree."""
    from ceiba.audit import compare_predictions, mean_figure

    task, costs = a.tree.task, a.tree.cost_matrix
    share = row_shares(data, a.tree)
    truth = None if task is Task.SURVIVAL else data.y.values[:, 0]
    weight = share * len(share)
    compared = compare_predictions(
        data.X,
        answers,
        truth,
        task.has_classes,
        [mean_figure("loss", *losses, weight)],
        weight,
        lang=lang,
    )
    loss = compared.differences.row(0)
    difference = loss["difference"]
    errors = None
    if task.has_classes and costs is None:
        errors = [int(np.count_nonzero(x)) for x in losses]
        if bool((share == share[0]).all()):
            difference = (errors[1] - errors[0]) / len(share)
    elif abs(difference) <= _ROUNDING * max(loss["first"], loss["second"]):
        difference = 0.0
    variance = None
    if task is Task.REGRESSION and truth is not None:
        variance = float(share @ (truth - share @ truth) ** 2)
    return {
        "rows": "held_out" if a.data.held_out is not None else "cross_validated",
        "errors": errors,
        "n_rows": len(share),
        "variance": variance,
        "difference": difference,
        "low": loss["low"],
        "high": loss["high"],
        "is_clear": bool(loss["low"] > 0 or loss["high"] < 0),
        "better": None if difference == 0 else "ab"[int(difference < 0)],
        "mcnemar": compared.mcnemar,
        "rules": list(compared.rules),
    }


def _summarize(analysis: NodeAnalysis) -> dict[str, Any]:
    n_leaves, depth = int(analysis.tree.n_leaves), int(analysis.tree.depth)
    return {"figures": score_tree(analysis), "n_leaves": n_leaves, "depth": depth}


def _predicted_value(tree: Tree, node: int) -> Any:
    if not tree.task.has_classes:
        return float(tree.value[node, 0, 0])
    return str(tree.target.classes[0][int(tree.answer[node])])
