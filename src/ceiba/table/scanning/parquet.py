"""Read the footers of Parquet files, and their rows in batches.

Size and modification time are compared whenever a file is opened, so that a changed file raises an
error and does not cause a wrong tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ceiba.errors import DataError, SchemaError

BATCH_ROWS = 1 << 16


def import_parquet() -> Any:
    """Import `pyarrow.parquet`; if it is missing, raise an error with the pip command."""
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise ImportError(
            "ceiba.scan requires the 'pyarrow' package. Install it with: "
            "pip install 'ceiba[parquet]'"
        ) from error
    return parquet


@dataclass(frozen=True)
class ParquetFile:
    """A Parquet file: schema, row groups, and size and modification time when first opened."""

    path: Path
    size: int
    changed: int  # modification time in nanoseconds
    schema: Any
    group_rows: tuple[int, ...]
    name: str = ""  # name for error messages if it differs from the path
    owner: Any = field(default=None, repr=False, compare=False)  # deletes a temporary file

    @property
    def display_name(self) -> str:
        """The name of the file in error messages."""
        return self.name or str(self.path)

    @staticmethod
    def from_path(path: Path, name: str = "", owner: Any = None) -> ParquetFile:
        """Open a file and read its footer."""
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
        """Raise an error if the file has changed since it was first opened."""
        try:
            state = self.path.stat()
        except OSError as error:
            raise DataError(f"Cannot read {self.display_name}: {error.strerror}.") from error
        if (state.st_size, state.st_mtime_ns) != (self.size, self.changed):
            raise DataError(
                f"{self.display_name} changed after it was scanned. Scan the table again."
            )

    def batches(self, groups: Sequence[int], columns: Sequence[str]) -> Iterator[Any]:
        """Yield the rows in the given row groups as Arrow tables of at most `BATCH_ROWS` rows."""
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
    """Raise an error unless all files have the same columns with the same types, in any order."""
    first = files[0]
    for other in files[1:]:
        for one, two in ((first, other), (other, first)):
            absent = [name for name in one.schema.names if name not in two.schema.names]
            if absent:
                raise SchemaError(
                    f"Column {absent[0]!r} of {one.display_name} is missing in {two.display_name}."
                )
        for name in first.schema.names:
            kind, other_kind = first.schema.field(name).type, other.schema.field(name).type
            if kind != other_kind:
                raise SchemaError(
                    f"Column {name!r} has type {other_kind} in {other.display_name} and {kind} in "
                    f"{first.display_name}. Write all files with the same types."
                )


def check_unique_names(names: Sequence[str], source: str) -> None:
    """Raise an error if two columns have the same name."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise SchemaError(f"Two columns in {source} are named {twice!r}. Rename one.")


def _parquet_error(path: Path | str, error: Exception) -> DataError:
    return DataError(f"{path} cannot be read as Parquet: {error}")
