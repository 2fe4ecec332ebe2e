"""One table of an SQLite or DuckDB file: ``FILE::TABLE``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ceiba._polars import pl
from ceiba.errors import DataError
from ceiba.table.files.streams import existing


def read_database(source: str) -> Any:
    """Read one table of an SQLite or DuckDB file."""
    path, _, table = source.partition("::")
    name = '"' + table.replace('"', '""') + '"'
    with Path(existing(path)).open("rb") as file:
        lite = file.read(16).startswith(b"SQLite format 3")
    if lite:
        import sqlite3

        base: Any = sqlite3.connect(f"file:{os.path.abspath(path)}?mode=ro", uri=True)  # noqa: PTH100
        failures: tuple[type[Exception], ...] = (sqlite3.Error,)
    else:
        try:
            import duckdb
        except ImportError:
            raise ImportError(
                f"Reading {path!r} needs the package duckdb. Install it: pip install duckdb",
                name="duckdb",
            ) from None
        failures = (duckdb.Error,)
        try:
            base = duckdb.connect(path, read_only=True)
        except failures as error:
            raise DataError(f"{path} is no database: {str(error).splitlines()[0]}") from None
    try:
        cursor = base.execute(f"SELECT * FROM {name}")
        names = [one[0] for one in cursor.description]
        return pl.DataFrame(cursor.fetchall(), schema=names, orient="row", infer_schema_length=None)
    except failures as error:
        raise DataError(f"{path}, table {table!r}: {str(error).splitlines()[0]}") from None
    finally:
        base.close()
