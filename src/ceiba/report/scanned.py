"""The rows of a scan as a report needs them: where they end, and one column at a time.

What stays in memory is what every row has: its target, its node, its place among the rows of its
node, and the column that is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import OptionError
from ceiba.table import ColumnInfo, Scan, Schema, read_like
from ceiba.tree import Tree
from ceiba.tree.routing import route

_BYTES_PER_ROW: Final = 40


def fits_into_memory(scan: Scan) -> bool:
    """Tell whether a report can show the training rows of a scan."""
    return _BYTES_PER_ROW * scan.n_rows <= scan.memory


@dataclass(frozen=True)
class ScannedColumn:
    """A column of a scan, which is read when its values are asked for."""

    info: ColumnInfo
    scan: Scan
    unseen: Literal["error", "keep"]

    @property
    def values(self) -> NDArray[Any]:
        """All values, as a table in memory has them."""
        schema = Schema((self.info,))
        return np.concatenate(
            [
                read_like(batch, schema, match="name", unseen=self.unseen).columns[0].values
                for batch in self.scan.batches([str(self.info.name)])
            ]
        )


@dataclass(frozen=True)
class ScannedRows:
    """The columns of a tree in a scan; see :class:`~ceiba.table.Table`."""

    columns: Sequence[ScannedColumn]
    n_rows: int
    scan: Scan

    @classmethod
    def of(cls, tree: Tree, scan: Scan) -> ScannedRows:
        """Look at a scan as a tree does."""
        if not fits_into_memory(scan):
            needed = _BYTES_PER_ROW * scan.n_rows
            raise OptionError(
                f"train of a report takes {needed / 1e9:.3g} GB for {scan.n_rows:,} rows, and "
                f"memory is {scan.memory / 1e9:.3g} GB. Give more, or a sample of the rows."
            )
        unseen: Literal["error", "keep"] = "error" if tree.unseen == "error" else "keep"
        columns = [ScannedColumn(info, scan, unseen) for info in tree.schema.columns]
        return cls(columns, scan.n_rows, scan)

    def ends(self, tree: Tree) -> NDArray[Any]:
        """Give the node in which each row ends."""
        batches = self.scan.batches(tree.schema.names)
        return np.concatenate([route.apply(tree, route.read(tree, batch)) for batch in batches])
