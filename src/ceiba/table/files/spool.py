"""Open Parquet and other files as a `Scan`, a table that is read piece by piece.

Parquet files are scanned in place. If any file has another format, all are written to a temporary
Parquet file, with the types that `read_file` would infer. On Linux that file is unlinked while
open, so that it disappears however the process ends; elsewhere it is deleted with its scan.
"""

from __future__ import annotations

import errno
import os
import tempfile
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ceiba._polars import pl
from ceiba.errors import DataError, OptionError
from ceiba.table.files.csv_file import CsvFormat
from ceiba.table.files.reading import (
    ReadOptions,
    expand_sources,
    is_text,
    load_table,
    refuse_text_options,
)
from ceiba.table.files.streams import first_line, is_stream
from ceiba.table.files.typed_csv import find_nameless, read_csv
from ceiba.table.scanning.parquet import ParquetFile, import_parquet
from ceiba.table.scanning.scan import Scan, make_scan, parse_size

_ROW_GROUP_SIZE: Final = 1 << 17
_OPEN_FILES: Final = Path("/proc/self/fd")


@dataclass(frozen=True)
class OpenedScan:
    """A `Scan`, the CSV format of its files, and messages for the user."""

    scan: Scan
    format: CsvFormat
    remarks: list[str]
    n_left_out: int = 0  # number of rows dropped because they have no target


def open_scan(
    source: Any,
    reading: ReadOptions,
    *,
    memory: str | int = "4GB",
    scratch: Any = None,
    cluster: Any = None,
    target: str = "",
) -> OpenedScan:
    """Open files as a scan; rows without a target are dropped unless all files are Parquet."""
    paths = _paths(source)
    if cluster is not None and scratch is not None:
        raise OptionError(
            "`scratch` is not supported with `cluster`, because the workers keep the rows in "
            "memory. Pass only one of them."
        )
    size, directory = parse_size(memory, "memory"), None if scratch is None else str(scratch)
    if directory is not None and not Path(directory).is_dir():
        raise OptionError(f"`scratch` must be an existing directory, got {directory!r}.")
    if all(map(_is_parquet, paths)):
        refuse_text_options(paths[0], reading)
        if cluster is not None:  # workers may have different working directories
            paths = [str(Path(path).absolute()) for path in paths]
        files = [ParquetFile.from_path(Path(path)) for path in paths]
        return OpenedScan(make_scan(files, size, directory, cluster), CsvFormat(), [])
    other = next(path for path in paths if not _is_parquet(path))
    if cluster is not None:
        raise OptionError(f"Only Parquet files are supported with `cluster`, got {other}.")
    spool = _Spool(directory, target)
    if all(map(is_text, paths)):
        csv, remarks = read_csv(paths, reading, spool)
    else:
        csv, remarks = _spool_typed(paths, reading, spool)
    name = paths[0] if len(paths) == 1 else f"{paths[0]} ..."
    table = make_scan((spool.finish(name),), size, directory)
    dropped, remark = find_nameless(csv, spool.nonempty)
    return OpenedScan(table.without(*dropped), csv, remarks + remark, spool.n_left_out)


def _paths(source: Any) -> list[str]:
    paths: list[str] = []
    for path in source if isinstance(source, list | tuple) else [source]:
        if not isinstance(path, str | os.PathLike):
            raise OptionError(f"`source` must be a path, pattern or list of these, got {path!r}.")
        if is_stream(name := os.fspath(path)):
            raise OptionError(f"`source` must be a file, got the stream {name}. Save it to a file.")
        paths += expand_sources(name)
    if not paths:
        raise DataError(f"`source` must contain at least one path, got {source!r}.")
    return paths


def _is_parquet(path: str) -> bool:
    if path.lower().endswith((".parquet", ".pq")) or "::" in path:
        return "::" not in path
    with Path(path).open("rb") as file:  # a Parquet file may have no extension
        return file.read(4) == b"PAR1"


def _spool_typed(
    paths: Sequence[str], reading: ReadOptions, spool: _Spool
) -> tuple[CsvFormat, list[str]]:
    """Write files to a temporary Parquet file: Arrow and NDJSON in batches, others as a whole."""
    csv = CsvFormat()
    remarks: list[str] = []
    for path in paths:
        ending = Path(path.partition("::")[0]).suffix.lower()
        lazy: Any = {".arrow": pl.scan_ipc, ".feather": pl.scan_ipc, ".ipc": pl.scan_ipc,
                ".ndjson": pl.scan_ndjson, ".jsonl": pl.scan_ndjson}.get(ending)  # fmt: skip
        if lazy is None or "::" in path:
            table = load_table(path, reading)
            csv, remarks = table.format, remarks + table.remarks
            spool.add(table.frame)
            continue
        refuse_text_options(path, reading)
        try:
            for frame in lazy(path).collect_batches(chunk_size=1 << 17, maintain_order=True):
                spool.add(frame)
        except pl.exceptions.PolarsError as error:
            raise DataError(f"Cannot read {path}: {first_line(error)}") from None
    return csv, remarks


class _Spool:
    """A sink that writes frames to a temporary Parquet file and drops rows without a target."""

    def __init__(self, directory: str | None, target: str) -> None:
        self._directory, self._target = directory or tempfile.gettempdir(), target
        handle, name = tempfile.mkstemp(".parquet", "ceiba-spool-", self._directory)
        self._path, self._owner = Path(name), _Owner()
        if _OPEN_FILES.is_dir():
            self._path.unlink()
            self._path = _OPEN_FILES / str(handle)
            weakref.finalize(self._owner, os.close, handle)
        else:  # macOS and Windows
            os.close(handle)
            weakref.finalize(self._owner, self._path.unlink, missing_ok=True)
        self.restart()

    def restart(self) -> None:
        """Discard all rows that were written so far."""
        self._waiting: list[Any] = []
        self._writer: Any = None
        self.nonempty: set[str] = set()  # names of columns with at least one value
        self.n_left_out = 0

    def add(self, frame: Any) -> None:
        """Write the rows of a frame; rows without a target are dropped."""
        self.nonempty |= {
            series.name for series in frame.get_columns() if series.null_count() < len(series)
        }
        name = self._target
        if name not in frame.columns and name.isdigit() and 0 < int(name) <= frame.width:
            name = frame.columns[int(name) - 1]
        if name in frame.columns:
            present = frame[name].is_not_null()
            if not present.all():
                self.n_left_out += int((~present).sum())
                frame = frame.filter(present)
        texts = [c.name for c in frame.get_columns() if c.dtype in (pl.Categorical, pl.String)]
        frame = frame.with_columns(pl.col(texts).cast(pl.String)) if texts else frame
        if len(frame):
            self._waiting.append(frame.to_arrow(compat_level=pl.CompatLevel.oldest()))
        if sum(table.num_rows for table in self._waiting) >= _ROW_GROUP_SIZE:
            self._flush()

    def finish(self, name: str) -> ParquetFile:
        """Finish writing and return the Parquet file; error messages call it `name`."""
        self._flush()
        if self._writer is None:
            raise DataError(f"{name} has no rows{' with a target' * bool(self.n_left_out)}.")
        try:
            self._writer.close()
        except OSError as error:
            raise self._disk_full_error(error) from error
        return ParquetFile.from_path(self._path, name, self._owner)

    def _flush(self) -> None:
        import pyarrow as pa

        if not self._waiting:
            return
        rows, self._waiting = pa.concat_tables(self._waiting), []
        try:
            if self._writer is None:
                self._writer = import_parquet().ParquetWriter(
                    self._path, rows.schema, compression="lz4", write_statistics=False
                )
            self._writer.write_table(rows, row_group_size=_ROW_GROUP_SIZE)
        except OSError as error:
            raise self._disk_full_error(error) from error

    def _disk_full_error(self, error: OSError) -> Exception:
        if error.errno not in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
            return error
        return DataError(
            f"No space left in {self._directory}. Free some space, or pass another directory as "
            "`scratch`."
        )


class _Owner:
    """Owner of a temporary file; the file is deleted when the owner is garbage-collected."""
