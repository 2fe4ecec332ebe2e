"""The reference's rpart tree written as the arrays of `ceiba.tree.Tree`, so that the oracle's
conversion can be checked without the library: pre-order ids, `x <= cut` to branch 0, surrogates and
competitors as split tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.reference.exact import decimal, ln, times
from tests.reference.rpart import Class, Grower, Poisson, RpartNode
from tests.reference.surrogates import Mimic, Side

NONE, CUT, LEVELS = 0, 1, 2


@dataclass
class Listed:
    """A node with its pre-order id and the side that is branch 0."""

    node: RpartNode
    parent: int
    first: Side = "left"


def first_side(mimic: Mimic) -> Side:
    """Branch 0 is where the small values, or the first level, go."""
    if mimic.side_of_level is None:
        return mimic.below
    return mimic.side_of_level[min(mimic.side_of_level)]


def listed(root: RpartNode) -> list[Listed]:
    result: list[Listed] = []
    stack = [(root, -1)]
    while stack:
        node, parent = stack.pop()
        entry = Listed(node, parent)
        at = len(result)
        result.append(entry)
        if node.sons:
            entry.first = first_side(node.primary.mimic)
            sons = node.sons if entry.first == "left" else node.sons[::-1]
            stack.extend((son, at) for son in reversed(sons))
    return result


def split_table(splits: Sequence[tuple[Mimic | None, Side]]) -> SimpleNamespace:
    """`SplitTable` of the given splits; each comes with the side that is branch 0 of its node."""
    kind, column, cut, low = [], [], [], []
    start, code, branch = [0], [], []
    for mimic, first in splits:
        is_cut = mimic is not None and mimic.side_of_level is None
        kind.append(NONE if mimic is None else CUT if is_cut else LEVELS)
        column.append(-1 if mimic is None else mimic.column)
        cut.append(mimic.cut if is_cut else np.nan)
        low.append(int(mimic.below != first) if is_cut else 0)
        if mimic is not None and not is_cut:
            for level, side in sorted(mimic.side_of_level.items()):
                code.append(level)
                branch.append(int(side != first))
        start.append(len(code))
    return SimpleNamespace(
        kind=np.array(kind, np.int8),
        column=np.array(column, np.int32),
        cut=np.array(cut, float),
        low_branch=np.array(low, np.int8),
        level_start=np.array(start),
        level_code=np.array(code, np.int32),
        level_branch=np.array(branch, np.int32),
    )


def ragged(entries: Sequence[Sequence[Any]]) -> tuple[np.ndarray, list[Any]]:
    start = np.cumsum([0, *(len(part) for part in entries)])
    return start, [item for part in entries for item in part]


def contract_tree(grower: Grower, root: RpartNode) -> SimpleNamespace:
    """The node arrays of the tree."""
    nodes, data, method = listed(root), grower.data, grower.method
    at = {entry.node.number: i for i, entry in enumerate(nodes)}
    below = [
        sorted(at[son.number] for son in entry.node.sons) if entry.node.sons else []
        for entry in nodes
    ]
    branch_start, branch_node = ragged(below)
    poisson = isinstance(method, Poisson)  # a tree of rates: weighed by time, half the deviance
    weights = method.scaled if poisson else data.weight
    weight = [float(sum(weights[row] for row in e.node.rows)) for e in nodes]
    whole = weight[0] * (2 if poisson else 1)
    s_start, stand_ins = ragged([[(s, e.first) for s in e.node.surrogates] for e in nodes])
    c_start, others = ragged([[(c, e.first) for c in e.node.competitors] for e in nodes])
    owner = [e.node for e in nodes for _ in e.node.competitors]
    tree = SimpleNamespace(
        parent=np.array([e.parent for e in nodes]),
        branch_start=branch_start,
        branch_node=np.array(branch_node, int),
        splits=split_table([(e.node.primary and e.node.primary.mimic, e.first) for e in nodes]),
        n_rows=np.array([len(e.node.rows) for e in nodes]),
        weight=np.array(weight),
        risk=np.array([float(e.node.risk) / whole for e in nodes]),
        exact_risk=[Fraction(e.node.risk) for e in nodes],
        gain=np.array([gain_from(grower, e.node, e.node.primary) for e in nodes]),
        surrogates=SimpleNamespace(
            start=s_start,
            splits=split_table([(s.mimic, first) for s, first in stand_ins]),
            agreement=np.array([float(s.agree) for s, _ in stand_ins]),
            adjusted=np.array([float(s.adj) for s, _ in stand_ins]),
            sent=np.array([n for e in nodes for n in e.node.sent_by_surrogate]),
        ),
        competitors=SimpleNamespace(
            start=c_start,
            splits=split_table([(c.mimic, first) for c, first in others]),
            gain=np.array(
                [gain_from(grower, o, c) for o, (c, _) in zip(owner, others, strict=True)]
            ),
        ),
        counts=None,
        number_of_node=[e.node.number for e in nodes],
    )
    if isinstance(method, Class):
        counts = [[float(c) for c in method.counts(e.node.rows)] for e in nodes]
        scaled = np.array([[float(c) for c in method.scaled_counts(e.node.rows)] for e in nodes])
        tree.counts = np.array(counts)[:, None, :]
        tree.value = (scaled / scaled.sum(axis=1, keepdims=True))[:, None, :]
        tree.share = scaled.sum(axis=1) / scaled[0].sum()
        tree.answer = np.array([method.value(e.node.rows) for e in nodes])
    else:
        tree.value = np.array([float(method.value(e.node.rows)) for e in nodes])[:, None, None]
    return tree


def gain_from(grower: Grower, node: RpartNode, choice: Any) -> float:
    """The improvement turned back into a decrease per unit of node weight, before the column's
    cost.
    """
    if choice is None:
        return 0.0
    method = grower.method
    price = grower.cost[choice.mimic.column] if grower.cost else 1
    improve = times(choice.improve, price)
    weight = sum(method.distribution(node.rows).values())
    if isinstance(method, Class):
        per = decimal(weight) * (ln(2) if method.criterion == "entropy" else 1)
    elif isinstance(method, Poisson):
        per = decimal(2 * weight)
    else:
        per = decimal(weight) / decimal(node.risk)
    return float(decimal(improve) / per)
