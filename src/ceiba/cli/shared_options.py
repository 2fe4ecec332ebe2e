"""Options that several commands share, as annotated types."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Data = Annotated[
    str,
    typer.Argument(
        help="CSV (any separator, .gz .bz2 .xz .zst too), Parquet, Arrow, NDJSON, "
        "FILE.db::TABLE of SQLite or DuckDB, or - for CSV from the standard input.",
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
Separator = Annotated[
    str | None,
    typer.Option("--separator", help="Between the cells of a CSV; found out if not given."),
]
Encoding = Annotated[str, typer.Option("--encoding", help="Of the CSV, e.g. latin-1.")]
Decimal = Annotated[bool, typer.Option("--decimal-comma", help="Numbers are written 1,5.")]
Markers = Annotated[
    list[str] | None,
    typer.Option(
        "--missing-marker",
        help="A text that means missing; may be given several times. "
        "[default: empty cells, NA, N/A, NaN, nan, null, NULL, ?]",
        show_default=False,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say only what was asked for.")]
AsJson = Annotated[bool, typer.Option("--json", help="Answer in JSON, for machines.")]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="A file to write.", show_default=False)
]
