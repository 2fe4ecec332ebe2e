"""What a split would do, before it is made: for dragging a cut and moving levels."""

from __future__ import annotations

from typing import Any

from ceiba.edit.forced.division import EmptyBranchError, read_split
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
from ceiba.studio.work.splits import read_json, to_json


def preview(bench: Bench, node: int, split: Any) -> dict[str, Any]:
    """Give branches, gain and p-value of a split of a node; nothing changes."""
    here = bench.at(node)
    schema = bench.problem.table.schema
    splits, missing = read_split(read_json(split, schema), bench.problem.table, here.rows)
    question = splits.split(0, schema)
    assert question is not None
    try:
        branch, n_branches, gain = branch_of(here, splits, missing)
    except EmptyBranchError as error:
        nothing = {"gain": 0.0, "p_value": 1.0, "branches": [], "held_out": None}
        given = to_json(question, schema)
        return {"node": node, "split": str(error), "empty": True, "given": given, **nothing}
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
