"""Read tables in files: as a whole (`read_file`), or piece by piece (`scan`).

A scan with a schema is a `Table` whose rows are read in pieces (`pieces`), or column by column.
Dask collections are recognized by type, without importing dask.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import CeibaError, DataError, OptionError
from ceiba.table.scanning.parquet import ParquetFile, check_same_columns, check_unique_names
from ceiba.table.schema import ColumnInfo, Schema, column_error, join_names
from ceiba.table.table import Column, Table

if TYPE_CHECKING:
    import polars as pl

#: Minimum number of rows in a piece, except in the last piece of a file.
PIECE_ROWS: Final = 1 << 20
T = TypeVar("T")
_UNITS: Final = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


@dataclass(frozen=True)
class ScanPiece:
    """Row groups of one Parquet file that are read together."""

    file: ParquetFile
    groups: tuple[int, ...]
    n_rows: int

    def call_naming_file(self, work: Callable[[], T]) -> T:
        """Call a function that reads this piece, and add the file name to its errors."""
        try:
            return work()
        except CeibaError as error:
            if self.file.display_name in str(error):
                raise
            raise type(error)(f"{self.file.display_name}: {error}") from error


@dataclass(frozen=True)
class Scan:
    """A table in files that is read piece by piece, created by :func:`ceiba.scan`.

    Estimators accept it in place of a table: `fit(scan, "target")`, `predict(scan)`,
    `score(scan, "target")`.

    Attributes
    ----------
    names : tuple of str
        The columns.
    n_rows : int
    memory : int
        Memory limit for growing, in bytes.
    scratch : str or None
        Directory for temporary files; None is the system's temporary directory.
    """

    files: tuple[ParquetFile, ...]
    names: tuple[str, ...]
    memory: int
    scratch: str | None = None
    # Function called with the kind ("plan" or "progress") and the text of each message.
    watch: Callable[[str, str], None] | None = None
    # A Dask client or the address of its scheduler; its workers read the files.
    cluster: Any = None

    @property
    def n_rows(self) -> int:
        """Total number of rows in all files."""
        return sum(sum(file.group_rows) for file in self.files)

    @property
    def pieces(self) -> tuple[ScanPiece, ...]:
        """Pieces of consecutive row groups with about a million rows each, in file order."""
        pieces = []
        for file in self.files:
            groups: list[int] = []
            n_rows = 0
            for g, rows in enumerate(file.group_rows):
                groups.append(g)
                n_rows += rows
                if n_rows >= PIECE_ROWS or (g + 1 == len(file.group_rows) and n_rows):
                    pieces.append(ScanPiece(file, tuple(groups), n_rows))
                    groups, n_rows = [], 0
        return tuple(pieces)

    def arrow_type(self, name: str) -> Any:
        """Return the Arrow type of a column."""
        return self.files[0].schema.field(name).type

    @property
    def numbers(self) -> tuple[str, ...]:
        """Names of the numeric and boolean columns."""
        from pyarrow import types

        tests = (types.is_integer, types.is_floating, types.is_boolean)
        return tuple(
            name for name in self.names if any(is_a(self.arrow_type(name)) for is_a in tests)
        )

    @property
    def single(self) -> frozenset[str]:
        """Names of the float32 columns."""
        return frozenset(name for name in self.names if str(self.arrow_type(name)) == "float")

    def without(self, *names: str) -> Scan:
        """Return the scan without the given columns."""
        for name in names:
            if name not in self.names:
                raise column_error(name, self.names)
        return replace(self, names=tuple(name for name in self.names if name not in names))

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield all rows in order as Arrow tables of at most 65,536 rows.

        Parameters
        ----------
        columns : sequence of str, optional
            Only these columns.
        """
        names = self.names if columns is None else columns
        for piece in self.pieces:
            yield from piece.file.batches(piece.groups, names)

    def column(self, name: str) -> NDArray[Any]:
        """Read all values of one column."""
        self.without(name)
        return np.concatenate([batch.column(name).to_numpy() for batch in self.batches([name])])

    def __repr__(self) -> str:
        return f"Scan({len(self.files)} files, {self.n_rows} rows, {len(self.names)} columns)"


def scan(
    source: Any,
    *,
    memory: str | int = "4GB",
    scratch: Any = None,
    cluster: Any = None,
    **options: Any,
) -> Scan:
    """Open files as one table that need not fit into memory.

    Parameters
    ----------
    source : str, path, or list of these
        Files, or patterns such as ``"big/*.parquet"``, whose files are sorted by name. Files in
        other formats (CSV, Arrow, NDJSON, ...) are converted, as by :func:`ceiba.read_file`, to
        a temporary Parquet file in `scratch`.
    memory : str or int, default="4GB"
        Memory limit for fitting, in bytes or with KB, MB, GB or TB.
    scratch : str or path, optional
        Directory for temporary files, which are deleted with the scan or when fitting ends. They
        are about as large as the uncompressed table. Default: the system's temporary directory.
    cluster : str or distributed.Client, optional
        A Dask cluster on which the tree is grown, such as ``"tcp://scheduler:8786"``. Its workers
        read the files, which must have the same paths there, and keep the rows in memory. `memory`
        then limits the process that calls `fit`, and there are no scratch files.
    **options
        Options of :func:`ceiba.read_file` for text files, such as `separator`.

    Returns
    -------
    Scan

    Raises
    ------
    DataError
        If a file does not exist or cannot be read.
    SchemaError
        If columns or types of a file differ from those of the first one.

    Notes
    -----
    Only the footers of Parquet files are read here. Fitting grows exactly the same tree as with the
    whole table in memory: see ``docs/beyond_memory.md``.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa
    >>> import pyarrow.parquet as pq
    >>> import ceiba
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for part in range(2):
    ...         rows = pa.table({"x": [1.0, 2.0, 3.0], "y": ["a", "a", "b"]})
    ...         pq.write_table(rows, f"{folder}/part{part}.parquet")
    ...     big = ceiba.scan(f"{folder}/*.parquet")
    ...     model = ceiba.DecisionTreeClassifier().fit(big, "y")
    ...     print(big, model.score(big, "y"))
    Scan(2 files, 6 rows, 2 columns) 1.0
    """
    from ceiba.table.files.reading import check_read_options
    from ceiba.table.files.spool import open_scan

    reading = check_read_options("scan", options)
    return open_scan(source, reading, memory=memory, scratch=scratch, cluster=cluster).scan


def make_scan(
    files: Sequence[ParquetFile], memory: int, scratch: str | None, cluster: Any = None
) -> Scan:
    """Return a scan of opened files after checking that they have rows and the same columns."""
    check_same_columns(files)
    names = tuple(files[0].schema.names)
    check_unique_names(names, files[0].display_name)
    result = Scan(tuple(files), names, memory, scratch, cluster=cluster)
    if not result.n_rows:
        paths = join_names(tuple(file.display_name for file in files), 3)
        raise DataError(f"No rows in {paths}.")
    return result


def parse_size(size: str | int, option: str) -> int:
    """Parse a number of bytes such as ``"4GB"``."""
    if isinstance(size, int) and not isinstance(size, bool) and size > 0:
        return size
    pattern = r"\s*([0-9]+\.?[0-9]*|\.[0-9]+)\s*([A-Za-z]*)\s*"
    parts = re.fullmatch(pattern, size) if isinstance(size, str) else None
    unit = _UNITS.get(parts[2].upper()) if parts else None
    if parts is None or unit is None or float(parts[1]) <= 0:
        raise OptionError(
            f"`{option}` must be a positive number of bytes, e.g. '4GB' or '500MB', got {size!r}."
        )
    return int(float(parts[1]) * unit)


def is_dask_frame(X: Any) -> bool:
    """Whether an object is a dask DataFrame or a dask Series."""
    return _is_from_dask(X) and hasattr(X, "map_partitions")


def is_dask_array(X: Any) -> bool:
    """Whether an object is a dask Array."""
    return _is_from_dask(X) and hasattr(X, "map_blocks")


def is_dask(X: Any) -> bool:
    """Whether an object is a dask DataFrame, Series or Array."""
    return is_dask_frame(X) or is_dask_array(X)


def _is_from_dask(X: Any) -> bool:
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr")


class ScannedTable(Table):
    """A table that reads the columns of a schema from a scan, one piece at a time."""

    is_whole: ClassVar[bool] = False

    scan: Scan

    def __init__(self, scan: Scan, schema: Schema, read: Callable[[Any, Schema], Table]) -> None:
        scan.without(*sorted(set(schema.names) - set(scan.names)))  # raises if one is missing
        self.__dict__.update(scan=scan, schema=schema, n_rows=scan.n_rows, _read=read)
        self.__dict__["columns"] = tuple(_ScannedColumn(self, info) for info in schema.columns)

    def pieces(self) -> Iterator[Table]:
        """Yield the rows as tables, one piece at a time."""
        for batch in self.scan.batches(self.schema.names):
            yield self.__dict__["_read"](batch, self.schema)


class _ScannedColumn(Column):
    """A column of a scan, which is read at each access to its values."""

    def __init__(self, table: ScannedTable, info: ColumnInfo) -> None:
        self.__dict__.update(info=info, levels_found=False, _table=table)

    @property
    def values(self) -> NDArray[Any]:
        """The values in all rows, read from the files."""
        table: ScannedTable = self.__dict__["_table"]
        alone = ScannedTable.__new__(ScannedTable)
        alone.__dict__.update(table.__dict__, schema=Schema((self.info,)))
        return np.concatenate([piece.columns[0].values for piece in alone.pieces()])


def read_file(path: str | os.PathLike[str], **options: Any) -> pl.DataFrame:
    r"""Read a table from a file; separator, decimal comma and date format are detected.

    Requires the packages of `ceiba[files]`.

    Parameters
    ----------
    path : str or path
        CSV (compressed or not; a pattern such as ``*.csv`` for several files), Parquet, Arrow,
        NDJSON, a spreadsheet (`FILE::SHEET`), or `FILE.db::TABLE` of SQLite or DuckDB.
    **options
        Settings that replace the detected ones: `separator`, `encoding`, `decimal_comma`,
        `day_first`, `header`, `names` ("a,b,c") and `skip_rows`; `missing_marker` adds a list.

    Returns
    -------
    polars.DataFrame

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import ceiba
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     _ = path.write_text("size;weight\nS;1,5\nL;2,75\n")
    ...     ceiba.read_file(path)["weight"].to_list()
    [1.5, 2.75]
    """
    from ceiba.table.files.reading import check_read_options, load_table

    frame: pl.DataFrame = load_table(
        os.fspath(path), check_read_options("read_file", options)
    ).frame
    return frame
