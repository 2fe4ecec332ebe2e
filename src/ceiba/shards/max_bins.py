"""Cuts at the edges of quantile bins only (`max_bins`), at the edges that a table in memory has.

There, edges are placed by a sample of the rows that a tree is grown on. The places of the sampled
rows follow from the number of rows alone (`cpp/core/split/bins/binning.cpp`), so the same rows can
be collected from shards. A column of no more values than bins has a bin for each, and its cuts lie
between the values of a node; of any other column, the search sees the number of the bin in the
place of each value. Every bin is one value then: nothing is zoomed or fetched.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.shards.layout import ShardLayout, tree_layouts
from ceiba.shards.shard import Arrays
from ceiba.shards.table import ShardedTable


def choose_bins(table: ShardedTable, trees: Sequence[int], max_bins: int) -> list[ShardLayout]:
    """Choose the bins of each tree, and scatter them."""
    exchange, n_shards = table.exchange, table.n_shards
    exchange.scatter("trees", [(np.array(trees), np.array([max_bins]))] * n_shards)
    distinct = exchange.collect("distinct")
    single = distinct[0][1]
    k = len(single)
    if not k:
        return [table.layout] * len(trees)
    parts = [np.split(values, ends[:-1]) for _, _, ends, values in distinct]
    places = _places([n_rows for n_rows, *_ in distinct])
    exchange.scatter("places", places)
    samples = exchange.collect("sample")
    values = _by_tree([own[0] for own in samples], [k * ends for ends, _ in places])
    weights = None
    if table.weighed is not None:
        weights = _by_tree([own[1] for own in samples], [ends for ends, _ in places])
    coarse, numbers = [], []
    for t in range(len(trees)):
        sample = np.concatenate([own.reshape(k, -1) for own in values[t]], axis=1)
        weight = None if weights is None else np.concatenate(weights[t])
        for j in range(k):
            few = reduce(np.union1d, [part[t * k + j] for part in parts], np.empty(0))
            coarse.append(len(few) > max_bins)
            if coarse[-1]:
                few = np.asarray(_core.place_edges(sample[j], max_bins, bool(single[j]), weight))
            numbers.append(few)
    bins = (
        np.array(trees),
        np.array(coarse),
        np.tile(single, len(trees)),
        np.cumsum([len(own) for own in numbers]),
        np.concatenate(numbers),
    )
    exchange.scatter("bins", [bins] * n_shards)
    return list(tree_layouts(table.layout, bins).values())


def _places(n_rows: Sequence[npt.NDArray[Any]]) -> list[Arrays]:
    """Return the rows of each shard that are sampled, by their places among those of each tree."""
    by_tree = []
    for of_tree in np.transpose(n_rows):
        ends = np.cumsum(of_tree)
        sample = np.asarray(_core.approximate_sample(int(ends[-1])))
        parts = np.split(sample, np.searchsorted(sample, ends[:-1]))
        by_tree.append([own - first for own, first in zip(parts, ends - of_tree, strict=True)])
    return [
        (np.cumsum([len(own) for own in of_shard]), np.concatenate(of_shard))
        for of_shard in zip(*by_tree, strict=True)
    ]


def _by_tree(arrays: Sequence[npt.NDArray[Any]], ends: Sequence[npt.NDArray[Any]]) -> list[Any]:
    """Return, per tree, its part of the array of each shard."""
    split = [np.split(own, end[:-1]) for own, end in zip(arrays, ends, strict=True)]
    return list(zip(*split, strict=True))
