"""What a model's trust checks found, for the page: stability, rival columns, groups, drift.

The page shows the unpruned tree where it is kept; the checks are of the fitted one. Node numbers
are therefore translated from the one to the other, by walking both from the root. Nothing is
computed here: the page shows the figures of `ceiba.trust` as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ceiba.errors import OptionError
from ceiba.report.nodes import exact, shown, whole
from ceiba.tree import Tree
from ceiba.tree.splits import level_text

_CALLS = {
    "stability": ("model.stability(X, y)", "n_leaves", "agreement"),
    "rivals": ("model.rival_columns(X, y)", "trees", "risk"),
    "groups": ("model.evaluate(X, y, by=...)", "figures", "differences"),
    "drift": ("model.drift(X)", "psi_by_chance", "branches"),
}
_OTHER = "{name}: this is of another tree. Compute it with the model that is reported."


def trust_columns(
    tree: Tree,
    *,
    stability: Any = None,
    rivals: Any = None,
    groups: Any = None,
    drift: Any = None,
    output: int = 0,
) -> dict[str, Any] | None:
    """Return the results of trust checks as plain data; None if there are none."""
    panels = {
        "stability": [_stability(tree, result, output) for result in _each("stability", stability)],
        "rivals": [_rivals(tree, result) for result in _each("rivals", rivals)],
        "groups": [_groups(result) for result in _each("groups", groups)],
        "drift": [_drift(tree, result) for result in _each("drift", drift)],
    }
    if not any(panels.values()):
        return None
    several = ("rivals", "groups")
    return {k: v if k in several else v[0] if v else None for k, v in panels.items()}


def _each(name: str, results: Any) -> list[Any]:
    """Return the results as a list; refuse what no check gave."""
    if results is None:
        return []
    call, *parts = _CALLS[name]
    every = list(results) if isinstance(results, list | tuple) else [results]
    if len(every) > 1 and name in ("stability", "drift"):
        raise OptionError(f"{name}: got {len(every)} results. The page shows one.")
    for result in every:
        if not all(hasattr(result, part) for part in parts):
            raise OptionError(f"{name}: got {type(result).__name__}. Pass the result of {call}.")
    return every


def _places(whole_tree: Tree, tree: Tree, name: str) -> list[int]:
    """Return the node of the whole tree at which each node of the fitted tree stands."""
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
            raise OptionError(_OTHER.format(name=name))
        mine = tree.branch_node[tree.branch_start[i] : tree.branch_start[i + 1]].tolist()
        start, end = whole_tree.branch_start[w : w + 2]
        waiting += zip(mine, whole_tree.branch_node[start:end].tolist(), strict=True)
    return places


def _place_above(tree: Tree, forced: Tree, node: int) -> int:
    """Return the place of a node whose split was forced: what lies above it is the fitted tree."""
    way = []
    while node > 0:
        above = int(forced.parent[node])
        start, end = forced.branch_start[above : above + 2]
        way.append((above, forced.branch_node[start:end].tolist().index(node)))
        node = above
    place = 0
    for above, branch in reversed(way):
        if forced.splits.column[above] != tree.splits.column[place]:
            raise OptionError(_OTHER.format(name="rivals"))
        place = int(tree.branch_node[tree.branch_start[place] + branch])
    return place


def _stability(tree: Tree, stability: Any, output: int) -> dict[str, Any]:
    places = _places(tree, stability.tree, "stability")
    names = list(tree.schema.names)
    nodes, columns, leaves = stability.nodes, stability.columns, stability.leaves
    depths = [name for name in columns.columns if name.startswith("depth")]
    return {
        "resamples": int(stability.resamples),
        "agreement": float(np.atleast_1d(stability.agreement)[output]),
        "sizes": exact(np.quantile(stability.n_leaves, (0.05, 0.5, 0.95))),
        "nodes": {
            "node": [places[i] for i in nodes["node"].tolist()],
            "reached": shown(nodes["reached"], 5),
            "chosen": shown(nodes["chosen"], 5),
            "cut_low": exact(nodes["cut low"]),
            "cut_high": exact(nodes["cut high"]),
            "instead": [_column(names, name) for name in nodes["instead"].tolist()],
            "often": shown(nodes["how often"], 5),
        },
        "columns": {
            "column": [names.index(name) for name in columns["column"].tolist()],
            "anywhere": shown(columns["anywhere"], 5),
            "depths": [shown(columns[name], 5) for name in depths],
            "more": bool(depths) and depths[-1].endswith("and more"),
        },
        "leaves": {
            "node": [places[i] for i in leaves["leaf"].tolist()],
            "rows": whole(leaves["rows"]),
            "same": shown(leaves[leaves.columns[3 + output]], 5),
        },
    }


def _column(names: list[str], name: str) -> int | None:
    """Return the number of a column; -1 for a leaf, None for nothing."""
    if not name:
        return None
    return names.index(name) if name in names else -1


def _rivals(tree: Tree, rivals: Any) -> dict[str, Any]:
    names, table = list(tree.schema.names), rivals.table
    return {
        "node": _place_above(tree, next(iter(rivals.trees.values())), rivals.node),
        "number": int(rivals.node),
        "risk": float(rivals.risk),
        "se": float(rivals.se),
        "column": [names.index(name) for name in table["column"].tolist()],
        "ours": whole(table["ours"]),
        "leaves": whole(table["leaves"]),
        "risks": shown(table["risk"]),
        "ses": shown(table["SE"]),
        "near": whole(table["within 1 SE"]),
    }


def _groups(groups: Any) -> dict[str, Any]:
    names = list(groups.evaluations)
    keys = list(dict.fromkeys(groups.figures["figure"].tolist()))
    by_place = {(row["figure"], row["group"]): row for row in groups.figures}
    apart = {(row["figure"], row["group"]): row for row in groups.differences}
    nothing = float("nan")

    def listed(rows: dict[Any, Any], key: str, field: str) -> list[Any]:
        return shown([rows[key, name][field] if (key, name) in rows else nothing for name in names])

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
                **{field: listed(by_place, key, field) for field in ("value", "low", "high")},
                "apart": listed(apart, key, "difference"),
                "apart_low": listed(apart, key, "low"),
                "apart_high": listed(apart, key, "high"),
            }
            for key in keys
        ],
    }


def _drift(tree: Tree, drift: Any) -> dict[str, Any]:
    places = _places(tree, drift.tree, "drift")
    names = list(tree.schema.names)
    branches, leaves, columns = drift.branches, drift.leaves, drift.columns
    rates = {
        name.split(" ", 1)[1].replace(" ", "_"): shown(leaves[name])
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
            "then": whole(branches["then"]),
            "now": whole(branches["now"]),
            "psi": shown(branches["PSI"], 5),
            "p": shown(branches["p"], 5),
        },
        "leaves": {
            "node": [places[i] for i in leaves["leaf"].tolist()],
            "then": whole(leaves["then"]),
            "now": whole(leaves["now"]),
            "psi": shown(leaves["PSI"], 5),
            "rates": rates or None,
        },
        "columns": {
            "column": [names.index(name) for name in columns["column"].tolist()],
            "missing_then": shown(columns["missing then"], 5),
            "missing_now": shown(columns["missing now"], 5),
            "unseen_now": shown(columns["unseen now"], 5),
            "p": shown(columns["p"], 5),
        },
    }
