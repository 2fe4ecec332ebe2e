"""Describe one column at a node: histogram, gain curve and levels."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import CeibaError
from ceiba.grow import resolve_min_leaf
from ceiba.inspection.splitting import split_curve
from ceiba.report import exact_floats, histogram
from ceiba.studio.analysis.branches import NodeTarget, node_criterion
from ceiba.studio.analysis.node_analysis import NodeAnalysis
from ceiba.table import Column, Kind
from ceiba.table.targets import risk_sets
from ceiba.tree.splits import level_text

_BINS: Final = 48  # number of histogram bins
_POINTS: Final = 512  # maximum number of points on the gain curve
_MAX_ROWS: Final = 200_000  # maximum number of rows for the gain curve; larger nodes are sampled
_MAX_RANKED_ROWS: Final = 4_000  # maximum number of rows for a gain curve of log-rank tests


def describe_column(analysis: NodeAnalysis, node: int, name: str) -> dict[str, Any]:
    """Return the histogram, gain curve and levels of a column at a node."""
    site = analysis.at(node)
    at = analysis.problem.table.schema.index(name)
    source = analysis.problem.table.columns[at]
    values = np.asarray(source.values)[site.rows]
    target = NodeTarget.of(site)
    info = source.info
    n_missing = int(np.count_nonzero(np.isnan(values) if info.is_numeric else values < 0))
    tree = analysis.tree
    cuts = tree.splits.node_cuts(node) if int(tree.splits.column[node]) == at else []
    has_curve = info.kind is not Kind.CATEGORICAL
    return {
        "node": node,
        "column": name,
        "kind": str(info.kind),
        "n_missing": n_missing,
        "histogram": _histogram(source, values, cuts, target),
        "curve": _gain_curve(analysis, values, target, info.is_numeric) if has_curve else None,
        "levels": None if info.is_numeric else _count_levels(values, target, info.levels),
    }


def _histogram(source: Column, values: Any, cuts: Any, target: NodeTarget) -> Any:
    """Return a histogram with class counts, target quartiles or (for survival) row counts."""
    truth, n_classes = target.values, target.n_classes
    if target.times is not None:
        truth, n_classes = np.zeros(len(values), np.int64), 1
    return histogram(source, values, cuts, truth, n_classes, _BINS, stretch=True)


def _gain_curve(
    analysis: NodeAnalysis, values: Any, target: NodeTarget, numeric: bool
) -> dict[str, Any] | None:
    """Return cuts and their gains; among many cuts, keep the best of each range."""
    step = -(-len(values) // (_MAX_ROWS if target.times is None else _MAX_RANKED_ROWS))
    numbers = values[::step].astype(np.float64)
    numbers = numbers if numeric else np.where(numbers < 0, np.nan, numbers)
    curve = gains_by_cut(analysis, numbers, target, np.arange(0, len(values), step))
    if curve is None:
        return None
    cut, gain = curve
    if len(cut) > _POINTS:
        edges = np.linspace(0, len(cut), _POINTS + 1).astype(int)
        best = [a + int(np.argmax(gain[a:b])) for a, b in pairwise(edges.tolist())]
        cut, gain = cut[best], gain[best]
    return {"cut": exact_floats(cut), "gain": exact_floats(gain), "every": step}


def gains_by_cut(
    analysis: NodeAnalysis, numbers: Any, target: NodeTarget, rows: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return the cuts between `numbers` and the gain of each, or None if gains are undefined."""
    weight = None if target.weight is None else target.weight[rows]
    name = node_criterion(analysis.problem).name
    if target.times is not None:
        if name != "logrank" or weight is not None:
            return None
        options, n_rows = analysis.problem.options, analysis.problem.n_rows
        least = resolve_min_leaf(options.min_samples_leaf, n_rows) * len(rows) / len(target.values)
        return _log_rank_curve(numbers, target.times[rows], least)
    try:
        listing = split_curve(numbers, target.values[rows], name, weight=weight)
    except CeibaError:
        return None
    return listing["cut"], listing["gain"]


def _log_rank_curve(
    numbers: Any, times: Any, least: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return up to `_POINTS` cuts and their gains (half the log-rank chi-square per row)."""
    # Without a minimum branch size, the test would prefer branches with a few early events.
    present = ~np.isnan(numbers)
    values, rank = np.unique(numbers[present], return_inverse=True)
    ends = np.unique(np.linspace(0, len(values) - 1, _POINTS + 1).astype(int))[1:] - 1
    n_left = np.cumsum(np.bincount(rank))[ends]
    ends = ends[(n_left >= least) & (len(rank) - n_left >= least)]
    if not len(ends):
        return None
    groups = np.searchsorted(ends, rank)
    at_risk, n_events, observed = risk_sets(times[present, :2], groups, len(ends) + 1)
    total = at_risk.sum(axis=0)
    share = at_risk.cumsum(axis=0)[:-1] / total  # share of rows at risk that go left
    variance = (share * (1 - share)) @ (n_events * (total - n_events) / np.maximum(total - 1, 1))
    excess = observed.cumsum()[:-1] - share @ n_events
    chi2 = np.divide(excess**2, variance, out=np.zeros(len(ends)), where=variance > 0)
    return (values[ends] + values[ends + 1]) / 2, chi2 / (2 * len(numbers))


def _count_levels(codes: Any, target: NodeTarget, levels: tuple[Any, ...]) -> list[dict[str, Any]]:
    counts = target.counts(np.where(codes < len(levels), codes, -1), len(levels))
    mean = counts.mean if counts.risk is None else counts.risk
    return [
        {
            "code": code,
            "text": level_text(level),
            "n_rows": int(counts.n_rows[code]),
            "counts": None if counts.classes is None else counts.classes[code].tolist(),
            "mean": None if mean is None else float(mean[code]),
        }
        for code, level in enumerate(levels)
        if counts.n_rows[code]
    ]
