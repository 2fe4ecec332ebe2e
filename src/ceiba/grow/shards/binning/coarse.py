"""Cuts at the edges of quantile bins only (`max_bins`), at the edges that a table in memory has.

There, edges are placed by a sample of the rows that a tree is grown on. The places of the sampled
rows follow from the number of rows alone (`cpp/core/split/bins/binning.cpp`), so the same rows can
be asked for over shards. A column of no more values than bins has a bin for each, and its cuts lie
between the values of a node; of any other column, the search sees the number of the bin in the
place of each value. Every bin is one value then: nothing is zoomed or fetched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.grow.shards.binning.distinct import few_values, joined
from ceiba.grow.shards.layout import CoarseBins, NumberBins, ShardLayout
from ceiba.grow.shards.shard import Shard, TreeBins
from ceiba.grow.shards.sharded import ShardedTable
from ceiba.table import Kind

Array = npt.NDArray[np.float64]


def coarse_layouts(table: ShardedTable, trees: Sequence[int], max_bins: int) -> list[ShardLayout]:
    """Choose the bins of each tree, and have the shards put their rows into them.

    Parameters
    ----------
    table : ShardedTable
    trees : sequence of int
        See :class:`~ceiba.grow.shards.shard.Shard`.
    max_bins : int
    """
    exchange, n_shards = table.exchange, table.n_shards
    columns = [j for j, c in enumerate(table.schema.columns) if c.kind is not Kind.CATEGORICAL]
    looks = exchange.each(_look, [(trees, columns, max_bins)] * n_shards)
    single = looks[0].single
    places = [_places([look.n_rows[t] for look in looks]) for t in range(len(trees))]
    wanted = [
        (columns, [(tree, places[t][k]) for t, tree in enumerate(trees)]) for k in range(n_shards)
    ]
    samples = exchange.each(_sampled, wanted)
    layouts = []
    for t in range(len(trees)):
        chosen: list[NumberBins | CoarseBins | int] = list(table.layout.columns)
        values = np.concatenate([sample[t][0] for sample in samples], axis=1)
        weights = None
        if table.weighed is not None:
            weights = np.concatenate([sample[t][1] for sample in samples])
        for k, j in enumerate(columns):
            few = joined([look.few[t][k] for look in looks], max_bins)
            if few is None:
                edges = _core.place_edges(values[k], max_bins, single[k], weights)
                chosen[j] = CoarseBins(np.asarray(edges))
            else:
                chosen[j] = _one_value_each(few, single[k])
        layouts.append(replace(table.layout, columns=tuple(chosen)))
    exchange.change(_with_bins, [(trees, layouts)] * n_shards)
    return layouts


def _places(n_rows: Sequence[int]) -> list[npt.NDArray[np.int64]]:
    """Say which rows of each shard are sampled, by their places among the rows of the tree."""
    ends = np.cumsum(n_rows)
    sample = np.asarray(_core.approximate_sample(int(ends[-1])))
    parts = np.split(sample, np.searchsorted(sample, ends[:-1]))
    return [own - (end - n) for own, end, n in zip(parts, ends, n_rows, strict=True)]


def _one_value_each(values: Array, single: bool) -> NumberBins:
    if not len(values):
        return NumberBins(values, np.array([np.inf]), np.array([-np.inf]))
    edges = _core.place_edges(values, len(values), single)
    return NumberBins(np.asarray(edges), values, values)


# --- work on a shard, wherever it is


@dataclass(frozen=True)
class _Look:
    """Of each tree its rows and the values of its columns that have few; columns of float32."""

    n_rows: list[int]
    few: list[list[Array]]
    single: list[bool]


def _look(shard: Shard, given: tuple[Sequence[int], Sequence[int], int]) -> _Look:
    trees, columns, most = given
    rows = [shard.rows_of(tree) for tree in trees]
    few = [[few_values(shard, j, own, most) for j in columns] for own in rows]
    single = [shard.arrays.columns[j].dtype == np.float32 for j in columns]
    return _Look([len(own) for own in rows], few, single)


def _sampled(shard: Shard, given: tuple[Sequence[int], Any]) -> list[tuple[Array, Any]]:
    """Give values (a row per column) and weights of sampled rows, for each tree."""
    columns, places = given
    samples = []
    for tree, own in places:
        rows = shard.rows_of(tree)[own]
        values = np.empty((len(columns), len(rows)))
        for k, j in enumerate(columns):
            values[k] = shard.numbers(j, rows)
        weights = shard.arrays.weights
        samples.append((values, None if weights is None else weights[rows]))
    return samples


def _with_bins(shard: Shard, given: tuple[Sequence[int], Sequence[ShardLayout]]) -> Shard:
    own = dict(shard.own_bins)
    for tree, layout in zip(*given, strict=True):
        bins = shard.room_for_bins(tree)
        edges = [[] if isinstance(one, int) else one.edge.tolist() for one in layout.columns]
        _core.bin_rows(shard.arrays.core_columns(shard.schema), edges, bins)
        own[tree] = TreeBins(bins, layout)
    return replace(shard, own_bins=own)
