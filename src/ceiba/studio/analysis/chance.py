"""Estimate the gain that each column reaches by chance at a node, from permuted targets.

A column with many levels or values reaches a large gain even in noise. To rank columns, the mean of
their best gains on 19 permutations of the target is subtracted. The limit is this mean plus
1.9 standard deviations, about the 95 % quantile of normal (1.6) and of exponential (2.0) gains.
Large nodes are sampled, because chance gains shrink as 1/n.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from ceiba.edit.forced import NodeSite
from ceiba.grow import GrowOptions, resolve_min_leaf
from ceiba.table import Target

_N_PERMUTATIONS: Final = 19
_LIMIT: Final = 1.9  # standard deviations
_MAX_CELLS: Final = 20_000  # approximate rows times columns in a sample (for up to 100 columns)
_MIN_ROWS: Final = 200  # minimum number of rows in the sample of a larger node


def find_chance_gains(site: NodeSite, options: GrowOptions) -> dict[str, tuple[float, float]]:
    """Return a dict from column names to the mean and the upper limit of the gain by chance."""
    table = site.problem.table
    n, n_columns = len(site.rows), table.n_columns
    size = max(_MIN_ROWS, _MAX_CELLS // n_columns)
    rows = site.rows[:: max(1, n // size)]
    scale = len(rows) / n
    least = resolve_min_leaf(options.min_samples_leaf, site.problem.n_rows)
    options = replace(options, max_depth=1, min_samples_leaf=max(1, round(scale * least)))
    sample = site.problem.with_changes(options=options).take(rows)
    rng = np.random.default_rng(0)
    gains = np.zeros((_N_PERMUTATIONS, n_columns))
    for k in range(_N_PERMUTATIONS):
        target = Target(sample.target.info, rng.permutation(sample.target.values))
        stump = sample.with_changes(target=target).grow(n_jobs=1)  # too small for threads
        if stump.n_nodes > 1:
            gains[k, stump.splits.column[0]] = scale * stump.gain[0]
        if stump.n_nodes > 1 and stump.competitors is not None:
            gains[k, stump.competitors.splits.column] = scale * stump.competitors.gain
    return {
        name: (float(gains[:, j].mean()), float(gains[:, j].mean() + _LIMIT * gains[:, j].std()))
        for j, name in enumerate(table.schema.names)
    }
