"""``ceiba predict``: answers for the rows of a file, in pieces, in order, columns unchanged."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ceiba.cli.options import Data, Decimal, Encoding, Markers, Model, Out, Quiet, Separator

__all__ = ["predict"]


def predict(
    model: Model,
    data: Data,
    out: Out = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", "-p", help="Also the probability of each class.")
    ] = False,
    leaf: Annotated[bool, typer.Option("--leaf", help="Also the node each row ends in.")] = False,
    only: Annotated[bool, typer.Option("--only", help="Without the columns of the file.")] = False,
    prefix: Annotated[str, typer.Option(help="Before the names of the new columns.")] = "",
    chunk: Annotated[int, typer.Option(help="Rows held in memory at a time.")] = 250_000,
    separator: Separator = None,
    encoding: Encoding = "utf-8",
    missing_marker: Markers = None,
    decimal_comma: Decimal = False,
    quiet: Quiet = False,
) -> None:
    """Predict every row of a file; CSV to the standard output, or --out (CSV or Parquet).

    Examples
    --------
    ceiba predict weather.ceiba new.csv --probabilities -o answers.csv

    cat new.csv | ceiba predict weather.ceiba - > answers.csv
    """
    from ceiba.cli.models import open_tree, reading_of
    from ceiba.cli.reading import batches
    from ceiba.cli.say import remark, warn_in_words
    from ceiba.errors import OptionError

    warn_in_words(quiet)
    if chunk < 1:
        raise OptionError(f"--chunk {chunk}: at least 1 row is needed.")
    tree, metadata = open_tree(model)
    reading = reading_of(metadata, separator, encoding, missing_marker, decimal_comma)
    wanted = {"probabilities": probabilities, "leaf": leaf, "only": only, "prefix": prefix}
    pieces = _answered(tree, batches(data, reading, chunk), wanted)
    n = _write(pieces, out, separator or ",")
    remark(
        f"{n} rows predicted{'' if out is None else f', written to {out}'}", quiet or out is None
    )


def _answered(tree: Any, pieces: Any, wanted: dict[str, Any]) -> Any:
    from ceiba.cli.kinds import by_schema

    first_row = 0
    for piece in pieces:
        found = _answers(tree, by_schema(piece, tree.schema, first_row), wanted, len(piece))
        _refuse_clash(piece.columns, found, wanted["only"])
        yield found if wanted["only"] else piece.hstack(found)
        first_row += len(piece)


def _refuse_clash(columns: list[str], found: Any, only: bool) -> None:
    from ceiba.errors import OptionError

    clash = [] if only else [name for name in found.columns if name in columns]
    if clash:
        raise OptionError(f"The file has a column {clash[0]!r} already. Give --prefix, or --only.")


def _answers(tree: Any, frame: Any, wanted: dict[str, Any], n: int) -> Any:
    """Give the new columns of one piece; each row is routed once."""
    import numpy as np
    import polars as pl

    from ceiba.tree import route

    prefix = wanted["prefix"]
    said: Any = None
    if n == 0:
        ends: Any = np.zeros(0, np.int32)
        value: Any = tree.value[ends]
    else:
        table = route.read(tree, frame)
        ends = route.apply(tree, table, n_threads=os.cpu_count() or 1)
        if tree.missing == "fractional":
            said = route.predict(tree, table)
            value = np.asarray(route.predict_proba(tree, table))[:, None, :] if (
                tree.task == "classification" and tree.n_outputs == 1) else None  # fmt: skip
        else:
            value = tree.value[ends]
    one = tree.n_outputs == 1
    columns = []
    for k in range(tree.n_outputs):
        name = f"{prefix}prediction" + ("" if one else f"_{k}")
        if said is not None:
            columns.append(pl.Series(name, said.reshape(n, -1)[:, k].tolist()))
        elif tree.task == "regression":
            columns.append(pl.Series(name, value[:, k, 0]))
        else:  # labels looked up by polars: no Python object per row
            labels = pl.Series(name, tree.target.classes[k].tolist())
            columns.append(labels.gather(tree.answer.reshape(tree.n_nodes, -1)[ends, k]))
    if wanted["probabilities"] and tree.task == "classification" and value is not None:
        for k, labels in enumerate(tree.target.classes):
            tail = "" if one else f"_{k}"
            columns += [
                pl.Series(f"{prefix}probability{tail}_{label}", value[:, k, c])
                for c, label in enumerate(labels.tolist())
            ]
    if wanted["leaf"]:
        columns.append(pl.Series(f"{prefix}leaf", ends))
    return pl.DataFrame(columns)


def _write(pieces: Any, out: Path | None, separator: str) -> int:
    """Write the pieces as they come; a file appears when all of it is there."""
    import polars as pl

    from ceiba.tree.model_file.storage import atomic

    if out is not None and out.suffix.lower() in (".parquet", ".pq"):
        whole = pl.concat(list(pieces))
        with atomic(out) as file:
            whole.write_parquet(file)
        return len(whole)
    n = 0
    if out is None:
        for at, piece in enumerate(pieces):
            # Through a text, so that a closed pipe is an error that Python knows.
            text = piece.write_csv(include_header=at == 0, separator=separator)
            sys.stdout.buffer.write(text.encode("utf-8"))
            n += len(piece)
        sys.stdout.buffer.flush()
        return n
    with atomic(out) as file:
        for at, piece in enumerate(pieces):
            piece.write_csv(file, include_header=at == 0, separator=separator)
            n += len(piece)
    return n
