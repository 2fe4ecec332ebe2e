"""Declarations of options that several commands share: tables, models and how to read them."""

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
    help="Table file (CSV, Parquet, Arrow, NDJSON, Excel, ODS), sheet (FILE::SHEET), database "
    "table (FILE.db::TABLE), or - for CSV from standard input.",
    metavar="DATA",
    show_default=False,
)
Data = Annotated[str, _DATA]
DataOrExample = Annotated[str | None, _DATA]
Example = Annotated[
    str | None, typer.Option("--example", help="Bundled data set to use instead of a file.")
]
_MODEL: Final[Any] = typer.Argument(
    help="Model file written by `ceiba learn`.", metavar="MODEL", show_default=False
)
Model = Annotated[Path, _MODEL]
ModelOrExample = Annotated[Path | None, _MODEL]
# Options that select a row of a table, or contain its values.
RowTable = Annotated[str | None, typer.Argument(help="Table containing the row.", metavar="[DATA]")]
RowNumber = Annotated[int, typer.Option("--row", "-r", help="Row number, starting at 1.")]
RowValues = Annotated[
    list[str] | None, typer.Option("--value", "-v", help="Column value such as age=40; repeatable.")
]
WantedAnswer = Annotated[
    str | None,
    typer.Option("--target", "-t", metavar="CLASS", help="Desired class or range LOW:HIGH."),
]
RenamedTarget = Annotated[
    str | None, typer.Option("--target", "-t", help="Target column. [default: as in training]")
]
Weight = Annotated[str | None, typer.Option(help="Column with row weights.")]
Time = Annotated[str | None, typer.Option(help="Column with survival times, instead of --target.")]
Event = Annotated[
    str | None, typer.Option(help="Event column (1 = event, 0 = censored), or COLUMN=CODE.")
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
        help="Keep identifiers (text or integer columns whose values are almost all distinct).",
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
        return [float(number) for number in text.split(",")]
    except ValueError:
        raise OptionError(f"{option} must be a list such as 0.1,0.9, got {text!r}.") from None


def resolve_example(
    data: str | None, target: str | None, example: str | None
) -> tuple[str, str | None]:
    """Return the table and target from the command line or from a bundled data set."""
    if (data is None) == (example is None):
        raise OptionError("Pass either a table (DATA) or --example NAME.")
    if example is None:
        assert data is not None
        return data, target
    from ceiba.datasets import describe_tables, get_path

    path, column = get_path(example), describe_tables()[example]["target"]
    return str(path), target or (column if isinstance(column, str) else None)


PANEL: Final = "Input file"


def _reading_option(kind: Any, name: str, help: str, **options: Any) -> Any:  # noqa: A002
    """Return the declaration of an option for reading tables."""
    option = typer.Option(name, help=help, show_default=False, rich_help_panel=PANEL, **options)
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
        r"Text encoding, such as utf-8 or cp1252. \[default: detected from the first bytes, "
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
        r"Decimal separator of numbers (1,5 or 1.5). \[default: detected]",
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
    """Values of the command line options for reading tables."""

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
        """Check the values and return them as a `ReadOptions`."""
        from ceiba.table.files import build_read_options

        return replace(build_read_options(**vars(self)), quiet=quiet, **settings)

    def for_model(self, metadata: dict[str, Any], tree: Any, quiet: bool = False) -> Any:
        """Return a `ReadOptions` with these values and the settings stored in a model file."""
        from ceiba.table.files import Style

        settings = metadata.get("reading")
        settings = settings if isinstance(settings, dict) else {}
        styles = settings.get("styles")
        named = styles.items() if isinstance(styles, dict) else ()
        names = settings.get("names")
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


DEFAULT_READING: Final = ReadingFlags()
