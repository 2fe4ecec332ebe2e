"""Choose colorblind-friendly colors for classes and predicted values.

Classes: Paul Tol's "bright" scheme (SRON technical note, 2021), then six colors found by search.
Any two of the twelve have a CIEDE2000 distance of at least 18, and of 12 as seen by deuteranopes
and protanopes (Machado et al. 2009). Beyond twelve classes hues are evenly spaced, and drawings
have labels. All drawings (matplotlib, SVG, report) use these colors.
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
NUMBER: Final = "#4477AA"  # color of predicted numbers; larger numbers are more opaque
STRONGEST_FILL: Final = 0.45  # opacity of the class color in a pure leaf
INNER_FILL: Final = 0.25  # opacity in a pure inner node; lower, so that leaves stand out


def class_palette(n: int) -> list[str]:
    """Return one color per class as "#rrggbb"."""
    scheme = (*BRIGHT, *MORE)
    if n <= len(scheme):
        return list(scheme[:n])
    hues = (colorsys.hls_to_rgb(k / n, 0.38 + 0.22 * (k % 2), 0.6) for k in range(n))
    return ["#" + "".join(f"{round(255 * channel):02X}" for channel in hue) for hue in hues]


class ValueScale:
    """Scale that maps a predicted number to its rank: the share of rows with lower predictions."""

    def __init__(self, tree: Tree) -> None:
        leaves = np.flatnonzero(tree.is_leaf)
        leaves = leaves[np.argsort(tree.value[leaves, 0, 0], kind="stable")]
        share = tree.weight[leaves] if tree.n_rows[0] else np.ones(len(leaves))
        self.values = tree.value[leaves, 0, 0]
        self.below = np.concatenate(([0.0], np.cumsum(share / (share.sum() or 1.0))))

    def place(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the rank of each value: the share of smaller values, plus half the ties."""
        numbers = np.asarray(values, np.float64)
        if self.values[0] == self.values[-1]:
            return np.full(numbers.shape, 0.5)
        first = self.below[np.searchsorted(self.values, numbers, side="left")]
        last = self.below[np.searchsorted(self.values, numbers, side="right")]
        return np.asarray((first + last) / 2, np.float64)

    def value_at(self, share: float) -> float:
        """Return the leaf value at a rank `share`, from 0 (the smallest) to 1 (the largest)."""
        at = int(np.searchsorted(self.below[1:-1], share, side="left"))
        return float(self.values[at])


def node_strengths(tree: Tree) -> NDArray[np.float64]:
    """Return each node's color strength from 0 to 1: its purity, or the rank of its prediction."""
    if tree.n_outputs > 1:
        return np.zeros(tree.n_nodes)
    if not tree.task.has_classes:
        return ValueScale(tree).place(tree.value[:, 0, 0])
    n = len(tree.target.classes[0])
    if n < 2:
        return np.ones(tree.n_nodes)
    share = tree.value[np.arange(tree.n_nodes), 0, tree.answer.reshape(-1)]
    return np.asarray(np.maximum(0.0, (share - 1 / n) / (1 - 1 / n)), np.float64)


class NodeFills:
    """The fill of each box: a color and its opacity from 0 to 1."""

    def __init__(self, tree: Tree, palette: Sequence[str] | None = None) -> None:
        self.tree, self.strengths = tree, node_strengths(tree)
        self.by_class = tree.task.has_classes and tree.n_outputs == 1
        n = len(tree.target.classes[0]) if self.by_class else 0
        self.colours = palette or class_palette(n)

    def __call__(self, node: int, *, leaf: bool) -> tuple[str, float]:
        """Return the color and opacity of a node's box."""
        strength = float(self.strengths[node])
        if self.tree.n_outputs > 1:
            return NUMBER, 0.0
        if not self.by_class:
            return NUMBER, 0.05 + 0.55 * strength
        strongest = STRONGEST_FILL if leaf else INNER_FILL
        return self.colours[int(self.tree.answer[node])], strongest * (0.15 + 0.85 * strength)
