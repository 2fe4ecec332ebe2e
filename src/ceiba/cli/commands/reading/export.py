"""``ceiba export``: write a model in another format."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from ceiba.cli.options.shared_options import Model, Out, Quiet
from ceiba.errors import OptionError, did_you_mean


def export(
    model: Model,
    format_: Annotated[
        str | None,
        typer.Argument(
            metavar="[FORMAT]",
            help="sql, python, c, javascript, json, onnx, pmml, excel, rules, text, dot, ... "
            "[default: by the suffix of --out]",
        ),
    ] = None,
    out: Out = None,
    dialect: Annotated[str | None, typer.Option(help="SQL dialect. [default: ansi]")] = None,
    table: Annotated[str | None, typer.Option(help="SQL table. [default: data]")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="Other option of the format: NAME=VALUE.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write a model in another format; predictions equal those of `ceiba predict`.

    Examples
    --------
    ceiba export weather.ceiba sql --dialect duckdb --table weather

    ceiba export weather.ceiba -o weather.py
    """
    import inspect

    from ceiba.cli.models import open_tree
    from ceiba.cli.options.estimator_from_flags import read_settings
    from ceiba.cli.terminal.output import check_out_path, remark
    from ceiba.export import FORMATS, format_named, format_of_path
    from ceiba.export import export as write

    if format_ is None and out is None:
        raise OptionError(f"Pass a format. Allowed values: {', '.join(FORMATS)}.")
    check_out_path(out)
    chosen = format_named(format_) if format_ is not None else format_of_path(str(out))
    options: dict[str, Any] = read_settings(set_)
    options |= {k: v for k, v in {"dialect": dialect, "table": table}.items() if v is not None}
    allowed = list(inspect.signature(chosen.load()).parameters)[1:]
    for name in options:
        if name not in allowed:
            hint = did_you_mean(name, allowed)
            raise OptionError(f"The format {chosen.name} has no option {name!r}.{hint}")
    content = write(open_tree(model)[0], chosen.name, out, **options)
    if out is not None:
        remark(f"written to {out}", quiet)
    elif isinstance(content, bytes):
        sys.stdout.buffer.write(content)
    elif isinstance(content, str):
        print(content.rstrip("\n"))
    else:
        raise OptionError(f"The format {chosen.name} is a Python object, not a file.")
