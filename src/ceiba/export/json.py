"""Export a tree as JSON with one object per node, or the JSON schema of its input rows.

The model file (`tree.save`) is complete and for ceiba; this format is for programs that draw trees
or route rows. A row is routed as follows. A present value decides at the `split`: kind "cut" sends
x <= `cut` to branch `low`; "levels" looks it up in `branch_of`; "intervals" takes the number of
`cuts` below x; "presence" sends present values to branch 0 and missing ones to branch 1. A level
not in `branch_of` goes to `unseen`; it counts as missing if that is null, and is predicted by the
root if that is "root". A missing value is divided by `shares` if the node has them; else it is
routed by the first of `surrogates` with a value, or to `missing`; if that is null, the row stays.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ceiba.export.code.program import median_or_none, read_times, survival_at, to_program
from ceiba.table import ColumnInfo, Kind
from ceiba.task import Task
from ceiba.tree import Tree, has_curve, node_curve, note_text
from ceiba.tree.splits import SplitKind, SplitTable

_TIMES: Final = {"date": "date", "datetime": "date-time"}


def to_json(tree: Tree, *, indent: int | None = 1, times: Sequence[float] = ()) -> str:
    """Return a tree as JSON with one object per node.

    Parameters
    ----------
    tree : Tree
    indent : int, optional
        Spaces per level; None is one line.
    times : sequence of float, default=()
        Survival trees: times at which nodes state the probability of no event so far. Their
        `median` is null if it is not reached.

    Returns
    -------
    str

    Examples
    --------
    >>> import json
    >>> import ceiba
    >>> tree = ceiba.tree.build(("clouds <= 4.5", "no", "yes"))
    >>> json.loads(tree.export("json"))["nodes"][0]["split"]
    {'column': 'clouds', 'kind': 'cut', 'cut': 4.5, 'low': 0}
    """
    to_program(tree, "json")  # raises an error if JSON cannot represent a class
    target, moments = tree.target, read_times(tree, times)
    fields = {
        "format": "ceiba tree",
        "version": 1,
        "task": tree.task,
        "target": target.name,
        **({"outputs": list(target.outputs)} if target.outputs else {}),
        "classes": [labels.tolist() for labels in target.classes],
        "missing": tree.missing,
        "unseen": tree.unseen,
        "criterion": tree.criterion,
        "cost_matrix": None if tree.cost_matrix is None else tree.cost_matrix.tolist(),
        "columns": [
            {
                "name": info.name,
                "kind": str(info.kind),
                "display": info.display,
                "levels": list(info.levels) if info.kind != Kind.NUMERIC else None,
                **({"zone": info.zone} if info.zone else {}),
            }
            for info in tree.schema.columns
        ],
        **({"times": moments} if moments else {}),
        "nodes": [_node_fields(tree, i, moments) for i in range(tree.n_nodes)],
    }
    return json.dumps(fields, indent=indent, allow_nan=False)


def _node_fields(tree: Tree, i: int, times: list[float]) -> dict[str, Any]:
    node = tree.node(i)
    label = node.label
    fields: dict[str, Any] = {
        "id": i,
        "parent": None if i == 0 else int(tree.parent[i]),
        "depth": node.depth,
        "n_rows": node.n_rows,
        "weight": node.weight,
        "impurity": _finite_or_none(node.impurity),
        "prediction": list(label) if isinstance(label, tuple) else label,
        "value": node.value.tolist(),
    }
    if note := note_text(tree, i):
        fields["note"] = note
    if tree.task is Task.SURVIVAL and has_curve(tree, i):
        fields["events"] = node_curve(tree, i).n_events
        fields["median"] = median_or_none(tree, i)
        if times:
            fields["survival"] = survival_at(tree, i, times)
    if tree.attachments is not None:
        fields["attachments"] = {
            name: [_finite_or_none(number) for number in attachment.of(i).tolist()]
            for name, attachment in tree.attachments.items()
        }
    if node.is_leaf:
        return fields
    start, end = tree.branch_start[i : i + 2].tolist()
    default, majority = int(tree.default_branch[i]), int(tree.majority_branch[i])
    fields["split"] = _split_fields(tree, tree.splits, i)
    fields["children"] = tree.branch_node[start:end].tolist()
    fields["gain"] = _finite_or_none(node.gain)
    fields["missing"] = None if default < 0 else default
    fields["unseen"] = {"missing": None, "default": "root"}.get(tree.unseen, majority)
    if tree.missing == "fractional":
        fields["shares"] = tree.branch_share[start:end].tolist()
    table = tree.active_surrogates
    if table is not None:
        first, last = table.start[i : i + 2].tolist()
        fields["surrogates"] = [_split_fields(tree, table.splits, k) for k in range(first, last)]
    return fields


def _finite_or_none(value: float) -> float | None:
    """Return a number, or None if it is not finite and therefore not allowed in JSON."""
    return value if math.isfinite(value) else None


def _split_fields(tree: Tree, splits: SplitTable, i: int) -> dict[str, Any]:
    info = tree.schema.columns[int(splits.column[i])]
    kind = int(splits.kind[i])
    fields: dict[str, Any] = {"column": info.name}
    if kind == SplitKind.PRESENCE:
        return {**fields, "kind": "presence"}
    if kind == SplitKind.CUT and info.kind == Kind.NUMERIC:
        return {
            **fields,
            "kind": "cut",
            "cut": float(splits.cut[i]),
            "low": int(splits.low_branch[i]),
        }
    if kind == SplitKind.INTERVALS:  # rows with cuts[b - 1] < value <= cuts[b] go to branch b
        cuts = splits.interval_cuts(i)
        return {**fields, "kind": "intervals", "cuts": cuts[np.isfinite(cuts)].tolist()}
    if kind == SplitKind.CUT:
        low = int(splits.low_branch[i])
        pairs = [
            (level, low if code <= splits.cut[i] else 1 - low)
            for code, level in enumerate(info.levels)
        ]
    else:
        codes, branches = splits.level_map(i)
        pairs = [
            (info.levels[c], b) for c, b in zip(codes.tolist(), branches.tolist(), strict=True)
        ]
    # Write pairs instead of an object, because levels may be numbers and JSON keys are strings.
    return {**fields, "kind": "levels", "branch_of": [list(pair) for pair in pairs]}


def input_schema(tree: Tree) -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of a row; columns that the tree uses are required."""
    used = [tree.schema.names[j] for j in tree.used_features.tolist()]
    target = tree.target.name
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"a row for {target}" if target is not None else "a row",
        "type": "object",
        "properties": {info.name: _property(tree, info) for info in tree.schema.columns},
        "required": used,
        "additionalProperties": True,
    }


def _property(tree: Tree, info: ColumnInfo) -> dict[str, Any]:
    about: dict[str, Any] = {}
    if not info.is_numeric:
        names = {bool: "boolean", int: "integer", float: "number", str: "string"}
        kinds = list(dict.fromkeys(names[type(level)] for level in info.levels)) or ["string"]
        about["enum" if tree.unseen == "error" else "examples"] = list(info.levels)
    elif info.display == "boolean":
        kinds = ["boolean", "number"]
    elif info.display in _TIMES:
        kinds, about = ["string"], {"format": _TIMES[info.display]}
    else:
        kinds = ["number"]
        if info.display == "duration":
            about["description"] = "seconds"
        if info.minimum is not None and info.maximum is not None:
            seen_range = f"seen when fitting: {info.minimum:g} to {info.maximum:g}"
            about["description"] = "; ".join(filter(None, [about.get("description"), seen_range]))
    if tree.missing != "error":
        kinds = [*kinds, "null"]
        if "enum" in about:
            about["enum"] = [*about["enum"], None]
    return {"type": kinds[0] if len(kinds) == 1 else kinds, **about}
