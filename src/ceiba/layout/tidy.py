"""Where the nodes of a drawn tree stand, from left to right.

Reingold & Tilford (1981) for any number of branches and boxes of different widths: subtrees are
pushed together until their contours are `gap` apart, a parent stands midway between its first and
last branch. Done once from the left and once from the right, and averaged: all conditions are
linear, so the mean keeps them, and what is loose in the middle is spread evenly (the aim of
Buchheim et al. 2002). Loops only, no recursion; O(n), because joining two contours walks the
shorter one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def depths(parent: Sequence[int]) -> list[int]:
    """Return the depth of every node; nodes are in pre-order, the root's parent is -1.

    Examples
    --------
    >>> from ceiba.layout import depths
    >>> depths([-1, 0, 1, 1, 0])
    [0, 1, 2, 2, 1]
    """
    depth: list[int] = []
    for above in parent:
        depth.append(0 if above < 0 else depth[above] + 1)
    return depth


def tidy(
    parent: Sequence[int], widths: Sequence[float], *, gap: float = 1.0
) -> NDArray[np.float64]:
    """Return the horizontal centre of every node, the leftmost edge at 0.

    Parameters
    ----------
    parent : sequence of int
        Parent of each node in pre-order, -1 for the root; branches stand in the order of their ids.
    widths : sequence of float
        Width of each node's box.
    gap : float, default 1.0
        Least space between two boxes of the same depth.

    Returns
    -------
    ndarray of float64
        Centres; boxes of one depth never overlap.

    Examples
    --------
    A root with two leaves, all boxes two wide:

    >>> from ceiba.layout import tidy
    >>> tidy([-1, 0, 0], [2, 2, 2]).tolist()
    [2.5, 1.0, 4.0]
    """
    branches: list[list[int]] = [[] for _ in parent]
    for node, above in enumerate(parent):
        if above >= 0:
            branches[above].append(node)
    from_left = _packed(parent, widths, gap, branches)
    from_right = _packed(parent, widths, gap, [row[::-1] for row in branches])
    x = (from_left - from_right) / 2
    return x - float((x - np.asarray(widths, np.float64) / 2).min(initial=np.inf))


class _Contour:
    """Outline of a subtree: left and right edge per depth, deepest first, all moved by `shift`.

    Deepest first, so that a parent is put on top by `append` and two outlines meet at their ends.
    """

    __slots__ = ("left", "right", "shift")

    def __init__(self) -> None:
        self.left: list[float] = []
        self.right: list[float] = []
        self.shift = 0.0

    def distance(self, other: _Contour, gap: float) -> float:
        """Tell how far `other` must move to stand to the right of this outline."""
        common = min(len(self.left), len(other.left))
        offset = self.shift - other.shift + gap
        return max(
            self.right[-k] - other.left[-k] + offset  # pairs from the top downward
            for k in range(1, common + 1)
        )

    def join(self, other: _Contour) -> _Contour:
        """Return the outline of both; walks the shorter one and reuses the lists of the longer."""
        common = min(len(self.left), len(other.left))
        if len(self.left) >= len(other.left):
            kept, offset = self, other.shift - self.shift
            for k in range(1, common + 1):
                self.right[-k] = other.right[-k] + offset
        else:
            kept, offset = other, self.shift - other.shift
            for k in range(1, common + 1):
                other.left[-k] = self.left[-k] + offset
        return kept


def _packed(
    parent: Sequence[int], widths: Sequence[float], gap: float, branches: list[list[int]]
) -> NDArray[np.float64]:
    """Pack every subtree against its left neighbour; give positions relative to the root."""
    n = len(parent)
    beside = [0.0] * n  # position relative to the parent
    outlines: list[_Contour | None] = [None] * n
    for node in range(n - 1, -1, -1):
        outline = _Contour()
        middle = 0.0
        if branches[node]:
            first, *others = branches[node]
            outline = _taken(outlines, first)
            for branch in others:
                next_one = _taken(outlines, branch)
                beside[branch] = outline.distance(next_one, gap)
                next_one.shift += beside[branch]
                outline = outline.join(next_one)
            middle = beside[branches[node][-1]] / 2
            for branch in branches[node]:
                beside[branch] -= middle
            outline.shift -= middle
        half = widths[node] / 2
        outline.left.append(-half - outline.shift)
        outline.right.append(half - outline.shift)
        outlines[node] = outline
    x = np.zeros(n)
    for node, above in enumerate(parent):
        x[node] = beside[node] + (x[above] if above >= 0 else 0.0)
    return x


def _taken(outlines: list[_Contour | None], node: int) -> _Contour:
    outline = outlines[node]
    assert outline is not None  # branches come after their parent in pre-order
    outlines[node] = None
    return outline
