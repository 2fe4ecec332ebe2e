"""Parquet files as a scan reads them: what they say of themselves, and their rows in batches.

A file is known by its size and the time of its last change. Both are compared whenever it is
opened: a file that changed since is an error, never a wrong tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ceiba.errors import DataError, SchemaError

BATCH_ROWS = 1 << 16


def import_parquet() -> Any:
    """Import `pyarrow.parquet`, or say what to install."""
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise ImportError(
            "ceiba.scan needs pyarrow, which is not installed. Install it with: "
            "pip install ceiba[parquet]"
        ) from error
    return parquet


@dataclass(frozen=True)
class ParquetFile:
    """A file and what it held when it was first looked at."""

    path: Path
    size: int
    changed: int  # nanoseconds
    schema: Any
    group_rows: tuple[int, ...]
    name: str = ""  # in errors, if not the path
    owner: Any = field(default=None, repr=False, compare=False)  # of a temporary file

    @property
    def display_name(self) -> str:
        """What the file is called in errors."""
        return self.name or str(self.path)

    @staticmethod
    def from_path(path: Path, name: str = "", owner: Any = None) -> ParquetFile:
        """Read the footer of a file."""
        parquet = import_parquet()
        state = path.stat()
        try:
            with parquet.ParquetFile(path) as file:
                meta, schema = file.metadata, file.schema_arrow
                rows = tuple(meta.row_group(g).num_rows for g in range(meta.num_row_groups))
        except Exception as error:
            raise _parquet_error(path, error) from error
        return ParquetFile(path, state.st_size, state.st_mtime_ns, schema, rows, name, owner)

    def check(self) -> None:
        """Raise if the file is not what it was."""
        try:
            state = self.path.stat()
        except OSError as error:
            raise DataError(f"{self.display_name} is gone: {error.strerror}.") from error
        if (state.st_size, state.st_mtime_ns) != (self.size, self.changed):
            raise DataError(
                f"{self.display_name} changed while it was read. Scan it again when nobody writes to it."
            )

    def batches(self, groups: Sequence[int], columns: Sequence[str]) -> Iterator[Any]:
        """Yield the rows of some row groups as Arrow tables of at most `BATCH_ROWS` rows."""
        import pyarrow as pa

        self.check()
        parquet = import_parquet()
        try:
            with parquet.ParquetFile(self.path) as file:
                for batch in file.iter_batches(
                    BATCH_ROWS, row_groups=list(groups), columns=list(columns), use_threads=False
                ):
                    yield pa.Table.from_batches([batch]).select(list(columns))
        except (OSError, pa.ArrowException) as error:
            self.check()
            raise _parquet_error(self.display_name, error) from error
        self.check()


def check_same_columns(files: Sequence[ParquetFile]) -> None:
    """Raise unless all files have the same columns of the same types, in whatever order."""
    first = files[0]
    names = first.schema.names
    for other in files[1:]:
        for name in names:
            if name not in other.schema.names:
                raise SchemaError(
                    f"{other.display_name} has no column {name!r}, and {first.display_name} has one."
                )
            mine, theirs = first.schema.field(name).type, other.schema.field(name).type
            if mine != theirs:
                raise SchemaError(
                    f"Column {name!r} is {theirs} in {other.display_name} and {mine} in {first.display_name}. "
                    "Write all files with the same types."
                )
        for name in other.schema.names:
            if name not in names:
                raise SchemaError(
                    f"{other.display_name} has a column {name!r}, and {first.display_name} has none."
                )


def check_unique_names(names: Sequence[str], where: str) -> None:
    """Raise if two columns have one name."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise SchemaError(f"Two columns of {where} are both called {twice!r}. Rename one.")


def _parquet_error(path: Path | str, error: Exception) -> DataError:
    return DataError(f"{path} cannot be read as Parquet: {error}")
