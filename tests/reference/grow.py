"""A whole tree by exhaustive search: nodes in pre-order, as the library numbers them.

Rows that the split cannot place go to the branch with more weight among the placed rows, branch 0
on a tie (missing="majority"). Rows of weight zero take no part, as in scikit-learn. With
`max_leaf_nodes` the node whose split lowers the impurity of the tree most is split next, the
earliest in pre-order on ties.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.reference.data import Data
from tests.reference.exact import Number, above, times
from tests.reference.search import Found, Rules, best_split, branches_of


@dataclass
class Node:
    rows: list[int]
    depth: int
    found: Found | None = None
    children: list[Node] = field(default_factory=list)


def heaviest(data: Data, parts: Sequence[Sequence[int]], *, last: bool = False) -> int:
    """The branch with most weight; among equals the first, or the last."""
    weights = [data.total_weight(part) for part in parts]
    equals = [b for b, weight in enumerate(weights) if weight == max(weights)]
    return equals[-1 if last else 0]


def children_rows(data: Data, found: Found, rows: Sequence[int]) -> list[list[int]]:
    """Rows of each branch, the unplaced ones with the heaviest."""
    parts = branches_of(data, found.split, rows)
    placed = {row for part in parts for row in part}
    default = heaviest(data, parts)
    parts[default] = sorted(parts[default] + [row for row in rows if row not in placed])
    return parts


def grow(data: Data, rules: Rules, max_leaf_nodes: int | None = None) -> Node:
    root = Node([row for row in range(data.n_rows) if data.weight[row] > 0], 0)
    root_split = best_split(data, root.rows, 0, rules)
    frontier = [(root, root_split)] if root_split else []
    leaves = 1
    while frontier and (max_leaf_nodes is None or leaves < max_leaf_nodes):
        at = 0 if max_leaf_nodes is None else most_promising(data, frontier)
        node, found = frontier.pop(at)
        node.found = found
        for rows in children_rows(data, found, node.rows):
            child = Node(rows, node.depth + 1)
            node.children.append(child)
            split = best_split(data, rows, child.depth, rules)
            if split:
                frontier.append((child, split))
        leaves += len(node.children) - 1
    return root


def most_promising(data: Data, frontier: Sequence[tuple[Node, Found]]) -> int:
    best, best_decrease = 0, None
    for at, (node, found) in enumerate(frontier):
        decrease: Number = times(data.total_weight(node.rows), found.gain)
        if best_decrease is None or above(decrease, best_decrease):
            best, best_decrease = at, decrease
    return best


def preorder(root: Node) -> list[Node]:
    result, stack = [], [root]
    while stack:
        node = stack.pop()
        result.append(node)
        stack.extend(reversed(node.children))
    return result
