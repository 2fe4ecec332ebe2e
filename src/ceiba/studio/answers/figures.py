"""How good a tree is: on the rows it was grown on, on held-out rows.

Errors and costs are means over rows; under class priors each class counts as often as its prior
says, whatever its share of these rows. `se` is the standard error of what the tree is judged by:
the cost where costs are set, else the error.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.studio.answers.bench import Bench
from ceiba.studio.prepare import Prepared
from ceiba.tree import Tree
from ceiba.tree.routing import route

Array = npt.NDArray[Any]
_LEAST: Final = 1e-15  # probability in a logarithm


def figures(bench: Bench) -> dict[str, Any]:
    """Give the figures of a tree, without those of cross-validation."""
    held_out = bench.data.held_out
    return {
        "train": figure(bench.tree, bench.data),
        "held_out": None if held_out is None else figure(bench.tree, held_out),
    }


def figure(tree: Tree, data: Prepared) -> dict[str, Any]:
    """Give the figures of a tree on some rows."""
    ends = np.asarray(route.apply(tree, data.X))
    truth = data.y.values[:, 0]
    share = shares(data, tree)
    losses = row_losses(tree, ends, truth)
    mean, se = mean_and_se(losses, share)
    made: dict[str, Any] = {"n_rows": len(truth), "n_leaves": int(tree.n_leaves)}
    root = row_losses(tree, np.zeros_like(ends), truth)
    if tree.task.is_regression("The studio"):
        spread = float(share @ (truth - share @ truth) ** 2)
        return made | {
            "mse": mean,
            "se": se,
            "rmse": float(np.sqrt(mean)),
            "r2": None if spread <= 0 else 1.0 - mean / spread,
            "baseline": float(share @ root),
        }
    error = (tree.answer[ends] != truth).astype(np.float64)
    rate, rate_se = mean_and_se(error, share)
    likely = np.maximum(tree.value[ends, 0, truth], _LEAST)
    return made | {
        "error": rate,
        "se": rate_se if tree.cost_matrix is None else se,
        "cost": None if tree.cost_matrix is None else mean,
        "log_loss": float(-(share @ np.log(likely))),
        "baseline": float(share @ (tree.answer[0] != truth)),
    }


def row_losses(tree: Tree, ends: Array, truth: Array) -> Array:
    """Return what the answer of each leaf costs its row: a mistake, or a squared error."""
    if tree.task.is_regression("The studio"):
        return np.asarray((tree.value[ends, 0, 0] - truth) ** 2)
    answers = tree.answer[ends]
    if tree.cost_matrix is None:
        return np.asarray(answers != truth, np.float64)
    return np.asarray(tree.cost_matrix[truth, answers])


def mean_and_se(values: Array, share: Array) -> tuple[float, float]:
    """Return a weighted mean and its standard error."""
    mean = float(share @ values)
    return mean, float(np.sqrt((share**2) @ (values - mean) ** 2))


def shares(data: Prepared, tree: Tree) -> Array:
    """Return the share of each row in the whole weight; classes weigh as their priors say."""
    weight = np.ones(len(data.y)) if data.weight is None else data.weight
    if tree.class_prior is not None:
        truth = data.y.values[:, 0]
        mass = np.bincount(truth, weight, minlength=len(tree.class_prior))
        weight = weight * (tree.class_prior / np.where(mass > 0, mass, 1.0))[truth]
    return np.asarray(weight / weight.sum())
