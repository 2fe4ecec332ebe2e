"""A scan under a schema: a table whose rows are read when they are asked for.

Rows come in pieces (`pieces`), or column by column (`columns[j].values`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ceiba.table.column import Column
from ceiba.table.scanning.scan import Scan
from ceiba.table.schema import ColumnInfo, Schema
from ceiba.table.table import Table


class ScannedTable(Table):
    """The columns of a schema in a scan."""

    is_whole: ClassVar[bool] = False

    scan: Scan

    def __init__(self, scan: Scan, schema: Schema, read: Callable[[Any, Schema], Table]) -> None:
        scan.without(*sorted(set(schema.names) - set(scan.names)))  # says what is missing
        self.__dict__.update(scan=scan, schema=schema, n_rows=scan.n_rows, _read=read)
        self.__dict__["columns"] = tuple(_ScannedColumn(self, info) for info in schema.columns)

    def pieces(self) -> Iterator[Table]:
        """Yield the rows in pieces."""
        for batch in self.scan.batches(self.schema.names):
            yield self.__dict__["_read"](batch, self.schema)


class _ScannedColumn(Column):
    """A column of a scan, read each time its values are asked for."""

    def __init__(self, table: ScannedTable, info: ColumnInfo) -> None:
        self.__dict__.update(info=info, levels_found=False, _table=table)

    @property
    def values(self) -> NDArray[Any]:
        """All values."""
        table: ScannedTable = self.__dict__["_table"]
        alone = ScannedTable.__new__(ScannedTable)
        alone.__dict__.update(table.__dict__, schema=Schema((self.info,)))
        return np.concatenate([piece.columns[0].values for piece in alone.pieces()])
