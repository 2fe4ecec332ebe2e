"""The data of the pictures that move: plain dicts, drawn by ``docs/_static/pictures.js``.

Where a picture computes (the gain of a cut that is dragged), it is handed rows or counts, and the
script does the sums; where it shows trees, they are grown here and it is handed one per step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ceiba.tree import Tree


def question_picture(X: Mapping[str, Sequence[str]], y: Sequence[str]) -> dict[str, Any]:
    """Count classes by level of each column: choose a question, see what it tells."""
    classes = sorted(set(y))
    columns = {
        name: {
            level: [
                sum(1 for v, c in zip(values, y, strict=True) if (v, c) == (level, label))
                for label in classes
            ]
            for level in dict.fromkeys(values)
        }
        for name, values in X.items()
    }
    return {"kind": "question", "classes": classes, "columns": columns}


def cut_picture(
    x: Sequence[float], y: Sequence[Any], name: str, *, start: float | None = None
) -> dict[str, Any]:
    """List rows along one column with the possible cuts: drag the cut, see both sides.

    Numbers in `y` make it a picture of regression.
    """
    values = sorted(set(x))
    cuts = [(a + b) / 2 for a, b in pairwise(values)]
    numeric = all(isinstance(value, int | float) for value in y)
    classes = [] if numeric else sorted(set(y))
    rows = [
        [float(a), float(b) if numeric else classes.index(b)] for a, b in zip(x, y, strict=True)
    ]
    begin = len(cuts) // 2 if start is None else int(np.abs(np.array(cuts) - start).argmin())
    return {
        "kind": "stairs" if numeric else "cut",
        "column": name,
        "classes": classes,
        "rows": rows,
        "cuts": cuts,
        "start": begin,
    }


def steps_picture(label: str, steps: Sequence[Mapping[str, Any]], start: int = 0) -> dict[str, Any]:
    """Lay a slider over steps, each with its name, its values, and what is drawn for it.

    A step has ``at`` (what the slider says) and ``values``, and may have ``tree`` (SVG), ``plane``
    (`plane`) and ``line`` (`line`).
    """
    return {"kind": "steps", "label": label, "start": start, "steps": list(steps)}


def alpha_picture(trees: Sequence[Tree], alphas: Sequence[float]) -> dict[str, Any]:
    """List the nested trees of a pruning sequence: slide alpha, see T(alpha) and its cost."""
    steps = [
        {
            "alpha": float(alpha),
            "leaves": tree.n_leaves,
            "risk": float(tree.tree_risk),
            "tree": draw_svg(tree),
        }
        for tree, alpha in zip(trees, alphas, strict=True)
    ]
    return {"kind": "alpha", "steps": steps, "largest": 1.2 * float(alphas[-1])}


def threshold_picture(probability: Sequence[float], truth: Sequence[bool]) -> dict[str, Any]:
    """Count held-out cases by the probability of their leaf: set a threshold, see the cost."""
    groups: dict[float, list[int]] = {}
    for p, outcome in zip(probability, truth, strict=True):
        groups.setdefault(float(p), [0, 0])[int(outcome)] += 1
    return {"kind": "threshold", "groups": [[p, *groups[p]] for p in sorted(groups)]}


def draw_svg(tree: Tree) -> str:
    """Draw a tree for a picture."""
    return tree.to_svg(font_size=11.0, legend=True, size=(760.0, 520.0))


def plane(
    tree: Tree, X: Mapping[str, Sequence[float]], y: Sequence[Any], columns: tuple[str, str]
) -> dict[str, Any]:
    """List the regions of a tree of two numeric columns, with the rows in them."""
    a, b = (np.asarray(X[name], float) for name in columns)
    classes = list(tree.target.classes[0])
    low = np.array([a.min() - 0.2, b.min() - 0.2])
    high = np.array([a.max() + 0.2, b.max() + 0.2])
    names = [column.name for column in tree.schema.columns]
    boxes = {0: (low, high)}
    regions = []
    for node in range(tree.n_nodes):
        lower, upper = boxes[node]
        if tree.is_leaf[node]:
            best = int(np.argmax(tree.value[node, 0]))
            regions.append([*lower.tolist(), *upper.tolist(), best])
            continue
        axis = columns.index(names[tree.splits.column[node]])
        middle_low, middle_high = lower.copy(), upper.copy()
        middle_low[axis] = middle_high[axis] = tree.splits.cut[node]
        start = tree.branch_start[node]
        left, right = tree.branch_node[start : start + 2].tolist()
        boxes[left], boxes[right] = (lower, middle_high), (middle_low, upper)
    points = [[float(u), float(v), classes.index(c)] for u, v, c in zip(a, b, y, strict=True)]
    return {"columns": list(columns), "classes": classes, "regions": regions, "points": points}


def line(
    x: Sequence[float],
    series: Mapping[str, Sequence[float]],
    at: float | None = None,
    *,
    points: Sequence[Sequence[float]] = (),
) -> dict[str, Any]:
    """List curves over x with a mark at the step's place, and rows as points."""
    return {
        "x": [float(value) for value in x],
        "series": {name: [float(value) for value in values] for name, values in series.items()},
        "at": at,
        "points": [[float(u), float(v)] for u, v in points],
    }
