"""Options that several commands share, as annotated types."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Data = Annotated[
    str,
    typer.Argument(
        help="CSV (any separator; .gz .bz2 .xz .zst .zip too), Parquet, Arrow, NDJSON, a "
        "spreadsheet (.xlsx .xls .ods, FILE::SHEET), FILE.db::TABLE of SQLite or DuckDB, or - for "
        "CSV from the standard input.",
        metavar="DATA",
        show_default=False,
    ),
]
Model = Annotated[
    Path,
    typer.Argument(
        help="A model file, as `ceiba learn` writes it.", metavar="MODEL", show_default=False
    ),
]
# One row: of a table, or written on the command line.
RowTable = Annotated[str | None, typer.Argument(help="A table with the row.", metavar="[DATA]")]
RowNumber = Annotated[int, typer.Option("--row", "-r", help="Which row, counted from 1.")]
RowValues = Annotated[
    list[str] | None,
    typer.Option("--value", "-v", help="A value of a row written here: COLUMN=VALUE."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say only what was asked for.")]
AsJson = Annotated[bool, typer.Option("--json", help="Answer in JSON, for machines.")]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", help="A file to write. [default: the standard output]", show_default=False
    ),
]
KeepIdentifiers = Annotated[
    bool,
    typer.Option(
        "--keep-identifiers",
        help="Learn from columns that name the rows too: texts or whole numbers that nearly all "
        "differ.",
    ),
]
