"""Draw the Kaplan-Meier curves and confidence bands of leaves, and list the rows at risk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ceiba.errors import OptionError
from ceiba.layout import survival_texts
from ceiba.plot.painting._matplotlib import Axes, as_tree, plain_axes
from ceiba.plot.painting.colours import class_colours, ink_of
from ceiba.survival import SurvivalCurve
from ceiba.task import Task
from ceiba.tree import Tree, node_curve
from ceiba.tree.splits import number_text
from ceiba.words import words

MAX_CURVES = 12
_TICKS = 6


def plot_survival(
    tree: Any,
    *,
    nodes: Sequence[int] | None = None,
    bands: bool = True,
    at_risk: bool = True,
    confidence: float = 0.95,
    ax: Axes | None = None,
    legend: bool = True,
    lang: str = "en",
) -> Axes:
    """Draw the Kaplan-Meier curves of a survival tree's leaves.

    Parameters
    ----------
    tree : Tree or fitted estimator
        A survival tree.
    nodes : sequence of int, optional
        The nodes to draw, at most 12. Default: the leaves, or the 12 largest of them.
    bands : bool, default True
        Draw the log-log band of each curve.
    at_risk : bool, default True
        Write the weight of the rows at risk under the axis, at the first event from each time on.
    confidence : float, default=0.95
        Confidence level of the bands.
    ax : matplotlib axes, optional
        Axes to draw in. Default: a new figure.
    legend : bool, default True
    lang : {"en", "es", "pt"}, default="en"
        Language of the words in the picture.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import ceiba
    >>> frame = {"x": [1, 1, 1, 9, 9, 9], "time": [1, 2, 4, 3, 8, 9], "died": [1, 1, 1, 0, 1, 0]}
    >>> model = ceiba.DecisionTreeSurvival(max_depth=1).fit(frame, ("time", "died"))
    >>> ax = ceiba.plot.plot_survival(model)
    >>> ax.get_xlabel()
    'time'
    """
    tree, word = as_tree(tree, "plot_survival"), words(lang)
    tree.task.require((Task.SURVIVAL,), "plot_survival")
    chosen = _choose_nodes(tree, nodes)
    curves = {node: node_curve(tree, node) for node in chosen}
    ax = plain_axes(ax, 7.0, 4.2 + (0.22 * len(chosen) + 0.3 if at_risk else 0.0))
    colours = class_colours(len(chosen))
    for colour, (node, curve) in zip(colours, curves.items(), strict=True):
        steps = curve.step_function()
        label = word(
            "plot.leaf_risk", node=node, text=", ".join(survival_texts(tree, node, 3, lang))
        )
        ax.step(steps.x, steps.y, where="post", color=colour, lw=1.8, label=label, zorder=3)
        if bands:
            low, high = curve.bands(confidence)
            ax.fill_between(
                curve.time, low, high, step="post", color=colour, alpha=0.15, lw=0, zorder=2
            )
    end = max(float(curve.time[-1]) for curve in curves.values())
    ax.set_xlim(0, end * 1.02)
    ax.set_ylim(0, 1.03)
    ax.set_xlabel(word["plot.survival_time"])
    ax.set_ylabel(word["plot.survival_share"])
    if legend:
        ax.legend(frameon=False, fontsize="small")
    if at_risk:
        _write_at_risk(ax, curves, colours, word["plot.at_risk"])
    return ax


def _choose_nodes(tree: Tree, nodes: Sequence[int] | None) -> list[int]:
    """Return the given nodes; by default, the largest leaves in order of decreasing risk."""
    if nodes is None:
        order = np.argsort(-tree.weight[tree.leaves], kind="stable")[:MAX_CURVES]
        ids = tree.leaves[order].tolist()
        return sorted(ids, key=lambda node: -float(tree.value[node, 0, 0]))
    ids = [tree.node(node).id for node in nodes]
    if not 1 <= len(ids) <= MAX_CURVES:
        raise OptionError(f"nodes must contain 1 to {MAX_CURVES} node ids, got {len(ids)}.")
    return ids


def _write_at_risk(
    ax: Axes, curves: dict[int, SurvivalCurve], colours: list[Any], title: str
) -> None:
    """Write a table under the ticks with the weight at risk of each curve."""
    ticks = [tick for tick in ax.get_xticks() if 0 <= tick <= ax.get_xlim()[1]]
    ticks = ticks[:: max(1, len(ticks) // _TICKS)]
    ax.set_xticks(ticks)
    ink = ink_of(ax)
    # With this transform, x is in data coordinates and y in axes coordinates.
    along = ax.get_xaxis_transform()
    lines = [(title, ink.grey, ["" for _ in ticks])]
    for colour, (node, curve) in zip(colours, curves.items(), strict=True):
        lines.append((str(node), colour, [_count(curve, tick) for tick in ticks]))
    for k, (name, colour, counts) in enumerate(lines):
        below = -(44 + 13 * k)
        style: dict[str, Any] = {
            "xytext": (0, below), "textcoords": "offset points", "annotation_clip": False,
            "fontsize": "small", "va": "center",
        }  # fmt: skip
        ax.annotate(name, (0, 0), xycoords="axes fraction", ha="right", color=colour,
                    **(style | {"xytext": (-22, below)}))  # fmt: skip
        for tick, text in zip(ticks, counts, strict=True):
            ax.annotate(text, (tick, 0), xycoords=along, ha="center", color=ink.text, **style)


def _count(curve: SurvivalCurve, time: float) -> str:
    """Return the weight at risk at the first step at or after a time, as text."""
    at = int(np.searchsorted(curve.time, time, side="left"))
    if time <= 0:
        return number_text(float(curve.n or 0.0), 4)
    return number_text(float(curve.at_risk[at]) if at < len(curve.time) else 0.0, 4)
