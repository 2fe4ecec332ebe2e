"""The command ``ceiba studio``, which opens a browser page for growing a tree by hand."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from ceiba.cli.options.shared_options import (
    DEFAULT_READING,
    Example,
    OptPath,
    OptStr,
    Quiet,
    ReadingFlags,
)
from ceiba.errors import DataWarning, OptionError


def studio(
    data: Annotated[
        OptStr,
        Argument(
            help="Table (CSV, Parquet, Arrow, spreadsheet, database) or model file.",
            metavar="DATA",
            show_default=False,
        ),
    ] = None,
    target: Annotated[
        OptStr, Option("--target", "-t", help="Column to predict (name or number).")
    ] = None,
    time: Annotated[OptStr, Option(help="Column with survival times, instead of --target.")] = None,
    event: Annotated[OptStr, Option(help="Event column (1 = event, 0 = censored).")] = None,
    example: Example = None,
    rows: Annotated[OptStr, Option("--data", "-d", help="Table used to train the model.")] = None,
    test: Annotated[OptStr, Option(help="File with held-out rows for evaluation.")] = None,
    lesson: Annotated[
        bool, Option("--lesson", help="Hide a node's statistics until a split column is chosen.")
    ] = False,
    workspace: Annotated[
        OptPath, Option("--workspace", "-w", help="Workspace file. [default: DATA.studio]")
    ] = None,
    new: Annotated[
        bool, Option("--new", help="Start a new workspace and back up the old one.")
    ] = False,
    host: Annotated[
        str, Option(help="Address to listen on. Other machines can reach a non-local address.")
    ] = "127.0.0.1",
    port: Annotated[int, Option(help="Port, or 0 for a free port.", min=0, max=65535)] = 0,
    no_browser: Annotated[
        bool, Option("--no-browser", help="Print the address instead of opening a browser.")
    ] = False,
    lang: str = "en",
    reading: ReadingFlags = DEFAULT_READING,
    quiet: Quiet = False,
) -> None:
    """Grow a tree by hand in the browser.

    Every action is saved in DATA.studio, from which the next start resumes.

    Examples
    --------
    ceiba studio --example titanic

    ceiba studio loans.csv --target default

    ceiba studio loans.ceiba --data loans.csv

    ceiba studio lung.csv --time time --event died

    ceiba studio --example restaurant --lesson --lang es
    """
    from ceiba.cli.terminal.output import remark, show_warnings

    if (data is None) == (example is None):
        raise OptionError("Pass either DATA (a table or a model) or --example NAME.")
    if example is not None and (target, test, time) != (None, None, None):
        raise OptionError("--target, --time and --test are not supported with --example.")
    if (time is None) != (event is None) or (time is not None and target is not None):
        raise OptionError("Pass either --target or, for survival times, both --time and --event.")
    is_model = data is not None and data.endswith((".ceiba", ".ceiba.gz"))
    if rows is not None and not is_model:
        raise OptionError("--data requires a model file: ceiba studio MODEL --data TABLE.")
    table = None if data is None or is_model else _read_while_importing(data, reading)
    from ceiba.cli.studio_job import open_example, open_model_table, open_table

    try:
        from ceiba.studio import Address, initial_setup, open_workspace, run
    except ImportError as error:
        raise ImportError(
            f"The studio requires the {error.name!r} package. Install it with: pip install "
            "'ceiba[studio]'",
            name=error.name,
        ) from None
    show_warnings(quiet)
    warnings.simplefilter("ignore", DataWarning)  # the page itself shows these warnings
    options: dict[str, Any] = {}
    name: Any
    if data is None:
        assert example is not None
        source, name, options = open_example(example)
    elif is_model:
        source, name = open_model_table(data, rows, target, reading)
    else:
        answer = target if time is None or event is None else (time, event)
        source, name = open_table(data, answer, reading, test, table)
    del table  # avoid a second copy of a large table in memory
    path = workspace
    if path is None and source.file is not None and source.folder is not None:
        path = source.folder / f"{Path(source.file.partition('::')[0]).name}.studio"
    start = initial_setup(source, name, options, lesson=lesson)
    if start.ignore:
        names = ", ".join(map(repr, start.ignore))
        remark(f"Dropped identifiers: {names}. Restore them on the page.", quiet)
    named_lesson = (data or example) if lesson else None
    work = open_workspace(source, start, path, lang, named_lesson, defer_root=not lesson, new=new)
    for text in (*source.remarks, *work.remarks):
        remark(f"warning: {text}", quiet)
    if work.resumed is not None:
        done = work.resumed["actions"]
        remark(f"Resumed {done} actions from {path}. --new starts a new workspace.", quiet)
    address = Address(host, port)
    run(work, address, browser=not no_browser, tell=remark)
    remark("" if path is None else f"The workspace is saved in {path}.", quiet)


def _read_while_importing(data: str, flags: ReadingFlags) -> Any:
    """Read a table while another thread imports the studio modules."""
    from threading import Thread

    importing = Thread(target=_import_studio)
    importing.start()
    from ceiba.table.files import load_table

    try:
        return load_table(data, flags.resolve())
    finally:
        importing.join()


def _import_studio() -> None:
    """Import the studio modules, and skip missing packages, which are reported later."""
    from contextlib import suppress
    from importlib import import_module

    for name in ("ceiba.studio.launch", "uvicorn", "ceiba.studio.server"):
        with suppress(ImportError):
            import_module(name)
