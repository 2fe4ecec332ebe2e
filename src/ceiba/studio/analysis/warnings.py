"""Warn about inferior splits, and about held-out rows that differ from the training rows.

worse_than_best: the best split looks better than it is because it was selected. Both splits are
therefore compared by cross-validation on the rows of the node. In each of five folds, the training
rows determine the best split and the values of both splits, and the losses of the test rows are
compared (1 - p of the class, or the squared error, as in `ceiba.inspection.heldout_gain`). A
warning is returned if the mean of the paired differences is larger than two standard errors.

held_out_disagrees: a chi-square or Welch's test compares the target of the training and the
held-out rows of a node, at a level of 5 % divided by the number of tested nodes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.edit import rules_at
from ceiba.edit.forced import NodeSite
from ceiba.grow import Problem, allowed_columns
from ceiba.grow.significance import chi_square_test
from ceiba.prune.cross_validation import read_folds
from ceiba.studio.analysis.node_analysis import NodeAnalysis
from ceiba.studio.analysis.rivals import one_level_options
from ceiba.task import Task
from ceiba.tree import Tree
from ceiba.tree.routing import evaluate_split, route

_FOLDS: Final = 5
_MAX_ROWS: Final = 20_000  # maximum number of rows; larger nodes are sampled evenly
_MIN_ROWS: Final = 20  # minimum number of rows; smaller nodes are not checked
_N_STANDARD_ERRORS: Final = 2.0
_LEVEL: Final = 0.05
_MAX_NODES: Final = 300
Array = npt.NDArray[Any]
_Comparison = tuple[float, list[float], list[float]]  # p-value, training and held-out statistics


def check_against_best(analysis: NodeAnalysis, node: int) -> dict[str, Any] | None:
    """Return a warning if the split of a node is significantly worse than the best split."""
    site = analysis.at(node)
    split = analysis.tree.node(node).split
    rows = site.rows[:: -(-len(site.rows) // _MAX_ROWS)]
    # The loss of a single censored row is not defined.
    has_times = analysis.tree.task is Task.SURVIVAL
    if has_times or len(rows) < _MIN_ROWS or split is None or site.weight is not None:
        return None
    problem = _one_level_problem(analysis, node, site).take(rows)
    truth = analysis.problem.target.values[rows, 0]
    splits = analysis.tree.splits.take(np.array([node]))
    branch = evaluate_split(splits, 0, analysis.problem.table, rows)
    losses = _paired_losses(problem, truth, branch, int(analysis.tree.n_branches[node]))
    loss, se = float(losses.mean()), float(losses.std() / np.sqrt(len(losses)))
    if not loss > _N_STANDARD_ERRORS * se:
        return None
    best = problem.grow().root.split
    schema = analysis.problem.table.schema
    return {
        "code": "worse_than_best",
        "node": node,
        "split": split.sentence(0, schema, max_levels=8),
        "best": None if best is None else best.sentence(0, problem.table.schema, max_levels=8),
        "loss": loss,
        "se": se,
    }


def _one_level_problem(analysis: NodeAnalysis, node: int, site: NodeSite) -> Problem:
    """Return a `Problem` for growing a one-level tree on the columns allowed at a node."""
    table = analysis.problem.table
    options = one_level_options(analysis.problem.options, 0, table.n_columns)
    names = table.schema.names
    allowed = allowed_columns(options, names, site.path)
    options = replace(options, max_competitors=0, monotonic_cst=None, interaction_cst=None)
    forbidden = rules_at(analysis.tree, node).forbid
    columns = [j for j in allowed if names[j] not in forbidden]
    if len(columns) < table.n_columns:
        table = table.select(columns)
    return replace(analysis.problem, table=table, options=options)


def _paired_losses(problem: Problem, truth: Array, branch: Array, n_branches: int) -> Array:
    """Return the difference in cross-validated loss between the node's split and the best split."""
    difference = np.empty(len(truth))
    for fold in read_folds(_FOLDS, problem):
        stump = problem.grow(fold.train)
        best = _predict_values(stump, problem, fold.test)
        values = _branch_values(problem, truth[fold.train], branch[fold.train], n_branches)
        current = values[np.where(branch[fold.test] < n_branches, branch[fold.test], -1)]
        losses = [_row_loss(v, truth[fold.test]) for v in (current, best)]
        difference[fold.test] = losses[0] - losses[1]
    return difference


def _predict_values(stump: Tree, problem: Problem, rows: Array) -> Array:
    leaf_ids = route.apply(stump, problem.table.take(rows))
    return np.asarray(stump.value[leaf_ids, 0, :])


def _branch_values(problem: Problem, truth: Array, branch: Array, n_branches: int) -> Array:
    """Return mean or class shares of each branch and, for rows without a branch, of all rows."""
    n_classes = len(problem.target.info.classes[0]) if problem.target.info.classes else 0
    parts = [truth[branch == b] for b in range(n_branches)] + [truth]
    parts = [values if len(values) else truth for values in parts]
    if not n_classes:
        return np.array([[values.mean()] for values in parts])
    return np.array([np.bincount(values, minlength=n_classes) / len(values) for values in parts])


def _row_loss(value: Array, truth: Array) -> Array:
    if value.shape[1] == 1:
        return np.asarray((value[:, 0] - truth) ** 2)
    return np.asarray(1.0 - value[np.arange(len(truth)), truth])


def compare_held_out(analysis: NodeAnalysis) -> list[dict[str, Any]]:
    """List the nodes whose held-out rows differ significantly from the training rows."""
    held_out, tree = analysis.data.held_out, analysis.tree
    if held_out is None or tree.n_outputs > 1 or tree.task is Task.SURVIVAL:
        return []
    new_tree = tree.refit_leaves(held_out.X, held_out.y, sample_weight=held_out.weight)
    nodes = np.flatnonzero((new_tree.n_rows >= 5) & (tree.n_rows >= 5))[:_MAX_NODES].tolist()
    rows = {Task.CLASSIFICATION: _compare_classes, Task.REGRESSION: _compare_numbers}
    compare = tree.task.lookup(rows, "The studio")
    findings = []
    for node in nodes:
        p_value, then, now = compare(tree, new_tree, node)
        if p_value <= _LEVEL / len(nodes):
            findings.append(
                {"code": "held_out_disagrees", "node": node, "p_value": p_value,
                 "train": then, "held_out": now}
            )  # fmt: skip
    return findings


def _compare_classes(tree: Tree, new_tree: Tree, node: int) -> _Comparison:
    assert tree.counts is not None
    assert new_tree.counts is not None
    pair = np.stack([tree.counts[node, 0], new_tree.counts[node, 0]])
    test = chi_square_test(pair, n_draws=999)
    shares = pair / np.maximum(pair.sum(axis=1, keepdims=True), 1e-300)
    return test.p_value, shares[0].tolist(), shares[1].tolist()


def _compare_numbers(tree: Tree, new_tree: Tree, node: int) -> _Comparison:
    from scipy import stats

    figures = [
        (
            float(side.value[node, 0, 0]),
            float(max(side.impurity[node], 0.0)),
            int(side.n_rows[node]),
        )
        for side in (tree, new_tree)
    ]
    moments = [[mean, float(np.sqrt(variance))] for mean, variance, _ in figures]
    if tree.criterion != "squared_error" or all(variance == 0 for _, variance, _ in figures):
        return 1.0, moments[0], moments[1]
    unbiased = [variance * n / max(n - 1, 1) for _, variance, n in figures]
    (m1, _, n1), (m2, _, n2) = figures
    test = stats.ttest_ind_from_stats(
        m1, np.sqrt(unbiased[0]), n1, m2, np.sqrt(unbiased[1]), n2, equal_var=False
    )
    return float(test.pvalue), moments[0], moments[1]


def list_warnings(analysis: NodeAnalysis, cache: dict[Any, Any]) -> list[dict[str, Any]]:
    """Return all warnings about a tree."""
    entries = []
    for node in analysis.state.nodes_by_hand:
        key = analysis.key(node)
        if key not in cache:
            cache[key] = check_against_best(analysis, node)
        if cache[key] is not None:
            entries.append({**cache[key], "node": node})
    return entries + compare_held_out(analysis)
