"""A spool: rows of any reader on their way into one Parquet file that belongs to its scan.

The file has no name (on Linux), so that no end of the process leaves it behind; elsewhere it is
removed with its scan.
"""

from __future__ import annotations

import errno
import os
import tempfile
import weakref
from pathlib import Path
from typing import Any, Final

from ceiba.errors import DataError
from ceiba.table.scanning.parquet import ParquetFile, require_parquet

_GROUP_ROWS: Final = 1 << 17
_NAMELESS: Final = Path("/proc/self/fd")


class Spool:
    """Write Arrow tables of one schema, then read them as a Parquet file."""

    def __init__(self, directory: str | None) -> None:
        self.directory = directory or tempfile.gettempdir()
        self._waiting: list[Any] = []
        self._writer: Any = None
        self.n_rows = 0
        handle, name = tempfile.mkstemp(".parquet", "ceiba-spool-", self.directory)
        self._path, self._owner = Path(name), _Owner()
        if _NAMELESS.is_dir():
            self._path.unlink()
            self._path = _NAMELESS / str(handle)
            weakref.finalize(self._owner, os.close, handle)
        else:  # macOS and Windows
            os.close(handle)
            weakref.finalize(self._owner, self._path.unlink, missing_ok=True)

    def write(self, table: Any) -> None:
        """Write rows."""
        if table.num_rows:
            self._waiting.append(table)
            self.n_rows += table.num_rows
        if sum(one.num_rows for one in self._waiting) >= _GROUP_ROWS:
            self._flush()

    def restart(self) -> None:
        """Forget what was written."""
        self._waiting, self._writer, self.n_rows = [], None, 0

    def done(self, name: str) -> ParquetFile:
        """End writing and return the file, which errors call `name`; it lives as long as this."""
        self._flush()
        if self._writer is None:
            raise DataError(f"{name} has no rows.")
        try:
            self._writer.close()
        except OSError as error:
            raise self._full(error) from error
        return ParquetFile.look(self._path, name, self._owner)

    def _flush(self) -> None:
        import pyarrow as pa

        if not self._waiting:
            return
        rows, self._waiting = pa.concat_tables(self._waiting), []
        try:
            if self._writer is None:
                parquet = require_parquet()
                self._writer = parquet.ParquetWriter(
                    self._path, rows.schema, compression="lz4", write_statistics=False
                )
            self._writer.write_table(rows, row_group_size=_GROUP_ROWS)
        except OSError as error:
            raise self._full(error) from error

    def _full(self, error: OSError) -> Exception:
        if error.errno not in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
            return error
        return DataError(
            f"The disk of {self.directory} is full. Make room, or give another directory as "
            "scratch."
        )


class _Owner:
    """The file lives as long as this value."""
