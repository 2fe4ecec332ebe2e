"""Which nodes of a large tree are shown: subtrees are folded by depth or by weight, never shrunk.

A folded node is drawn like a leaf that says how many nodes it hides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ceiba.layout.tidy import depths


@dataclass(frozen=True)
class Fold:
    """The shown part of a tree.

    Attributes
    ----------
    nodes : tuple of int
        Ids of the shown nodes, ascending, so in pre-order again.
    parent : tuple of int
        Parent of each shown node, as a position in `nodes`; -1 for the root.
    hidden : tuple of int
        How many nodes each shown node hides; 0 unless it is folded.

    Examples
    --------
    >>> from ceiba.layout import fold
    >>> fold([-1, 0, 1, 1, 0], max_depth=1)
    Fold(nodes=(0, 1, 4), parent=(-1, 0, 0), hidden=(0, 2, 0))
    """

    nodes: tuple[int, ...]
    parent: tuple[int, ...]
    hidden: tuple[int, ...]

    @property
    def n_hidden(self) -> int:
        """Number of nodes that are not shown."""
        return sum(self.hidden)

    @property
    def n_folded(self) -> int:
        """Number of shown nodes that hide others."""
        return sum(count > 0 for count in self.hidden)


def fold(
    parent: Sequence[int],
    *,
    max_depth: int | None = None,
    weight: Sequence[float] | None = None,
    min_weight: float = 0.0,
) -> Fold:
    """Show a tree down to `max_depth`, and no branches of nodes lighter than `min_weight`.

    Parameters
    ----------
    parent : sequence of int
        Parent of each node in pre-order, -1 for the root.
    max_depth : int, optional
        Depth of the deepest shown nodes.
    weight : sequence of float, optional
        Weight of each node; needed for `min_weight`.
    min_weight : float, default 0
        Nodes lighter than this are folded; the root never is.

    Returns
    -------
    Fold
        The shown nodes and what each hides.

    Examples
    --------
    >>> from ceiba.layout import fold
    >>> fold([-1, 0, 1, 1, 0], weight=[9, 2, 1, 1, 7], min_weight=3).nodes
    (0, 1, 4)
    """
    depth = depths(parent)
    place: dict[int, int] = {}  # node -> position among the shown
    over = [0] * len(parent)  # nearest shown node at or above each node
    nodes: list[int] = []
    above: list[int] = []
    hidden: list[int] = []
    for node, up in enumerate(parent):
        if up >= 0 and (
            up not in place or _is_folded(up, depth[up], max_depth, weight, min_weight)
        ):
            over[node] = over[up]
            hidden[place[over[node]]] += 1
            continue
        over[node] = node
        place[node] = len(nodes)
        nodes.append(node)
        above.append(-1 if up < 0 else place[up])
        hidden.append(0)
    return Fold(tuple(nodes), tuple(above), tuple(hidden))


def _is_folded(
    node: int, depth: int, max_depth: int | None, weight: Sequence[float] | None, min_weight: float
) -> bool:
    if max_depth is not None and depth >= max_depth:
        return True
    return depth > 0 and weight is not None and weight[node] < min_weight
