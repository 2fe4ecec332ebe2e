"""rpart's cp stop as one pass over a tree that was grown without it.

From the leaves up: g = (R(t) - risk of what is kept below) / (splits kept below + 1). The son with
the smaller complexity (right on a tie) collapses first if g is larger than its complexity, then g
is taken anew, then the other son. A node whose complexity does not exceed alpha loses its sons. In
about one tree of five this is not the weakest-link order: a grandson that has collapsed into its
father's summary is not put back (oracle section 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Exact = int | Fraction
Sons = Sequence[tuple[int, int] | None]


def rpart_complexity(sons: Sons, risk: Sequence[Exact], alpha: Exact) -> list[Exact]:
    """The complexity of each node in absolute units; sons (left, right) have larger ids.

    Nodes with a complexity of at most alpha lose their sons; no node outlives its father.
    """
    n = len(risk)
    complexity: list[Exact] = [alpha] * n
    kept_risk, kept_splits = list(risk), [0] * n
    for node in reversed(range(n)):
        if sons[node] is None:
            continue
        left, right = sons[node]
        below = {son: (kept_risk[son], kept_splits[son]) for son in (left, right)}
        order = [left, right] if complexity[right] > complexity[left] else [right, left]
        for son in order:
            if link(risk[node], below) <= complexity[son]:
                break
            below[son] = (risk[son], 0)
        complexity[node] = link(risk[node], below)
        if complexity[node] > alpha:
            kept_risk[node] = sum(part for part, _ in below.values())
            kept_splits[node] = sum(splits for _, splits in below.values()) + 1
    for node in range(n):
        for son in sons[node] or ():
            complexity[son] = min(complexity[son], complexity[node])
    return complexity


def link(risk: Exact, below: dict[int, tuple[Exact, int]]) -> Fraction:
    splits = sum(count for _, count in below.values()) + 1
    return Fraction(risk - sum(part for part, _ in below.values())) / splits
