"""One more cut beside those of a draft: the one that gains most, given the others.

Cuts part the rows of a node into intervals, and a further cut divides one of them. What it gains
for the node is what it gains in its interval, times the interval's share of the rows. Both sides of
it have at least `min_samples_leaf` rows.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ceiba.errors import OptionError
from ceiba.grow.core_grower import resolve_min_leaf
from ceiba.studio.answers.bench import Bench
from ceiba.studio.answers.branches import NodeTarget
from ceiba.studio.answers.column import gains_along
from ceiba.studio.work.splits import read_cuts


def further_cut(bench: Bench, node: int, given: dict[str, Any]) -> dict[str, Any]:
    """Return the best further cut of a numeric column; null where no interval can be cut."""
    name = given.get("column")
    schema = bench.problem.table.schema
    if not isinstance(name, str) or not schema.columns[schema.index(name)].is_numeric:
        raise OptionError(f"column: got {name!r}. Give the name of a column of numbers.")
    cuts = sorted(read_cuts(given.get("cuts")))
    here = bench.at(node)
    target = NodeTarget.of(here)
    values = np.asarray(bench.problem.table.column(name).values)[here.rows].astype(np.float64)
    weight = np.ones(len(values)) if target.weight is None else target.weight
    best, gained = None, 0.0
    for low, high in pairwise([-np.inf, *cuts, np.inf]):
        rows = np.flatnonzero((values > low) & (values <= high))
        curve = _curve(bench, values, target, rows)
        if curve is None or not len(curve[0]):
            continue
        k = int(np.argmax(curve[1]))
        gain = float(curve[1][k]) * float(weight[rows].sum())
        if gain > gained:
            best, gained = float(curve[0][k]), gain
    return {"node": node, "column": name, "cut": best}


def _curve(bench: Bench, values: Any, target: NodeTarget, rows: Any) -> Any:
    if len(rows) < 2:
        return None
    weight = None if target.weight is None else target.weight[rows]
    curve = gains_along(bench, values[rows], target.values[rows], weight)
    if curve is None:
        return None
    cut, gain = curve
    n_left = np.searchsorted(np.sort(values[rows]), cut, side="right")
    least = resolve_min_leaf(bench.problem.options.min_samples_leaf, bench.problem.n_rows)
    allowed = (n_left >= least) & (len(rows) - n_left >= least)
    return cut[allowed], gain[allowed]
