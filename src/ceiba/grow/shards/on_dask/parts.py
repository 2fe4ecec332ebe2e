"""Tables on a cluster as partitions: dask DataFrames, dask Arrays, files that workers read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ceiba.grow.shards.on_dask import partitions
from ceiba.grow.shards.on_dask.exchange import RETRIES
from ceiba.table import Scan
from ceiba.table.scanning.parquet import check_names_differ


@dataclass(frozen=True)
class Parts:
    """A table on a cluster: its partitions, its columns, which of them are numbers."""

    parts: list[Any]  # futures of frames, or pieces of files
    names: list[str]
    numbers: frozenset[str]
    single: frozenset[str]  # float32
    named: bool = True

    @staticmethod
    def of_frame(client: Any, frame: Any) -> Parts:
        """Have the partitions of a dask DataFrame computed."""
        from pandas.api.types import is_numeric_dtype

        names = [str(name) for name in frame.columns]
        check_names_differ(names, "the frame")
        kinds = {name: frame.dtypes.iloc[k] for k, name in enumerate(names)}
        return Parts(
            client.compute(frame.to_delayed(), retries=RETRIES),
            names,
            frozenset(name for name in names if is_numeric_dtype(kinds[name])),
            frozenset(name for name in names if str(kinds[name]).lower().startswith("float32")),
        )

    @staticmethod
    def of_scan(scan: Scan) -> Parts:
        """Have workers read the files of a scan."""
        return Parts(list(scan.pieces), list(scan.names), frozenset(scan.numbers), scan.single)


@dataclass(frozen=True)
class Blocks:
    """dask Arrays that stand beside each other: X, y and perhaps weights, under made-up names."""

    arrays: tuple[Any, ...]
    columns: tuple[str, ...]
    names: tuple[str, ...]

    def parts(self, client: Any) -> Parts:
        """Have the blocks of rows computed and joined."""
        blocks = [array.to_delayed().ravel().tolist() for array in self.arrays]
        every = client.compute([one for array in blocks for one in array], retries=RETRIES)
        n = len(blocks[0])
        rows = [[every[k * n + i] for k in range(len(blocks))] for i in range(n)]
        frames = [
            client.submit(partitions.joined, row, self.names, pure=False, retries=RETRIES)
            for row in rows
        ]
        kind = self.arrays[0].dtype
        single = frozenset(self.columns) if kind == np.float32 else frozenset()
        return Parts(frames, list(self.names), frozenset(self.columns), single, named=False)
