"""Encode results on stability, split columns, groups and drift for the report page.

The page shows the unpruned tree if it is available; the results refer to the fitted tree. Node
numbers are therefore translated, by walking both trees from the root. Nothing else is computed.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ceiba.errors import OptionError
from ceiba.report.nodes import exact_floats, int_list, rounded_floats
from ceiba.tree import Tree
from ceiba.tree.splits import level_text

_CALLS = {
    "stability": ("model.stability(X, y)", "n_leaves", "agreement"),
    "rivals": ("model.rival_columns(X, y)", "trees", "risk"),
    "groups": ("model.evaluate(X, y, by=...)", "figures", "differences"),
    "drift": ("model.drift(X)", "psi_by_chance", "branches"),
}
_WRONG_TREE = "{name} must be computed with the model of the report, got results of another tree."


def encode_trust(
    tree: Tree,
    *,
    stability: Any = None,
    rivals: Any = None,
    groups: Any = None,
    drift: Any = None,
    output: int = 0,
) -> dict[str, Any] | None:
    """Return the results as a JSON-serializable dict, or None if no results are given."""
    panels = {
        "stability": [
            _encode_stability(tree, result, output)
            for result in _check_results("stability", stability)
        ],
        "rivals": [_encode_rivals(tree, result) for result in _check_results("rivals", rivals)],
        "groups": [_encode_groups(result) for result in _check_results("groups", groups)],
        "drift": [_encode_drift(tree, result) for result in _check_results("drift", drift)],
    }
    if not any(panels.values()):
        return None
    several = ("rivals", "groups")
    return {k: v if k in several else v[0] if v else None for k, v in panels.items()}


def _check_results(name: str, results: Any) -> list[Any]:
    """Check the types of the results passed as the option `name`, and return them as a list."""
    if results is None:
        return []
    call, *attributes = _CALLS[name]
    every = list(results) if isinstance(results, list | tuple) else [results]
    if len(every) > 1 and name in ("stability", "drift"):
        raise OptionError(f"{name} must be a single result, got {len(every)} results.")
    for result in every:
        if not all(hasattr(result, attribute) for attribute in attributes):
            raise OptionError(f"{name} must be the result of {call}, got {type(result).__name__}.")
    return every


def _match_nodes(whole_tree: Tree, tree: Tree, name: str) -> list[int]:
    """Return the node of the unpruned tree that corresponds to each node of the fitted tree."""
    places = [-1] * tree.n_nodes
    waiting = [(0, 0)]
    while waiting:
        i, w = waiting.pop()
        places[i] = w
        if tree.is_leaf[i]:
            continue
        same = (
            tree.splits.column[i] == whole_tree.splits.column[w]
            and tree.n_rows[i] == whole_tree.n_rows[w]
            and tree.n_branches[i] == whole_tree.n_branches[w]
        )
        if not same:
            raise OptionError(_WRONG_TREE.format(name=name))
        branches = tree.branch_node[tree.branch_start[i] : tree.branch_start[i + 1]].tolist()
        start, end = whole_tree.branch_start[w : w + 2]
        waiting += zip(branches, whole_tree.branch_node[start:end].tolist(), strict=True)
    return places


def _match_forced_node(tree: Tree, forced: Tree, node: int) -> int:
    """Return the node of `tree` on the same path as `node` of `forced`, a refitted tree."""
    match = 0
    for above, below in pairwise(forced.path(node).nodes):
        if forced.splits.column[above] != tree.splits.column[match]:
            raise OptionError(_WRONG_TREE.format(name="rivals"))
        match = int(tree.branch_node[tree.branch_start[match] + forced.branch_index[below]])
    return match


def _encode_stability(tree: Tree, stability: Any, output: int) -> dict[str, Any]:
    places = _match_nodes(tree, stability.tree, "stability")
    names = list(tree.schema.names)
    nodes, columns, leaves = stability.nodes, stability.columns, stability.leaves
    depths = [name for name in columns.columns if name.startswith("depth")]
    return {
        "resamples": int(stability.resamples),
        "agreement": float(np.atleast_1d(stability.agreement)[output]),
        "sizes": exact_floats(np.quantile(stability.n_leaves, (0.05, 0.5, 0.95))),
        "nodes": {
            "node": [places[i] for i in nodes["node"].tolist()],
            "reached": rounded_floats(nodes["reached"], 5),
            "chosen": rounded_floats(nodes["chosen"], 5),
            "cut_low": exact_floats(nodes["cut low"]),
            "cut_high": exact_floats(nodes["cut high"]),
            # The most common other split: a column index, -1 for a leaf, or None if there is none.
            "instead": [
                (names.index(name) if name in names else -1) if name else None
                for name in nodes["instead"].tolist()
            ],
            "often": rounded_floats(nodes["how often"], 5),
        },
        "columns": {
            "column": [names.index(name) for name in columns["column"].tolist()],
            "anywhere": rounded_floats(columns["anywhere"], 5),
            "depths": [rounded_floats(columns[name], 5) for name in depths],
            "more": bool(depths) and depths[-1].endswith("and more"),
        },
        "leaves": {
            "node": [places[i] for i in leaves["leaf"].tolist()],
            "rows": int_list(leaves["rows"]),
            "same": rounded_floats(leaves[leaves.columns[3 + output]], 5),
        },
    }


def _encode_rivals(tree: Tree, rivals: Any) -> dict[str, Any]:
    names, table = list(tree.schema.names), rivals.table
    return {
        "node": _match_forced_node(tree, next(iter(rivals.trees.values())), rivals.node),
        "number": int(rivals.node),
        "risk": float(rivals.risk),
        "se": float(rivals.se),
        "column": [names.index(name) for name in table["column"].tolist()],
        "ours": int_list(table["ours"]),
        "leaves": int_list(table["leaves"]),
        "risks": rounded_floats(table["risk"]),
        "ses": rounded_floats(table["SE"]),
        "near": int_list(table["within 1 SE"]),
    }


def _encode_groups(groups: Any) -> dict[str, Any]:
    names = list(groups.evaluations)
    keys = list(dict.fromkeys(groups.figures["figure"].tolist()))
    by_place = {(row["figure"], row["group"]): row for row in groups.figures}
    differences = {(row["figure"], row["group"]): row for row in groups.differences}
    nothing = float("nan")

    def list_figures(rows: dict[Any, Any], key: str, field: str) -> list[Any]:
        return rounded_floats(
            [rows[key, name][field] if (key, name) in rows else nothing for name in names]
        )

    return {
        "by": str(groups.by),
        "positive": None if groups.positive is None else level_text(groups.positive),
        "reference": names.index(groups.reference),
        "confidence": float(groups.confidence),
        "groups": names,
        "rows": [int(groups.evaluations[name].n_rows) for name in names],
        "figures": [
            {
                "key": key,
                **{field: list_figures(by_place, key, field) for field in ("value", "low", "high")},
                "apart": list_figures(differences, key, "difference"),
                "apart_low": list_figures(differences, key, "low"),
                "apart_high": list_figures(differences, key, "high"),
            }
            for key in keys
        ],
    }


def _encode_drift(tree: Tree, drift: Any) -> dict[str, Any]:
    places = _match_nodes(tree, drift.tree, "drift")
    names = list(tree.schema.names)
    branches, leaves, columns = drift.branches, drift.leaves, drift.columns
    rates = {
        name.split(" ", 1)[1].replace(" ", "_"): rounded_floats(leaves[name])
        for name in leaves.columns
        if name.startswith(("rate ", "mean "))
    }
    return {
        "then": int(drift.n_then),
        "now": int(drift.n_now),
        "psi": float(drift.psi),
        "chance": float(drift.psi_by_chance),
        "p": float(drift.p_value if drift.start is None else drift.start_p_value),
        "start": None if drift.start is None else places[drift.start],
        "branches": {
            "node": [places[i] for i in branches["branch"].tolist()],
            "then": int_list(branches["then"]),
            "now": int_list(branches["now"]),
            "psi": rounded_floats(branches["PSI"], 5),
            "p": rounded_floats(branches["p"], 5),
        },
        "leaves": {
            "node": [places[i] for i in leaves["leaf"].tolist()],
            "then": int_list(leaves["then"]),
            "now": int_list(leaves["now"]),
            "psi": rounded_floats(leaves["PSI"], 5),
            "rates": rates or None,
        },
        "columns": {
            "column": [names.index(name) for name in columns["column"].tolist()],
            "missing_then": rounded_floats(columns["missing then"], 5),
            "missing_now": rounded_floats(columns["missing now"], 5),
            "unseen_now": rounded_floats(columns["unseen now"], 5),
            "p": rounded_floats(columns["p"], 5),
        },
    }
