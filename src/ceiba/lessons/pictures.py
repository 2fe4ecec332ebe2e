"""Compute the data of the interactive pictures that ``docs/_static/pictures.js`` draws.

If the page computes the values of a picture (such as the gain of a dragged cut), its data are rows
or counts. Pictures of trees contain one tree per step, which is grown here. A live picture contains
a table, from which the playground grows the tree in the page.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ceiba.tree import Tree


def question_picture(X: Mapping[str, Sequence[str]], y: Sequence[str]) -> dict[str, Any]:
    """Return the data of a picture for choosing a split: class counts by column and level."""
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
    """Return the data of a picture with a movable cut: possible cuts, `x` and `y`.

    If `y` contains only numbers, the target is numeric; otherwise, it has classes.
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
    """Return the data of a picture with a slider over the steps of an algorithm.

    A step has ``at`` (the slider's text) and ``values``, and optionally ``tree`` (SVG), ``plane``
    (`plane`) and ``line`` (`line`).
    """
    return {"kind": "steps", "label": label, "start": start, "steps": list(steps)}


def alpha_picture(trees: Sequence[Tree], alphas: Sequence[float]) -> dict[str, Any]:
    """Return the data of a picture with an alpha slider: pruned trees, alphas and risks."""
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
    """Return the data of a picture for choosing a threshold: counts by probability and outcome."""
    groups: dict[float, list[int]] = {}
    for p, outcome in zip(probability, truth, strict=True):
        groups.setdefault(float(p), [0, 0])[int(outcome)] += 1
    return {"kind": "threshold", "groups": [[p, *groups[p]] for p in sorted(groups)]}


def live_picture(
    X: Mapping[str, Sequence[Any]],
    y: Sequence[Any],
    target: str,
    *,
    criterion: str = "gini",
    max_depth: int | None = None,
    multiway: bool = False,
    validate: bool = False,
) -> dict[str, Any]:
    """Return the data of a picture that grows a tree in the browser: a table and options."""
    options = {
        "criterion": criterion,
        "maxDepth": "" if max_depth is None else str(max_depth),
        "multiway": multiway,
        "folds": 10 if validate else 0,
    }
    return {"kind": "live", "target": target, "csv": as_csv(X, y, target), "options": options}


def as_csv(X: Mapping[str, Sequence[Any]], y: Sequence[Any], target: str) -> str:
    """Return a table as CSV text."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*X, target])
    writer.writerows(zip(*X.values(), y, strict=True))
    return text.getvalue()


def draw_svg(tree: Tree) -> str:
    """Draw a tree as SVG of at most 760 by 520 pixels, the size of trees in the pictures."""
    return tree.to_svg(font_size=11.0, legend=True, size=(760.0, 520.0))


def plane(
    tree: Tree, X: Mapping[str, Sequence[float]], y: Sequence[Any], columns: tuple[str, str]
) -> dict[str, Any]:
    """Return each leaf's region in the plane of two numeric columns, and the rows as points."""
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
    """Return the data of a line plot: curves over x, a mark at `at`, and rows as points."""
    return {
        "x": [float(value) for value in x],
        "series": {name: [float(value) for value in values] for name, values in series.items()},
        "at": at,
        "points": [[float(u), float(v)] for u, v in points],
    }
