"""Preview a split without applying it, and find the best further cut of a column.

Cuts partition the rows of a node into intervals; a further cut divides one of them. Its gain for
the node is its gain within the interval times the interval's share of the rows. Both of its sides
must have at least `min_samples_leaf` rows.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ceiba.edit.forced import EmptyBranchError, read_split
from ceiba.errors import OptionError
from ceiba.grow import resolve_min_leaf
from ceiba.studio.analysis.branches import (
    NodeTarget,
    assign_branches,
    assign_held_out,
    branches_to_json,
    compute_gain,
    fixed_split_p_value,
    node_criterion,
)
from ceiba.studio.analysis.column import gains_by_cut
from ceiba.studio.analysis.node_analysis import NodeAnalysis
from ceiba.studio.work.splits import parse_cuts, split_from_json, split_to_json
from ceiba.task import Task


def preview_split(analysis: NodeAnalysis, node: int, split: Any) -> dict[str, Any]:
    """Return the branches, gain and p-value of a split without applying it."""
    site = analysis.at(node)
    schema = analysis.problem.table.schema
    splits, missing = read_split(split_from_json(split, schema), analysis.problem.table, site.rows)
    question = splits.split(0, schema)
    assert question is not None
    try:
        branch, n_branches, gain = assign_branches(site, splits, missing)
    except EmptyBranchError as error:
        nothing = {"gain": 0.0, "p_value": 1.0, "branches": [], "held_out": None}
        form = split_to_json(question, schema)
        return {"node": node, "split": str(error), "empty": True, "given": form, **nothing}
    target = NodeTarget.of(site)
    counts = target.counts(branch, n_branches)
    texts = [question.sentence(b, schema) for b in range(n_branches)]
    criterion = node_criterion(analysis.problem)
    return {
        "node": node,
        "split": texts[0],
        "given": split_to_json(question, schema),
        "gain": compute_gain(counts, analysis.problem) if gain is None else gain,
        "p_value": fixed_split_p_value(counts),
        "empty": bool((counts.n_rows == 0).any()),
        "branches": branches_to_json(counts, criterion, texts, target.curves(branch, n_branches)),
        "held_out": _held_out_branches(analysis, node, splits, n_branches, texts),
    }


def _held_out_branches(
    analysis: NodeAnalysis, node: int, splits: Any, n_branches: int, texts: list[str]
) -> Any:
    held_out = analysis.data.held_out
    if held_out is None:
        return None
    rows = analysis.held_out_rows(node)
    branch = assign_held_out(splits, held_out.X, rows)
    weight = None if held_out.weight is None else held_out.weight[rows]
    classes, values = held_out.y.info.classes, held_out.y.values[rows]
    target = NodeTarget(values[:, 0], weight, len(classes[0]) if classes else 0)
    if analysis.tree.task is Task.SURVIVAL:
        target = NodeTarget.of_times(values, weight, analysis.scale_times(values[:, 0]))
    counts, curves = target.counts(branch, n_branches), target.curves(branch, n_branches)
    return branches_to_json(counts, node_criterion(analysis.problem), texts, curves)


def find_further_cut(analysis: NodeAnalysis, node: int, body: dict[str, Any]) -> dict[str, Any]:
    """Find the best cut to add to the cuts of a numeric column; "cut" is None if there is none."""
    name = body.get("column")
    schema = analysis.problem.table.schema
    if not isinstance(name, str) or not schema.columns[schema.index(name)].is_numeric:
        raise OptionError(f"column must be the name of a numeric column, got {name!r}.")
    cuts = sorted(parse_cuts(body.get("cuts")))
    site = analysis.at(node)
    target = NodeTarget.of(site)
    values = np.asarray(analysis.problem.table.column(name).values)[site.rows].astype(np.float64)
    weight = np.ones(len(values)) if target.weight is None else target.weight
    best, best_gain = None, 0.0
    for low, high in pairwise([-np.inf, *cuts, np.inf]):
        rows = np.flatnonzero((values > low) & (values <= high))
        curve = _allowed_cuts(analysis, values, target, rows)
        if curve is None or not len(curve[0]):
            continue
        k = int(np.argmax(curve[1]))
        gain = float(curve[1][k]) * float(weight[rows].sum())
        if gain > best_gain:
            best, best_gain = float(curve[0][k]), gain
    return {"node": node, "column": name, "cut": best}


def _allowed_cuts(analysis: NodeAnalysis, values: Any, target: NodeTarget, rows: Any) -> Any:
    if len(rows) < 2:
        return None
    curve = gains_by_cut(analysis, values[rows], target, rows)
    if curve is None:
        return None
    cut, gain = curve
    n_left = np.searchsorted(np.sort(values[rows]), cut, side="right")
    least = resolve_min_leaf(analysis.problem.options.min_samples_leaf, analysis.problem.n_rows)
    allowed = (n_left >= least) & (len(rows) - n_left >= least)
    return cut[allowed], gain[allowed]
