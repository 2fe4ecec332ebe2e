"""Options that several commands share: tables, models, and how a table is read.

A command takes one parameter ``reading``, and is given the options of reading instead by
`with_flags`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final

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
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Suppress messages.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
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


PANEL: Final = "How the file is read"


def _reading_option(kind: Any, name: str, help: str, **more: Any) -> Any:  # noqa: A002
    """Declare an option of reading."""
    option = typer.Option(name, help=help, show_default=False, rich_help_panel=PANEL, **more)
    return Annotated[kind, option]


READING_OPTIONS: Final[dict[str, Any]] = {
    "separator": _reading_option(
        str | None,
        "--separator",
        r"Column separator: one character, or tab. \[default: detected]",
        metavar="CHARACTER",
    ),
    "encoding": _reading_option(
        str | None,
        "--encoding",
        r"Text encoding: utf-8, cp1252, latin-1, ... \[default: detected from the first bytes, "
        "else utf-8]",
        metavar="NAME",
    ),
    "missing_marker": _reading_option(
        list[str] | None,
        "--missing-marker",
        "A cell that means missing, besides the default ones; may be given several times. "
        r"\[default: empty, NA, N/A, n/a, NaN, nan, null, NULL, ?, errors of Excel; and - and "
        "the like among numbers]",
        metavar="TEXT",
    ),
    "decimal_comma": _reading_option(
        bool | None,
        "--decimal-comma/--decimal-point",
        r"Numbers are written 1,5 or 1.5. \[default: detected]",
    ),
    "day_first": _reading_option(
        bool | None,
        "--day-first/--month-first",
        r"03/04/2024 is 3 April or March 4. \[default: detected]",
    ),
    "header": _reading_option(
        bool | None,
        "--header/--no-header",
        r"Whether the first line holds names. \[default: detected]",
    ),
    "names": _reading_option(
        str | None,
        "--names",
        "Names of all columns, instead of those in the file.",
        metavar="A,B,C",
    ),
    "names_from": _reading_option(
        str | None,
        "--names-from",
        "A file with the names of all columns: one a line, or one line.",
        metavar="FILE",
    ),
    "skip_rows": _reading_option(
        int, "--skip-rows", "Lines to leave out before the table.", metavar="N", min=0
    ),
}


@dataclass(frozen=True)
class ReadingFlags:
    """What the command line says about reading."""

    separator: str | None = None
    encoding: str | None = None
    missing_marker: list[str] | None = None
    decimal_comma: bool | None = None
    day_first: bool | None = None
    header: bool | None = None
    names: str | None = None
    names_from: str | None = None
    skip_rows: int = 0

    def resolve(self, quiet: bool = False, **settings: Any) -> Any:
        """Check the options and return the `Reading`."""
        from ceiba.table.files import read_options

        return replace(read_options(**vars(self)), quiet=quiet, **settings)

    def for_model(self, metadata: dict[str, Any], tree: Any, quiet: bool = False) -> Any:
        """Return how to read rows for a model: as those were read that it was learned from."""
        from ceiba.table.files import Style

        stored = metadata.get("reading")
        stored = stored if isinstance(stored, dict) else {}
        styles = stored.get("styles")
        named = styles.items() if isinstance(styles, dict) else ()
        names = stored.get("names")
        reading = self.resolve(
            quiet,
            expected=tree.schema.names if tree.schema.named else (),
            stored_names=tuple(map(str, names)) if isinstance(names, list) else (),
            target=tree.target.name,
            styles={name: style for name, data in named if (style := Style.from_dict(data))},
        )
        markers = metadata.get("missing_markers")
        if isinstance(markers, list):
            all_markers = ("", *(str(marker) for marker in markers), *(self.missing_marker or ()))
            reading = replace(reading, markers=tuple(dict.fromkeys(all_markers)))
        return reading


#: Nothing is said: the file decides.
DEFAULT_READING: Final = ReadingFlags()
