"""Kaplan-Meier curves of nodes for the page: steps with bands, events and medians."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from ceiba.survival import SurvivalCurve
from ceiba.tree import Tree, has_curve, node_curve

MAX_NODES: Final = 500  # the largest nodes; the others have no curve
_MAX_STEPS: Final = 120  # per curve; longer ones keep every k-th step, and the last


def encode_survival(tree: Tree) -> dict[str, Any] | None:
    """Return the curves of the largest nodes, None for those of other trees."""
    if not has_curve(tree):
        return None
    largest = set(np.argsort(-tree.weight, kind="stable")[:MAX_NODES].tolist())
    nodes = [
        encode_curve(node_curve(tree, node)) if node in largest and has_curve(tree, node) else None
        for node in range(tree.n_nodes)
    ]
    return {"end": float(node_curve(tree, 0).time[-1]), "nodes": nodes}


def encode_curve(curve: SurvivalCurve) -> dict[str, Any]:
    """Return a curve for the page: steps with bands, events and median."""
    last = len(curve.time) - 1
    steps = np.unique(np.append(np.arange(0, last, last // _MAX_STEPS + 1), last))
    low, high = curve.bands()
    return {
        "time": _figures(curve.time[steps]),
        "survival": _figures(curve.survival[steps]),
        "low": _figures(low[steps]),
        "high": _figures(high[steps]),
        "events": curve.n_events,
        "median": _figures(np.array(curve.median())),
    }


def _figures(values: Any) -> list[float | None]:
    """Return numbers with six digits; None where they are not finite (not reached, no band)."""
    return [float(f"{v:.6g}") if math.isfinite(v) else None for v in values.tolist()]
