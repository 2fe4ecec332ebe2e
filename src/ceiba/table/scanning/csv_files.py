"""CSV files for `ceiba.scan`: read once by pyarrow, into a spool, with the types of all rows.

pyarrow's stream takes the types of the first rows for those of all. Here a value that does not fit
moves its column up the ladder of types that `pyarrow.csv.read_csv` climbs, and reading begins
again: the types are those that reading the whole file would give.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from ceiba.errors import DataError, SchemaError
from ceiba.table.scanning.parquet import ParquetFile, check_names_differ
from ceiba.table.scanning.spool import Spool

_ENDINGS: Final = (".csv", ".tsv")
_PACKED: Final = ("", ".gz", ".bz2", ".zst", ".lz4")
_BLOCK: Final = 8 << 20
_MISFIT: Final = re.compile(r"In CSV column #(\d+): .*conversion error to")


def is_csv(path: Path) -> bool:
    """Tell whether a file is read as CSV, by its name.

    Examples
    --------
    >>> from pathlib import Path
    >>> from ceiba.table.scanning.csv_files import is_csv
    >>> is_csv(Path("big/part1.csv.gz")), is_csv(Path("big/part1.parquet"))
    (True, False)
    """
    return path.name.lower().endswith(tuple(end + pack for end in _ENDINGS for pack in _PACKED))


def spool_csv(paths: Sequence[Path], directory: str | None) -> ParquetFile:
    """Read CSV files as one table into a spool.

    Parameters
    ----------
    paths : sequence of Path
    directory : str or None
        Of the spool.

    Raises
    ------
    DataError
        A file that is no CSV, or has no rows.
    SchemaError
        Files with other columns than the first one.
    """
    spool = Spool(directory)
    kinds: dict[str, Any] = {}
    while not _spooled(paths, spool, kinds):
        spool.restart()
    return spool.done(str(paths[0]) if len(paths) == 1 else f"{paths[0]} ...")


def _spooled(paths: Sequence[Path], spool: Spool, kinds: dict[str, Any]) -> bool:
    """Read all files; False if a column needs another type, which is now among `kinds`."""
    import pyarrow as pa

    for path in paths:
        try:
            with _opened(path, kinds) as stream:
                _check_names(path, list(stream.schema.names), paths[0], kinds)
                for field in stream.schema:
                    kinds.setdefault(field.name, field.type)
                for batch in stream:
                    spool.write(_final(pa.Table.from_batches([batch]).select(list(kinds)), kinds))
        except pa.ArrowInvalid as error:
            misfit = _MISFIT.search(str(error))
            if misfit is None:
                raise DataError(f"{path} cannot be read as CSV: {error}") from error
            with _opened(path, {}) as stream:
                name = stream.schema.names[int(misfit[1])]
            kinds[name] = _next(kinds[name])
            return False
        except OSError as error:
            if isinstance(error, FileNotFoundError) or error.errno is None:
                raise DataError(f"{path} cannot be read as CSV: {error}") from error
            raise
    return True


def _opened(path: Path, kinds: dict[str, Any]) -> Any:
    from pyarrow import csv

    tab = any(path.name.lower().endswith(".tsv" + pack) for pack in _PACKED)
    return csv.open_csv(
        path,
        csv.ReadOptions(block_size=_BLOCK),
        csv.ParseOptions(delimiter="\t" if tab else ",", newlines_in_values=True),
        csv.ConvertOptions(
            column_types=kinds, strings_can_be_null=True, quoted_strings_can_be_null=False
        ),
    )


def _ladder() -> list[Any]:
    """Types in the order in which pyarrow tries them."""
    import pyarrow as pa

    return [
        pa.null(), pa.int64(), pa.bool_(), pa.date32(), pa.time32("s"), pa.timestamp("s"),
        pa.timestamp("ns"), pa.float64(), pa.string(),
    ]  # fmt: skip


def _next(kind: Any) -> Any:
    steps = _ladder()
    at = steps.index(kind) if kind in steps else len(steps) - 2
    return steps[min(at + 1, len(steps) - 1)]


def _final(rows: Any, kinds: dict[str, Any]) -> Any:
    """Have columns without a value be numbers, all missing (if one comes, all is read again)."""
    import pyarrow as pa

    empty = [name for name, kind in kinds.items() if pa.types.is_null(kind)]
    for name in empty:
        at = rows.schema.get_field_index(name)
        rows = rows.set_column(at, name, pa.nulls(rows.num_rows, pa.float64()))
    return rows


def _check_names(path: Path, names: list[str], first: Path, kinds: dict[str, Any]) -> None:
    check_names_differ(names, str(path))
    if kinds and set(names) != set(kinds):
        other = sorted(set(names) ^ set(kinds))
        raise SchemaError(f"{path} does not have the columns of {first}: {other[0]!r} differs.")
