"""What a split would do, before it is made; and one more cut beside those of a draft.

Cuts part the rows of a node into intervals, and a further cut divides one of them. What it gains
for the node is what it gains in its interval, times the interval's share of the rows. Both sides of
it have at least `min_samples_leaf` rows.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ceiba.edit.forced import EmptyBranchError, read_split
from ceiba.errors import OptionError
from ceiba.grow import resolve_min_leaf
from ceiba.studio.answers.bench import Bench
from ceiba.studio.answers.branches import (
    NodeTarget,
    branch_of,
    criterion_of,
    gain_of,
    held_out_branch,
    in_json,
    plain_p_value,
)
from ceiba.studio.answers.column import gains_along
from ceiba.studio.work.splits import read_cuts, read_json, to_json


def preview(bench: Bench, node: int, split: Any) -> dict[str, Any]:
    """Return branches, gain and p-value of a split of a node; nothing changes."""
    here = bench.at(node)
    schema = bench.problem.table.schema
    splits, missing = read_split(read_json(split, schema), bench.problem.table, here.rows)
    question = splits.split(0, schema)
    assert question is not None
    try:
        branch, n_branches, gain = branch_of(here, splits, missing)
    except EmptyBranchError as error:
        nothing = {"gain": 0.0, "p_value": 1.0, "branches": [], "held_out": None}
        form = to_json(question, schema)
        return {"node": node, "split": str(error), "empty": True, "given": form, **nothing}
    counts = NodeTarget.of(here).counts(branch, n_branches)
    texts = [question.sentence(b, schema) for b in range(n_branches)]
    criterion = criterion_of(bench.problem)
    return {
        "node": node,
        "split": texts[0],
        "given": to_json(question, schema),
        "gain": gain_of(counts, bench.problem) if gain is None else gain,
        "p_value": plain_p_value(counts),
        "empty": bool((counts.n_rows == 0).any()),
        "branches": in_json(counts, criterion, texts),
        "held_out": _held_out(bench, node, splits, n_branches, texts),
    }


def _held_out(bench: Bench, node: int, splits: Any, n_branches: int, texts: list[str]) -> Any:
    held_out = bench.data.held_out
    if held_out is None:
        return None
    rows = bench.held_out_rows(node)
    branch = held_out_branch(bench.tree, splits, held_out.X, rows)
    weight = None if held_out.weight is None else held_out.weight[rows]
    classes = held_out.y.info.classes
    target = NodeTarget(held_out.y.values[rows, 0], weight, len(classes[0]) if classes else 0)
    return in_json(target.counts(branch, n_branches), criterion_of(bench.problem), texts)


def further_cut(bench: Bench, node: int, body: dict[str, Any]) -> dict[str, Any]:
    """Return the best further cut of a numeric column; null where no interval can be cut."""
    name = body.get("column")
    schema = bench.problem.table.schema
    if not isinstance(name, str) or not schema.columns[schema.index(name)].is_numeric:
        raise OptionError(f"column: got {name!r}. Pass the name of a column of numbers.")
    cuts = sorted(read_cuts(body.get("cuts")))
    here = bench.at(node)
    target = NodeTarget.of(here)
    values = np.asarray(bench.problem.table.column(name).values)[here.rows].astype(np.float64)
    weight = np.ones(len(values)) if target.weight is None else target.weight
    best, gained = None, 0.0
    for low, high in pairwise([-np.inf, *cuts, np.inf]):
        rows = np.flatnonzero((values > low) & (values <= high))
        curve = _curve(bench, values, target, rows)
        if curve is None or not len(curve[0]):
            continue
        k = int(np.argmax(curve[1]))
        gain = float(curve[1][k]) * float(weight[rows].sum())
        if gain > gained:
            best, gained = float(curve[0][k]), gain
    return {"node": node, "column": name, "cut": best}


def _curve(bench: Bench, values: Any, target: NodeTarget, rows: Any) -> Any:
    if len(rows) < 2:
        return None
    weight = None if target.weight is None else target.weight[rows]
    curve = gains_along(bench, values[rows], target.values[rows], weight)
    if curve is None:
        return None
    cut, gain = curve
    n_left = np.searchsorted(np.sort(values[rows]), cut, side="right")
    least = resolve_min_leaf(bench.problem.options.min_samples_leaf, bench.problem.n_rows)
    allowed = (n_left >= least) & (len(rows) - n_left >= least)
    return cut[allowed], gain[allowed]
