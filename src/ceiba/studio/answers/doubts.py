"""Warnings: a split made by hand that is worse than the best one, held-out rows that disagree.

Worse by more than chance. The best split looks better than it is, because it was searched for. So
both are tried on rows that had no say: in each of five folds of the node's rows the best split is
searched for again in the other four, both splits take their values from these, and the left-out
rows say what each split is worth (as in `ceiba.inspection.heldout_gain`: a row loses 1 - p of its
class, or its squared error). The warning comes where the mean of the paired differences exceeds two
standard errors.

Held-out rows disagree. Classes or numbers of a node's training and held-out rows are compared by
the chi-square test or Welch's; the level, 5 %, is divided by the number of nodes that are tested.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.edit import rules_at
from ceiba.edit.forced import NodeSite
from ceiba.grow import Problem
from ceiba.grow.significance import chi_square_test
from ceiba.prune.cross_validation import read_folds
from ceiba.studio.answers.bench import Bench
from ceiba.studio.answers.rivals import one_level
from ceiba.task import Task
from ceiba.tree import Tree
from ceiba.tree.routing import evaluate_split, route

_FOLDS: Final = 5
_MOST_ROWS: Final = 20_000  # of a node, by which splits are compared
_FEWEST: Final = 20  # rows of a node below which nothing is said
_ERRORS: Final = 2.0  # standard errors
_LEVEL: Final = 0.05
_MOST_NODES: Final = 300
Array = npt.NDArray[Any]


def worse_than_best(bench: Bench, node: int) -> dict[str, Any] | None:
    """Return whether the split of a node is worse than the best one by more than chance."""
    here = bench.at(node)
    split = bench.tree.node(node).split
    rows = here.rows[:: -(-len(here.rows) // _MOST_ROWS)]
    if len(rows) < _FEWEST or split is None or here.weight is not None:
        return None
    problem = _allowed(bench, node, here).take(rows)
    truth = bench.problem.target.values[rows, 0]
    splits = bench.tree.splits.take(np.array([node]))
    branch = evaluate_split(splits, 0, bench.problem.table, rows)
    losses = _paired(problem, truth, branch, int(bench.tree.n_branches[node]))
    loss, se = float(losses.mean()), float(losses.std() / np.sqrt(len(losses)))
    if not loss > _ERRORS * se:
        return None
    best = problem.grow().root.split
    schema = bench.problem.table.schema
    return {
        "code": "worse_than_best",
        "node": node,
        "split": split.sentence(0, schema, max_levels=8),
        "best": None if best is None else best.sentence(0, problem.table.schema, max_levels=8),
        "loss": loss,
        "se": se,
    }


def _allowed(bench: Bench, node: int, here: NodeSite) -> Problem:
    """Return the problem of one level with the columns that may be asked about."""
    table = bench.problem.table
    options = one_level(bench.problem.options, 0, table.n_columns)
    options = replace(options, max_competitors=0, monotonic_cst=None)
    forbidden = rules_at(bench.tree, node).forbid
    columns = [j for j, name in enumerate(table.schema.names) if name not in forbidden]
    if len(columns) < table.n_columns:
        table = table.select(columns)
    return replace(bench.problem, table=table, options=options)


def _paired(problem: Problem, truth: Array, branch: Array, n_branches: int) -> Array:
    """Return the loss of each row by the split of the node, minus that by the best split."""
    difference = np.empty(len(truth))
    for fold in read_folds(_FOLDS, problem):
        stump = problem.grow(fold.train)
        best = _by_tree(stump, problem, fold.test)
        values = _values(problem, truth[fold.train], branch[fold.train], n_branches)
        mine = values[np.where(branch[fold.test] < n_branches, branch[fold.test], -1)]
        score = (_loss(v, truth[fold.test]) for v in (mine, best))
        mine_loss, best_loss = score
        difference[fold.test] = mine_loss - best_loss
    return difference


def _by_tree(stump: Tree, problem: Problem, rows: Array) -> Array:
    ends = route.apply(stump, problem.table.take(rows))
    return np.asarray(stump.value[ends, 0, :])


def _values(problem: Problem, truth: Array, branch: Array, n_branches: int) -> Array:
    """Return the values of the branches, and last that of the node, for rows without a branch."""
    n_classes = len(problem.target.info.classes[0]) if problem.target.info.classes else 0
    parts = [truth[branch == b] for b in range(n_branches)] + [truth]
    parts = [part if len(part) else truth for part in parts]
    if not n_classes:
        return np.array([[part.mean()] for part in parts])
    return np.array([np.bincount(part, minlength=n_classes) / len(part) for part in parts])


def _loss(value: Array, truth: Array) -> Array:
    if value.shape[1] == 1:
        return np.asarray((value[:, 0] - truth) ** 2)
    return np.asarray(1.0 - value[np.arange(len(truth)), truth])


def held_out_disagrees(bench: Bench) -> list[dict[str, Any]]:
    """List the nodes in which held-out rows are not like the training rows."""
    held_out, tree = bench.data.held_out, bench.tree
    if held_out is None or tree.n_outputs > 1:
        return []
    counted = tree.recount(held_out.X, held_out.y, sample_weight=held_out.weight)
    nodes = np.flatnonzero((counted.n_rows >= 5) & (tree.n_rows >= 5))[:_MOST_NODES].tolist()
    rows = {Task.CLASSIFICATION: _compare_classes, Task.REGRESSION: _compare_numbers}
    compare = tree.task.lookup(rows, "The studio")
    listed = []
    for node in nodes:
        p_value, then, now = compare(tree, counted, node)
        if p_value <= _LEVEL / len(nodes):
            listed.append(
                {"code": "held_out_disagrees", "node": node, "p_value": p_value,
                 "train": then, "held_out": now}
            )  # fmt: skip
    return listed


def _compare_classes(
    tree: Tree, counted: Tree, node: int
) -> tuple[float, list[float], list[float]]:
    assert tree.counts is not None
    assert counted.counts is not None
    pair = np.stack([tree.counts[node, 0], counted.counts[node, 0]])
    test = chi_square_test(pair, n_draws=999)
    shares = pair / np.maximum(pair.sum(axis=1, keepdims=True), 1e-300)
    return test.p_value, shares[0].tolist(), shares[1].tolist()


def _compare_numbers(
    tree: Tree, counted: Tree, node: int
) -> tuple[float, list[float], list[float]]:
    from scipy import stats

    figures = [
        (
            float(side.value[node, 0, 0]),
            float(max(side.impurity[node], 0.0)),
            int(side.n_rows[node]),
        )
        for side in (tree, counted)
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


def warnings(bench: Bench, cache: dict[Any, Any]) -> list[dict[str, Any]]:
    """Return all warnings about a tree."""
    listed = []
    for node in bench.state.nodes_by_hand:
        key = bench.key(node)
        if key not in cache:
            cache[key] = worse_than_best(bench, node)
        if cache[key] is not None:
            listed.append({**cache[key], "node": node})
    return listed + held_out_disagrees(bench)
