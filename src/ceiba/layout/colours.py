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

from ceiba.tree import Tree

BRIGHT: Final = ("#4477AA", "#EE6677", "#228833", "#CCBB44", "#66CCEE", "#AA3377")
MORE: Final = ("#AA77FF", "#444400", "#00BBAA", "#660077", "#99EEAA", "#004444")
NUMBER: Final = "#4477AA"  # stronger for larger numbers
STRONGEST_FILL: Final = 0.45  # share of the class colour in a pure node


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


def node_strength(tree: Tree, node: int) -> float:
    """Return how strongly a node is coloured, from 0 to 1: by purity, or by its value.

    The purity is the probability of the node's class beyond chance.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.layout import node_strength
    >>> tree = ceiba.tree.build(("x <= 1", {"a": 3, "b": 1}, {"b": 2}))
    >>> [round(node_strength(tree, node), 3) for node in range(3)]
    [0.0, 0.5, 1.0]
    """
    if tree.n_outputs > 1:
        return 0.0
    if tree.task == "regression":
        values = tree.value[:, 0, 0]
        low, high = float(values.min()), float(values.max())
        return 0.5 if high <= low else (float(values[node]) - low) / (high - low)
    n = len(tree.target.classes[0])
    if n < 2:
        return 1.0
    share = float(tree.value[node, 0, int(tree.answer[node])])
    return max(0.0, (share - 1 / n) / (1 - 1 / n))


def node_fill(
    tree: Tree, node: int, *, leaf: bool, palette: Sequence[str] | None = None
) -> tuple[str, float]:
    """Return the colour of a node's box and its share over the paper, from 0 to 1.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.layout.colours import node_fill
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    >>> node_fill(tree, 0, leaf=False), node_fill(tree, 1, leaf=True)
    (('#4477AA', 0.0), ('#4477AA', 0.45))
    """
    strength = node_strength(tree, node)
    if tree.n_outputs > 1:
        return NUMBER, 0.0
    if tree.task == "regression":
        return NUMBER, 0.05 + 0.55 * strength
    colours = palette or class_palette(len(tree.target.classes[0]))
    share = STRONGEST_FILL * (0.15 + 0.85 * strength) if leaf else 0.0
    return colours[int(tree.answer[node])], share
