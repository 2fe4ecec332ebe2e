"""Minimal cost-complexity pruning, twice: by enumerating every pruned subtree, and by weakest
links.

R_alpha(T) = R(T) + alpha |leaves(T)|; T(alpha) is the smallest subtree with the least R_alpha
(Breiman et al. 1984, chapter 3). The enumeration is the definition; the weakest-link version is
there for trees too large to enumerate. Risks are exact numbers, children are lists of node ids, the
root is node 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

Exact = int | Fraction
Leaves = frozenset[int]


@dataclass(frozen=True)
class Step:
    """One tree of the sequence: optimal from `alpha` up to the next step's."""

    alpha: Exact
    leaves: Leaves
    risk: Exact


def pruned_subtrees(children: Sequence[Sequence[int]], node: int = 0) -> Iterator[Leaves]:
    """The leaves of every subtree that keeps `node`: the node alone, or any choice below each
    child.
    """
    yield frozenset([node])
    if children[node]:
        for parts in product(*(list(pruned_subtrees(children, child)) for child in children[node])):
            yield frozenset().union(*parts)


def smallest_optimal(
    children: Sequence[Sequence[int]], risk: Sequence[Exact], alpha: Exact
) -> Leaves:
    """T(alpha) by definition."""

    def merit(leaves: Leaves) -> tuple[Exact, int]:
        return sum(risk[leaf] for leaf in leaves) + alpha * len(leaves), len(leaves)

    return min(pruned_subtrees(children), key=merit)


def sequence_by_enumeration(children: Sequence[Sequence[int]], risk: Sequence[Exact]) -> list[Step]:
    """The lower envelope of (number of leaves, risk) over every pruned subtree, from T(0) to the
    root.
    """
    trees = list(pruned_subtrees(children))
    cost = {tree: sum(risk[leaf] for leaf in tree) for tree in trees}
    tree = smallest_optimal(children, risk, 0)
    steps = [Step(0, tree, cost[tree])]
    while len(tree) > 1:
        smaller = [other for other in trees if len(other) < len(tree)]
        rise = {o: Fraction(cost[o] - cost[tree]) / (len(tree) - len(o)) for o in smaller}
        alpha = min(rise.values())
        tree = min((o for o in smaller if rise[o] == alpha), key=len)
        steps.append(Step(alpha, tree, cost[tree]))
    return steps


def sequence_by_weakest_links(
    children: Sequence[Sequence[int]], risk: Sequence[Exact]
) -> list[Step]:
    """Collapse, again and again, every node whose g(t) = (R(t) - R(T_t)) / (leaves - 1) is the
    least.
    """
    kept = {node: list(below) for node, below in enumerate(children)}
    steps: list[Step] = []
    alpha: Exact = 0
    while True:
        collapse_while_not_dearer(kept, risk, alpha)
        leaves = frozenset(leaves_below(kept, 0))
        steps.append(Step(alpha, leaves, sum(risk[leaf] for leaf in leaves)))
        if not kept[0]:
            return steps
        alpha = min(link(kept, risk, node) for node in inner_nodes(kept))


def collapse_while_not_dearer(
    kept: dict[int, list[int]], risk: Sequence[Exact], alpha: Exact
) -> None:
    weak = True
    while weak:
        weak = [node for node in inner_nodes(kept) if link(kept, risk, node) <= alpha]
        # the node nearest the root first: what hangs below it goes with it
        if weak:
            kept[min(weak)] = []


def link(kept: dict[int, list[int]], risk: Sequence[Exact], node: int) -> Fraction:
    leaves = leaves_below(kept, node)
    return Fraction(risk[node] - sum(risk[leaf] for leaf in leaves)) / (len(leaves) - 1)


def inner_nodes(kept: dict[int, list[int]]) -> list[int]:
    result, stack = [], [0]
    while stack:
        node = stack.pop()
        if kept[node]:
            result.append(node)
            stack.extend(kept[node])
    return result


def leaves_below(kept: dict[int, list[int]], node: int) -> list[int]:
    result, stack = [], [node]
    while stack:
        at = stack.pop()
        if kept[at]:
            stack.extend(kept[at])
        else:
            result.append(at)
    return result
