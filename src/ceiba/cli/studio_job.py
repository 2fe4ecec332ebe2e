"""Open the data of the studio: a table, a model with its table, or an example."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from ceiba.cli.advice import find_column
from ceiba.cli.models import open_model
from ceiba.cli.options.shared_options import ReadingFlags
from ceiba.errors import OptionError
from ceiba.studio.work import Source
from ceiba.table.files import (
    ReadOptions,
    as_table,
    call_in_child,
    is_spreadsheet,
    is_stream,
    is_text,
    load_table,
)
from ceiba.table.targets import parse_surv
from ceiba.task import Task

_MOST_MEMORY = 64 << 30  # memory limit in bytes for reading a held-out file


def open_table(
    data: str, target: Any, flags: ReadingFlags, test: str | None, table: Any = None
) -> tuple[Source, Any]:
    """Return the studio's data source and the target; read the file unless `table` is given.

    The target is a column, or the columns of time and event.
    """
    reading = flags.resolve()
    table = load_table(data, reading) if table is None else table
    return _build_source(data, table, reading, flags, target, test)


def open_model_table(
    model: str, data: str | None, target: str | None, flags: ReadingFlags
) -> tuple[Source, Any]:
    """Return the studio's data source and the target for a model and its training table."""
    if data is None:
        raise OptionError("A model file requires its training table. Pass --data TABLE.")
    fitted, metadata = open_model(model)
    tree = fitted.tree_
    name = target if target is not None else tree.target.name or metadata.get("target")
    if name is None:
        raise OptionError("The model has no target name. Pass --target COLUMN.")
    surv = parse_surv(str(name)) if tree.task is Task.SURVIVAL else None
    name = str(name) if surv is None else (surv.time, surv.event)
    reading = flags.for_model(metadata, tree)
    table = load_table(data, reading)
    return _build_source(data, table, reading, flags, name, None, model=fitted, model_file=model)


def _build_source(
    data: str,
    table: Any,
    reading: Any,
    flags: ReadingFlags,
    target: Any,
    test: str | None,
    **options: Any,
) -> tuple[Source, Any]:
    frame = table.frame
    name = None if target is None else target
    if isinstance(target, tuple):
        flags_of = zip(target, ("--time", "--event"), strict=True)
        name = tuple(find_column(column, frame.columns, flag, data) for column, flag in flags_of)
    elif target is not None:
        name = find_column(target, frame.columns, "--target", data)
    how = {"data": Path(data).name, "missing_markers": list(reading.markers),
           "reading": {**table.format.to_dict(), "names": list(frame.columns)}}  # fmt: skip
    # Users rename columns in the page, so remove the advice to pass a flag.
    remarks = tuple(text.partition(" Pass names with --names")[0] for text in table.remarks)
    columns = frame.get_columns()
    del frame, table
    held_out = None if test is None else load_table(test, reading).frame
    file = Path(data.partition("::")[0])
    source = Source(
        name=file.name if "::" not in data else f"{file.name}::{data.partition('::')[2]}",
        table=as_table(columns),
        file=None if is_stream(data) else data,
        reading={  # store only the flags that the user passed
            name: value
            for name, value in dataclasses.asdict(flags).items()
            if value not in (None, 0) or value is False
        },
        folder=Path.cwd() if is_stream(data) else file.parent,
        read_file=lambda path: _read_held_out(str(path), reading),
        held_out=held_out,
        metadata=how,
        remarks=remarks,
        **options,
    )
    return source, name


def _read_held_out(path: str, reading: ReadOptions) -> Any:
    """Read a table; binary files in a child process, which a malicious file may crash."""
    if is_text(path) or is_spreadsheet(path):  # spreadsheets are already read in a child process
        return load_table(path, reading).frame
    return call_in_child(path, _MOST_MEMORY, load_table, path, reading).frame


def open_example(name: str) -> tuple[Source, Any, dict[str, Any]]:
    """Return the studio's data source, the target and growing options for a bundled data set."""
    from ceiba import datasets
    from ceiba.table import read

    datasets.get_path(name)  # fail early if the name is unknown
    data = datasets.load(name)
    expression = f"ceiba.datasets.load_{name}().data"
    source = Source(name=name, table=read(data.data), expression=expression)
    textbook = {"criterion": "entropy", "categorical_splits": "multiway"}
    return source, data.target, textbook if name in ("restaurant", "play_tennis") else {}
