"""One column at a node: histogram by class, gain of every cut, levels; and a sample of rows."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import CeibaError, OptionError
from ceiba.inspection.splitting import split_curve
from ceiba.report import exact_floats, histogram
from ceiba.studio.analysis.branches import NodeTarget, node_criterion
from ceiba.studio.analysis.node_analysis import NodeAnalysis
from ceiba.table import Kind, format_value
from ceiba.tree.splits import level_text

_BINS: Final = 48  # of a histogram in which a cut is dragged
_POINTS: Final = 512  # of a curve
_MAX_ROWS: Final = 200_000  # of a curve; a larger node is sampled evenly
_MAX_LIMIT: Final = 200  # rows of a node


def describe_column(analysis: NodeAnalysis, node: int, name: str) -> dict[str, Any]:
    """Describe one column at a node."""
    site = analysis.at(node)
    at = analysis.problem.table.schema.index(name)
    source = analysis.problem.table.columns[at]
    values = np.asarray(source.values)[site.rows]
    target = NodeTarget.of(site)
    info = source.info
    n_missing = int(np.count_nonzero(np.isnan(values) if info.is_numeric else values < 0))
    tree = analysis.tree
    cuts = tree.splits.node_cuts(node) if int(tree.splits.column[node]) == at else []
    curve = (
        None
        if info.kind is Kind.CATEGORICAL
        else _gain_curve(analysis, values, target, info.is_numeric)
    )
    return {
        "node": node,
        "column": name,
        "kind": str(info.kind),
        "n_missing": n_missing,
        "histogram": histogram(
            source, values, cuts, target.values, target.n_classes, _BINS, stretch=True
        ),
        "curve": curve,
        "levels": None if info.is_numeric else _count_levels(values, target, info.levels),
    }


def _gain_curve(
    analysis: NodeAnalysis, values: Any, target: NodeTarget, numeric: bool
) -> dict[str, Any] | None:
    """Return the gain by cut; of many cuts, the best one of each of `_POINTS` ranges."""
    step = -(-len(values) // _MAX_ROWS)
    numbers = values[::step].astype(np.float64)
    numbers = numbers if numeric else np.where(numbers < 0, np.nan, numbers)
    weight = None if target.weight is None else target.weight[::step]
    curve = gains_by_cut(analysis, numbers, target.values[::step], weight)
    if curve is None:
        return None
    cut, gain = curve
    if len(cut) > _POINTS:
        edges = np.linspace(0, len(cut), _POINTS + 1).astype(int)
        best = [a + int(np.argmax(gain[a:b])) for a, b in pairwise(edges.tolist())]
        cut, gain = cut[best], gain[best]
    return {"cut": exact_floats(cut), "gain": exact_floats(gain), "every": step}


def gains_by_cut(
    analysis: NodeAnalysis, numbers: Any, truth: Any, weight: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return all cuts of some rows and their gains; None if the criterion has no curve."""
    try:
        listing = split_curve(numbers, truth, node_criterion(analysis.problem).name, weight=weight)
    except CeibaError:
        return None
    return listing["cut"], listing["gain"]


def _count_levels(codes: Any, target: NodeTarget, levels: tuple[Any, ...]) -> list[dict[str, Any]]:
    counts = target.counts(np.where(codes < len(levels), codes, -1), len(levels))
    return [
        {
            "code": code,
            "text": level_text(level),
            "n_rows": int(counts.n_rows[code]),
            "counts": None if counts.classes is None else counts.classes[code].tolist(),
            "mean": None if counts.mean is None else float(counts.mean[code]),
        }
        for code, level in enumerate(levels)
        if counts.n_rows[code]
    ]


def sample_rows(analysis: NodeAnalysis, node: int, limit: int) -> dict[str, Any]:
    """Return an even sample of the rows of a node, the target first."""
    if not 1 <= limit <= _MAX_LIMIT:
        raise OptionError(f"limit must be from 1 to {_MAX_LIMIT}, got {limit}.")
    site = analysis.at(node)
    rows = site.rows[np.unique(np.linspace(0, len(site.rows) - 1, limit).astype(int))]
    table, target = analysis.problem.table, analysis.problem.target
    truth = target.values[rows, 0]
    if target.info.classes:
        answers = [level_text(label) for label in target.info.classes[0][truth].tolist()]
    else:
        answers = [format_value(number) for number in truth.tolist()]
    cells = [answers]
    for column in table.columns:
        values = column.values[rows].tolist()
        info = column.info
        if info.is_numeric:
            cells.append(["" if v != v else format_value(v, info.display) for v in values])
        else:
            cells.append(
                [level_text(info.levels[v]) if 0 <= v < info.n_levels else "" for v in values]
            )
    names = [target.info.name or "target", *table.schema.names]
    return {"columns": names, "rows": [list(row) for row in zip(*cells, strict=True)]}
