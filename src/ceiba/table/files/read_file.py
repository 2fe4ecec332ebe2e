"""A table read from a file, in Python, as the command line reads it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl


def read_file(path: str | os.PathLike[str], **options: Any) -> pl.DataFrame:
    r"""Read a table as the command line does: separators, decimal commas and dates are found out.

    Needs the packages of `ceiba[files]`.

    Parameters
    ----------
    path : str or path
        CSV (packed or not; a pattern such as ``*.csv`` for several files), Parquet, Arrow, NDJSON,
        a spreadsheet (`FILE::SHEET`), or `FILE.db::TABLE` of SQLite or DuckDB.
    **options
        What the file does not say: `separator`, `encoding`, `missing_marker` (a list of texts),
        `decimal_comma`, `day_first`, `header`, `names` ("a,b,c") and `skip_rows`.

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
    from ceiba.table.files.reading import checked_options, load_table

    frame: pl.DataFrame = load_table(os.fspath(path), checked_options("read_file", options)).frame
    return frame
