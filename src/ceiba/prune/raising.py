"""Pruning by pessimistic errors with subtree raising: what the core decides, made into a Tree.

The core (`cpp/core/prune/raising.cpp`) says which nodes are left and whose split each one asks. If
nodes only became leaves, the tree is collapsed; if branches took the place of their parents, the
nodes are written in their new order and the training rows counted on them.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.grow.limits import limited
from ceiba.grow.per_column import read_monotonic
from ceiba.grow.problem import Problem
from ceiba.grow.repeated import counts_parts, repeat_rows
from ceiba.tree import Tree
from ceiba.tree.grown import fill_empty


def prune_by_errors(tree: Tree, problem: Problem | None, confidence: float) -> Tree:
    """Prune a classification tree with one output by C4.5's error estimates."""
    assert tree.counts is not None
    columns, labels, weight = _rows(problem)
    raised = _core.raise_subtrees(
        tree._router,
        columns,
        labels,
        weight,
        np.ascontiguousarray(tree.counts[:, 0, :]),
        confidence,
        NormalDist().inv_cdf(1 - confidence),
        problem is not None,
        # Newcomers change what rows with a missing value weigh in the branches.
        tree.missing == "fractional" and _has_missing(problem),
    )
    leaf = raised["leaf"].astype(bool)
    if problem is None or not raised["any"]:
        return tree.collapse(raised["node"][leaf])
    moved = rearranged(tree, raised["content"], raised["parent"], raised["weight"], leaf)
    return recounted(moved, problem)


def _rows(problem: Problem | None) -> tuple[Any, npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    if problem is None:
        return _core.Columns(0), np.zeros(0, np.int32), np.zeros(0)
    labels = np.ascontiguousarray(problem.target.values[:, 0], np.int32)
    return problem.table.core(), labels, np.ascontiguousarray(problem.row_weight)


def _has_missing(problem: Problem | None) -> bool:
    return problem is not None and any(c.missing.any() for c in problem.table.columns)


def rearranged(
    tree: Tree,
    source: npt.NDArray[np.intp],
    parent: npt.NDArray[np.intp],
    weight: npt.NDArray[np.float64],
    leaf: npt.NDArray[np.bool_],
) -> Tree:
    """Write nodes in a new pre-order; what they hold is counted afterwards."""
    n_branches = np.bincount(parent[1:], minlength=len(parent))
    by_parent = np.argsort(parent[1:], kind="stable") + 1  # branches of a node keep their order
    figures: dict[str, Any] = {
        name: getattr(tree, name)[source]
        for name in ("n_rows", "impurity", "value", "counts", "risk")
    }
    return replace(
        tree,
        parent=parent,
        branch_start=np.concatenate(([0], np.cumsum(n_branches))),
        branch_node=by_parent,
        splits=tree.splits.take(source, leaf),
        default_branch=np.where(leaf, -1, tree.default_branch[source]),
        gain=np.where(leaf, 0.0, tree.gain[source]),
        sent_default=np.where(leaf, 0, tree.sent_default[source]),
        surrogates=None if tree.surrogates is None else tree.surrogates.take(source, leaf),
        competitors=None,
        tests=None,
        notes=None,  # what a raised node holds is not what was written about
        attachments=None,
        weight=weight,
        **figures,
    )


def recounted(tree: Tree, problem: Problem) -> Tree:
    """Count the training rows on a tree whose branches were raised."""
    if counts_parts(problem.options):
        problem = repeat_rows(problem, None, None, problem.weight)[0]
    labels = tree.target.classes[0][problem.target.values[:, 0]]
    tree = tree.recount(problem.table, labels, sample_weight=problem.weight)
    tree = replace(tree, value=fill_empty(tree.value.copy(), tree.parent, tree.weight))
    # Other rows in a branch have other values, which monotone limits bind as well.
    names = problem.table.schema.names
    return limited(tree, read_monotonic(problem.options.monotonic_cst, names))
