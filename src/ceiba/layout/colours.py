"""Colours that people with any colour vision can tell apart, as plain numbers.

Classes: Paul Tol's "bright" scheme (SRON technical note, 2021), then six colours found by search:
any two of the twelve are at least 18 apart (CIEDE2000), 12 as deuteranopes and protanopes see them
(Machado et al. 2009). Beyond twelve, hues are spread evenly, and pictures carry labels. Every
picture (matplotlib, SVG, report) takes its colours from here.
"""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ceiba.tree import Tree

BRIGHT: Final = ("#4477AA", "#EE6677", "#228833", "#CCBB44", "#66CCEE", "#AA3377")
MORE: Final = ("#AA77FF", "#444400", "#00BBAA", "#660077", "#99EEAA", "#004444")
NUMBER: Final = "#4477AA"  # stronger for larger numbers
STRONGEST_FILL: Final = 0.45  # share of the class colour in a pure leaf
INNER_FILL: Final = 0.25  # the same in an inner node: leaves, which answer, stand out


def class_palette(n: int) -> list[str]:
    """Return one colour per class, as "#rrggbb".

    Examples
    --------
    >>> from ceiba.layout import class_palette
    >>> class_palette(2)
    ['#4477AA', '#EE6677']
    """
    scheme = (*BRIGHT, *MORE)
    if n <= len(scheme):
        return list(scheme[:n])
    hues = (colorsys.hls_to_rgb(k / n, 0.38 + 0.22 * (k % 2), 0.6) for k in range(n))
    return ["#" + "".join(f"{round(255 * part):02X}" for part in hue) for hue in hues]


class ValueScale:
    """The numbers of a regression tree by rank: equal steps of colour are equal shares of rows.

    A long tail of the target then does not bleach the rest, as it would on a linear scale. The
    report colours its nodes by the same rule (`leafRanks` in its `pens.js`).

    Parameters
    ----------
    tree : Tree
        Leaves count by their weight, and alike in a tree without rows.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.layout import ValueScale
    >>> scale = ValueScale(ceiba.tree.build(("x <= 1", 2.0, ("x <= 2", 3.0, 900.0))))
    >>> scale.place([2.0, 3.0, 450.0, 900.0]).round(2).tolist()
    [0.17, 0.5, 0.67, 0.83]
    >>> scale.value_at(0.5)
    3.0
    """

    def __init__(self, tree: Tree) -> None:
        leaves = np.flatnonzero(tree.is_leaf)
        leaves = leaves[np.argsort(tree.value[leaves, 0, 0], kind="stable")]
        share = tree.weight[leaves] if tree.n_rows[0] else np.ones(len(leaves))
        self.values = tree.value[leaves, 0, 0]
        self.below = np.concatenate(([0.0], np.cumsum(share / (share.sum() or 1.0))))

    def place(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the share of rows in leaves below each value, and half of those that equal it."""
        numbers = np.asarray(values, np.float64)
        if self.values[0] == self.values[-1]:
            return np.full(numbers.shape, 0.5)
        first = self.below[np.searchsorted(self.values, numbers, side="left")]
        last = self.below[np.searchsorted(self.values, numbers, side="right")]
        return np.asarray((first + last) / 2, np.float64)

    def value_at(self, share: float) -> float:
        """Return the value of the leaf at a share of the rows, 0 for the least."""
        at = int(np.searchsorted(self.below[1:-1], share, side="left"))
        return float(self.values[at])


def node_strengths(tree: Tree) -> NDArray[np.float64]:
    """Return how strongly each node is coloured, from 0 to 1: by purity, or by its value.

    The purity is the probability of the node's class beyond chance; values have their place on
    `ValueScale`.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.layout import node_strengths
    >>> tree = ceiba.tree.build(("x <= 1", {"a": 3, "b": 1}, {"b": 2}))
    >>> node_strengths(tree).round(3).tolist()
    [0.0, 0.5, 1.0]
    """
    if tree.n_outputs > 1:
        return np.zeros(tree.n_nodes)
    if tree.task.is_regression("A drawing"):
        return ValueScale(tree).place(tree.value[:, 0, 0])
    n = len(tree.target.classes[0])
    if n < 2:
        return np.ones(tree.n_nodes)
    share = tree.value[np.arange(tree.n_nodes), 0, tree.answer.reshape(-1)]
    return np.asarray(np.maximum(0.0, (share - 1 / n) / (1 - 1 / n)), np.float64)


class NodeFills:
    """The fill of each box: a colour and its share over the paper, from 0 to 1.

    Parameters
    ----------
    tree : Tree
    palette : sequence of str, optional
        One colour per class.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.layout import NodeFills
    >>> fills = NodeFills(ceiba.tree.build(("x <= 2.5", {"a": 3}, {"b": 1})))
    >>> fills(0, leaf=False), fills(1, leaf=True)
    (('#4477AA', 0.14375), ('#4477AA', 0.45))
    """

    def __init__(self, tree: Tree, palette: Sequence[str] | None = None) -> None:
        self.tree, self.strengths = tree, node_strengths(tree)
        self.by_class = tree.task.has_classes and tree.n_outputs == 1
        n = len(tree.target.classes[0]) if self.by_class else 0
        self.colours = palette or class_palette(n)

    def __call__(self, node: int, *, leaf: bool) -> tuple[str, float]:
        """Return the colour of a node's box and its share over the paper."""
        strength = float(self.strengths[node])
        if self.tree.n_outputs > 1:
            return NUMBER, 0.0
        if not self.by_class:
            return NUMBER, 0.05 + 0.55 * strength
        most = STRONGEST_FILL if leaf else INNER_FILL
        return self.colours[int(self.tree.answer[node])], most * (0.15 + 0.85 * strength)
