"""The JSON export, routed by a small interpreter of the rules that docs/exports.md states."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from tests.export.agreement import compare, parts, several
from tests.export.drawn_trees import Drawn, draw


def ask(split: Any, row: dict[str, Any]) -> int | str | None:
    """Return the branch of a row; "unseen" for a level not listed, None for a missing value."""
    value = row[split["column"]]
    if split["kind"] == "presence":
        return 1 if value is None else 0
    if value is None:
        return None
    if split["kind"] == "intervals":
        return sum(cut < value for cut in split["cuts"])
    if split["kind"] == "cut":
        low: int = split["low"]
        return low if value <= split["cut"] else 1 - low
    return next((branch for level, branch in split["branch_of"] if level == value), "unseen")


def step(node: Any, row: dict[str, Any]) -> int | str | None:
    """Return the branch that a row takes at a node, "root", or None if nothing decides."""
    branch = ask(node["split"], row)
    if branch == "unseen":
        branch = node["unseen"]
    for one in node.get("surrogates", []):
        if branch is not None:
            break
        branch = ask(one, row)
        branch = None if branch == "unseen" else branch
    return branch


def route(nodes: list[Any], row: dict[str, Any]) -> int:
    """Return the node a row ends in."""
    at = 0
    while "split" in nodes[at]:
        branch = step(nodes[at], row)
        if branch == "root":
            return 0
        if branch is None:
            branch = nodes[at]["missing"]
        if branch is None:
            break
        at = nodes[at]["children"][branch]
    return at


def spread(nodes: list[Any], row: dict[str, Any]) -> dict[int, float]:
    """Return the leaves a row reaches and its share in each, where nothing decides by `shares`."""
    ends: dict[int, float] = {}
    open_ = [(0, 1.0)]
    while open_:
        at, share = open_.pop()
        node = nodes[at]
        if "split" not in node:
            ends[at] = ends.get(at, 0.0) + share
            continue
        branch = step(node, row)
        if branch == "root":
            return {0: 1.0}
        if branch is not None:
            open_.append((node["children"][branch], share))
            continue
        total = sum(node["shares"])
        for child, part in zip(node["children"], node["shares"], strict=True):
            if part > 0:
                open_.append((child, share * part / total))
    return ends


def rows_of(drawn: Drawn) -> list[dict[str, Any]]:
    return [
        dict(zip(drawn.rows, row, strict=True)) for row in zip(*drawn.rows.values(), strict=True)
    ]


@parts()
def test_json_routed_by_its_documented_rules_agrees_with_predict(part: int | None) -> None:
    for drawn in several(part, flat=True):
        nodes = json.loads(drawn.tree.export("json"))["nodes"]
        leaves = [route(nodes, row) for row in rows_of(drawn)]
        compare(drawn, leaves, [nodes[leaf]["prediction"] for leaf in leaves])


def test_json_fractional_rows_reach_the_leaves_and_shares_of_predict() -> None:
    for seed in range(24):
        drawn = draw(seed, 300, missing="fractional")
        tree = drawn.tree
        document = json.loads(tree.export("json"))
        value = np.array([node["value"] for node in document["nodes"]])
        shares = [spread(document["nodes"], row) for row in rows_of(drawn)]
        mixed = np.array([sum(w * value[leaf] for leaf, w in one.items()) for one in shares])
        if tree.task == "regression":
            np.testing.assert_allclose(mixed.reshape(-1), tree.predict(drawn.rows), rtol=1e-12)
            continue
        proba: Any = tree.predict_proba(drawn.rows)
        np.testing.assert_allclose(mixed.reshape(len(shares), -1), proba, rtol=1e-12)
        cost = np.asarray(document["cost_matrix"]) if document["cost_matrix"] else 1 - np.eye(3)
        expected = proba @ cost
        least = expected.min(axis=1, keepdims=True)
        best = np.argmax(expected <= least + 1e-12, axis=1)
        labels = [document["classes"][0][c] for c in best]
        assert labels == tree.predict(drawn.rows).tolist(), seed
    assert any(len(one) > 1 for one in shares)
