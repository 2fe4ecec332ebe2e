"""Declare options that several commands share: tables, models and reading options.

`with_flags` expands the parameter ``reading`` of a command into the reading options.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from ceiba.errors import OptionError

OptStr = str | None
OptList = list[str] | None
OptInt = int | None
OptFloat = float | None
OptPath = Path | None

_DATA: Final[Any] = typer.Argument(
    help="CSV (any separator; .gz .bz2 .xz .zst .zip too), Parquet, Arrow, NDJSON, a spreadsheet "
    "(.xlsx .xls .ods, FILE::SHEET), FILE.db::TABLE of SQLite or DuckDB, or - for CSV from the "
    "standard input.",
    metavar="DATA",
    show_default=False,
)
Data = Annotated[str, _DATA]
DataOrExample = Annotated[str | None, _DATA]
Example = Annotated[
    str | None, typer.Option("--example", help="Example data set, instead of a file.")
]
_MODEL: Final[Any] = typer.Argument(
    help="Model file written by `ceiba learn`.", metavar="MODEL", show_default=False
)
Model = Annotated[Path, _MODEL]
ModelOrExample = Annotated[Path | None, _MODEL]
# The options for one row, from a table or from the command line.
RowTable = Annotated[str | None, typer.Argument(help="Table with the row.", metavar="[DATA]")]
RowNumber = Annotated[int, typer.Option("--row", "-r", help="Row number, starting at 1.")]
RowValues = Annotated[
    list[str] | None, typer.Option("--value", "-v", help="Value of a column; repeatable.")
]
WantedAnswer = Annotated[
    str | None,
    typer.Option("--target", "-t", metavar="CLASS", help="Wanted class, or LOW:HIGH for numbers."),
]
RenamedTarget = Annotated[
    str | None, typer.Option("--target", "-t", help="Target column. [default: as in training]")
]
Weight = Annotated[str | None, typer.Option(help="Column with row weights.")]
Time = Annotated[str | None, typer.Option(help="Column with survival times, instead of --target.")]
Event = Annotated[
    str | None, typer.Option(help="Column with events (1) and censored rows (0), or COLUMN=CODE.")
]
Drop = Annotated[list[str] | None, typer.Option(help="Columns to exclude.")]
HtmlReport = Annotated[Path | None, typer.Option(help="Interactive HTML report to write.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Suppress messages.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="Output file. [default: standard output]", show_default=False),
]
KeepIdentifiers = Annotated[
    bool,
    typer.Option(
        "--keep-identifiers",
        help="Keep identifiers (text or integer columns with almost only distinct values).",
    ),
]


def split_pair(option: str, text: str, form: str = "COLUMN=VALUE") -> tuple[str, str]:
    """Split a value such as ``age=40`` at the equals sign."""
    name, equals, value = text.partition("=")
    if not equals:
        raise OptionError(f"{option} must be {form}, got {text!r}.")
    return name, value


def read_numbers(option: str, text: str) -> list[float]:
    """Parse numbers separated by commas."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(f"{option} must be numbers such as 0.1,0.9, got {text!r}.") from None


def resolve_example(
    data: str | None, target: str | None, example: str | None
) -> tuple[str, str | None]:
    """Return the table and target of a command, or those of an example."""
    if (data is None) == (example is None):
        raise OptionError("Pass a table (DATA) or --example NAME, and not both.")
    if example is None:
        assert data is not None
        return data, target
    from ceiba.datasets import describe_tables, get_path

    path, column = get_path(example), describe_tables()[example]["target"]
    return str(path), target or (column if isinstance(column, str) else None)


PANEL: Final = "Input file"


def _reading_option(kind: Any, name: str, help: str, **more: Any) -> Any:  # noqa: A002
    """Return the declaration of a reading option."""
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
        "Additional marker of missing values; repeatable. "
        r"\[default: empty, NA, N/A, n/a, NaN, nan, null, NULL, ?, Excel errors; in numeric "
        "columns also - and similar signs]",
        metavar="TEXT",
    ),
    "decimal_comma": _reading_option(
        bool | None,
        "--decimal-comma/--decimal-point",
        r"Decimal sign of numbers: 1,5 or 1.5. \[default: detected]",
    ),
    "day_first": _reading_option(
        bool | None,
        "--day-first/--month-first",
        r"Whether 03/04/2024 is 3 April or March 4. \[default: detected]",
    ),
    "header": _reading_option(
        bool | None,
        "--header/--no-header",
        r"Whether the first line contains the column names. \[default: detected]",
    ),
    "names": _reading_option(
        str | None, "--names", "Column names, instead of those in the file.", metavar="A,B,C"
    ),
    "names_from": _reading_option(
        str | None,
        "--names-from",
        "File with the column names, one per line or all on one line.",
        metavar="FILE",
    ),
    "skip_rows": _reading_option(
        int, "--skip-rows", "Number of lines to skip before the table.", metavar="N", min=0
    ),
}


@dataclass(frozen=True)
class ReadingFlags:
    """The reading options of a command."""

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
        """Return the checked options as a `ReadOptions`."""
        from ceiba.table.files import build_read_options

        return replace(build_read_options(**vars(self)), quiet=quiet, **settings)

    def for_model(self, metadata: dict[str, Any], tree: Any, quiet: bool = False) -> Any:
        """Return the options with which the training file of the model was read."""
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


#: Reading options that detect everything.
DEFAULT_READING: Final = ReadingFlags()
