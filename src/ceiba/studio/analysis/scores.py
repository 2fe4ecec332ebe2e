"""Score a tree on training rows, on held-out rows, and by cross-validation.

Errors and costs are means over rows; with class priors, each class is weighted by its prior. `se`
is the standard error of the cost if costs are set, else of the error. The profit of a tree is the
cost per row that it saves compared with predicting its root. Survival trees are scored by Harrell's
C. The loss of a row is then 1 - C minus its contribution, so that the losses have the mean and
standard error of 1 - C.

In each fold of cross-validation, splits set by hand and those above them are kept, and grown
subtrees are regrown from the rows of the fold, to the same depth. The scores thus account for
the search, but not for the choices of the user. A node without rows in a fold becomes a leaf.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.edit import grow_at, rebuild_subtree, repeat_split, rules_at
from ceiba.edit.forced import NodeSite
from ceiba.errors import CeibaError, DataError
from ceiba.grow import Problem
from ceiba.prune import choose_step, pruning_sequence
from ceiba.prune.cross_validation import Fold, FoldTree, GrownFold, SurvivalFoldTree, read_folds
from ceiba.report import exact_floats
from ceiba.studio.analysis.node_analysis import NodeAnalysis
from ceiba.studio.prepare import Prepared
from ceiba.survival import concordance
from ceiba.task import Task
from ceiba.tree import Tree
from ceiba.tree.routing import route

Array = npt.NDArray[Any]
_MIN_PROBABILITY: Final = 1e-15  # avoids log(0)


def score_tree(analysis: NodeAnalysis) -> dict[str, Any]:
    """Return the scores of a tree on training and held-out rows."""
    held_out = analysis.data.held_out
    return {
        "train": score_rows(analysis.tree, analysis.data),
        "held_out": None if held_out is None else score_rows(analysis.tree, held_out),
    }


def score_rows(tree: Tree, data: Prepared) -> dict[str, Any]:
    """Return the scores of a tree on some rows."""
    leaf_ids = np.asarray(route.apply(tree, data.X))
    truth = data.y.values[:, 0]
    share = row_shares(data, tree)
    losses = row_losses(tree, row_answers(tree, leaf_ids), data)
    mean, se = mean_and_se(losses, share)
    scores: dict[str, Any] = {"n_rows": len(truth), "n_leaves": int(tree.n_leaves)}
    if tree.task is Task.SURVIVAL:
        events = int(data.y.values[:, 1].sum())
        return scores | {"concordance": 1.0 - mean, "se": se, "n_events": events}
    root = row_losses(tree, row_answers(tree, np.zeros_like(leaf_ids)), data)
    if not tree.task.has_classes:
        spread = float(share @ (truth - share @ truth) ** 2)
        return scores | {
            "mse": mean,
            "se": se,
            "rmse": float(np.sqrt(mean)),
            "r2": None if spread <= 0 else 1.0 - mean / spread,
            "baseline": float(share @ root),
        }
    error = (tree.answer[leaf_ids] != truth).astype(np.float64)
    rate, rate_se = mean_and_se(error, share)
    likely = np.maximum(tree.value[leaf_ids, 0, truth], _MIN_PROBABILITY)
    return scores | {
        "error": rate,
        "se": rate_se if tree.cost_matrix is None else se,
        "cost": None if tree.cost_matrix is None else mean,
        "log_loss": float(-(share @ np.log(likely))),
        "baseline": float(share @ (tree.answer[0] != truth)),
        "profit": None if tree.cost_matrix is None else float(share @ (root - losses)),
    }


def row_answers(tree: Tree, leaf_ids: Array) -> Array:
    """Return the prediction of each row: the code of a class, or a number."""
    values = tree.answer if tree.task.has_classes else tree.value[:, 0, 0]
    return np.asarray(values[leaf_ids])


def row_losses(
    tree: Tree, answers: Array, data: Prepared, groups: list[Array] | None = None
) -> Array:
    """Return the loss of each row: error, cost, squared error or contribution to 1 - concordance.

    The risks of survival trees are compared within `groups` of rows only.
    """
    if tree.task is Task.SURVIVAL:
        groups = [np.arange(len(data.y))] if groups is None else groups
        return _rank_losses(answers, data, row_shares(data, tree), groups)
    truth = data.y.values[:, 0]
    if not tree.task.has_classes:
        return np.asarray((answers - truth) ** 2)
    if tree.cost_matrix is None:
        return np.asarray(answers != truth, np.float64)
    return np.asarray(tree.cost_matrix[truth, answers])


def _rank_losses(risk: Array, data: Prepared, share: Array, groups: list[Array]) -> Array:
    """Return the loss of each row; the mean loss is 1 - concordance of the rows within groups."""
    # Risks of different folds are not comparable, because they depend on the events of the fold.
    time, event = data.y.values.T
    terms, concordant, pairs = np.zeros(len(risk)), 0.0, 0.0
    for rows in groups:
        try:
            ranked = concordance(time[rows], event[rows], risk[rows], share[rows])
        except DataError:  # the group contains no comparable pair
            continue
        n_pairs = ranked.concordant + ranked.discordant + ranked.tied
        concordant += ranked.value * n_pairs
        pairs += n_pairs
        terms[rows] = n_pairs * ranked.contributions
    if not pairs:
        return np.full(len(risk), 0.5)
    each = np.divide(terms, pairs * share, out=np.zeros(len(risk)), where=share > 0)
    return np.asarray(1.0 - concordant / pairs - each)


def mean_and_se(values: Array, share: Array) -> tuple[float, float]:
    """Return the mean of `values`, weighted by `share`, and its standard error."""
    mean = float(share @ values)
    return mean, float(np.sqrt((share**2) @ (values - mean) ** 2))


def row_shares(data: Prepared, tree: Tree) -> Array:
    """Return each row's share of the total weight, adjusted for class priors."""
    weight = np.ones(len(data.y)) if data.weight is None else data.weight
    if tree.class_prior is not None:
        truth = data.y.values[:, 0]
        mass = np.bincount(truth, weight, minlength=len(tree.class_prior))
        weight = weight * (tree.class_prior / np.where(mass > 0, mass, 1.0))[truth]
    return np.asarray(weight / weight.sum())


class CancelledError(Exception):
    """Exception raised if a cross-validation is canceled."""


def cross_validate(
    analysis: NodeAnalysis,
    folds: int,
    on_fold: Callable[[int, int], None],
    is_cancelled: Callable[[], bool],
) -> tuple[dict[str, Any], Array, Array]:
    """Return the cross-validated scores of a tree, and the prediction and loss of each row.

    `on_fold(done, total)` is called after each fold. "curve" has the risk of each step of the
    pruning sequence, computed with the trees of the folds.
    """
    problem, data = analysis.problem, analysis.data
    truth = problem.target.values[:, 0]
    root_answers = row_answers(analysis.tree, np.zeros(len(truth), np.int64))
    answers = root_answers.copy()
    parts = read_folds(folds, problem)
    curve = _RiskCurve.of(analysis.tree, problem)
    for done, fold in enumerate(parts):
        if is_cancelled():
            raise CancelledError
        tree = refit_fold(analysis.tree, analysis.state.nodes_by_hand, problem, fold.train)
        leaf_ids = np.asarray(route.apply(tree, problem.table.take(fold.test)))
        answers[fold.test] = row_answers(tree, leaf_ids)
        if curve is not None:
            curve.add(GrownFold(fold.train, fold.test, tree, leaf_ids))
        on_fold(done + 1, len(parts))
    share = row_shares(data, analysis.tree)
    losses = row_losses(analysis.tree, answers, data, [fold.test for fold in parts])
    risk, se = mean_and_se(losses, share)
    scores: dict[str, Any] = {
        "n_rows": len(truth),
        "folds": len(parts),
        "n_leaves": int(analysis.tree.n_leaves),
        "curve": None if curve is None else curve.to_json(parts),
    }
    if problem.options.task is Task.SURVIVAL:
        scores |= {"concordance": 1.0 - risk, "se": se}
    elif not analysis.tree.task.has_classes:
        spread = float(share @ (truth - share @ truth) ** 2)
        r2 = 1.0 - risk / spread if spread > 0 else None
        scores |= {"mse": risk, "se": se, "rmse": float(np.sqrt(risk)), "r2": r2}
    else:
        error, error_se = mean_and_se((answers != truth).astype(float), share)
        scores |= {"error": error, "se": error_se, "cost": None}
        if analysis.tree.cost_matrix is not None:
            profit = float(share @ (row_losses(analysis.tree, root_answers, data) - losses))
            scores |= {"se": se, "cost": risk, "profit": profit}
    return scores, answers, losses


class _RiskCurve:
    """The cross-validated risk at each step of a pruning sequence."""

    def __init__(self, work: FoldTree) -> None:
        self.work = work
        self.sums = np.zeros((2, len(work.grid)))

    @classmethod
    def of(cls, tree: Tree, problem: Problem) -> _RiskCurve | None:
        """Return an empty curve for a tree, or None if it has no pruning sequence."""
        try:
            sequence = pruning_sequence(tree, risk="cost")
        except CeibaError:
            return None
        kind = SurvivalFoldTree if problem.options.task is Task.SURVIVAL else FoldTree
        return cls(kind(problem, np.append(sequence.alpha_between, np.inf)))

    def add(self, fold: GrownFold) -> None:
        """Add the losses on the test rows of a fold."""
        first, second, _ = self.work(fold, 1)
        self.sums += [first, second]

    def to_json(self, folds: list[Fold]) -> dict[str, Any]:
        """Return risks, standard errors, and the steps selected by minimum risk and 1-SE rule."""
        risk, variance = self.work.mean_and_variance(self.sums[0], self.sums[1], folds)
        risk = np.ldexp(risk, self.work.exponent)
        se = np.ldexp(np.sqrt(variance), self.work.exponent)
        return {
            "cv_risk": exact_floats(risk),
            "cv_se": exact_floats(se),
            "minimum": choose_step(risk, se, "min"),
            "one_se": choose_step(risk, se, "1se"),
            "chosen": None,
            "title": "",
        }


def refit_fold(tree: Tree, by_hand: list[int], problem: Problem, rows: Any) -> Tree:
    """Refit a tree to `rows`: keep the splits set by hand and those above them; regrow the rest."""
    on_path = np.zeros(tree.n_nodes, bool)
    for node in by_hand:
        on_path[list(tree.path(node).nodes)] = True
    depth = tree.node_depth

    def regrow_node(node: int, site: NodeSite) -> tuple[Tree, list[NodeSite]]:
        if on_path[node]:
            return repeat_split(tree, node, site)
        inside = slice(node, int(tree.subtree_end[node]))
        levels = int(depth[inside].max() - depth[node])
        return grow_at(site, rules_at(tree, node), levels), []

    return rebuild_subtree(tree, 0, NodeSite.root(problem, rows), regrow_node)
