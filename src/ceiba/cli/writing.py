"""Write predictions next to the rows of a file, in chunks.

CSV to CSV is the common case and has a fast path, in which lines are copied unchanged and
predictions are looked up by the node that a row reaches. Files are written atomically.
"""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Final

import numpy as np

from ceiba._polars import pl
from ceiba.cli.terminal.output import remark
from ceiba.errors import OptionError
from ceiba.table.files import Batch, CsvPiece, apply_schema, display_name
from ceiba.task import Task
from ceiba.tree import Tree, has_curve, node_curve
from ceiba.tree.model_file import atomic_write
from ceiba.tree.routing import n_threads, route


class Predictions:
    """Columns of predictions, probabilities and leaf ids, to be added to a file.

    They depend on the node that a row reaches, so they are computed once per node and looked up,
    unless rows reach several leaves.
    """

    def __init__(self, tree: Tree, probabilities: bool, leaf: bool, prefix: str) -> None:
        self.tree = tree
        self.probabilities = probabilities and tree.task.has_classes
        self.leaf = leaf
        self.prefix = prefix

    @property
    def may_split_rows(self) -> bool:
        """Whether a row may reach several leaves."""
        return self.tree.missing == "fractional"

    @property
    def names(self) -> list[str]:
        """The names of the added columns."""
        return list(self.by_node.columns)

    @cached_property
    def by_node(self) -> pl.DataFrame:
        """Data frame of the added columns, with one row per node id."""
        tree = self.tree
        labels = tree.answer.reshape(tree.n_nodes, -1) if tree.task.has_classes else None
        nodes = np.arange(tree.n_nodes, dtype=np.int32)
        answers = [
            tree.value[:, k, 0] if labels is None else tree.target.classes[k][labels[:, k]]
            for k in range(tree.n_outputs)
        ]
        frame = self._frame(answers, tree.value, nodes)
        if tree.task is not Task.SURVIVAL or not has_curve(tree):
            return frame
        medians = [node_curve(tree, node).median().value for node in nodes.tolist()]
        median = pl.Series(f"{self.prefix}median", [m if m < np.inf else None for m in medians])
        return frame.insert_column(1, median.cast(pl.Float64))

    def find_leaves(self, frame: pl.DataFrame) -> Any:
        """Return the node that each row reaches."""
        if not len(frame):
            return np.zeros(0, np.int32)
        table = route.read(self.tree, frame)
        threads = n_threads(None, table.n_rows * table.n_columns)
        return route.apply(self.tree, table, n_threads=threads)

    def predict(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return the columns to add to the rows of `frame`, as a data frame."""
        if not self.may_split_rows or not len(frame):
            rows: pl.DataFrame = self.by_node[self.find_leaves(frame)]
            return rows
        tree = self.tree
        table = route.read(tree, frame)
        answers = route.predict(tree, table).reshape(len(frame), -1)
        value: Any = None
        if self.probabilities:
            shares = route.predict_proba(tree, table)
            value = np.stack(shares if isinstance(shares, list) else [shares], axis=1)
        return self._frame(list(answers.T), value, self.find_leaves(frame) if self.leaf else None)

    def _frame(self, answers: list[Any], value: Any, ends: Any) -> pl.DataFrame:
        many = len(answers) > 1
        tails = [f"_{k}" if many else "" for k in range(len(answers))]
        columns = [
            pl.Series(f"{self.prefix}prediction{tail}", answer.tolist())
            for tail, answer in zip(tails, answers, strict=True)
        ]
        if self.probabilities:
            columns += [
                pl.Series(f"{self.prefix}probability{tails[k]}_{label}", value[:, k, c])
                for k, labels in enumerate(self.tree.target.classes)
                for c, label in enumerate(labels.tolist())
            ]
        if self.leaf:
            columns.append(pl.Series(f"{self.prefix}leaf", ends))
        return pl.DataFrame(columns)


def write_predictions(
    answers: Predictions, batches: Iterator[Batch], out: Path | None, *, only: bool, escape: bool
) -> int:
    """Write all rows with their predictions; return the number of rows."""
    if out is not None and out.suffix.lower() in (".parquet", ".pq"):
        return _write_parquet(answers, batches, out, only)
    if out is None:
        n = _write_csv(answers, batches, sys.stdout.buffer, only, escape)
        sys.stdout.buffer.flush()
        return n
    with atomic_write(out) as file:
        return _write_csv(answers, batches, file, only, escape)


def _check_names(answers: Predictions, columns: list[str], only: bool) -> None:
    clash = [] if only else [name for name in answers.names if name in columns]
    if clash:
        raise OptionError(f"The input already has a column {clash[0]!r}. Pass --prefix or --only.")


def _predict_batch(answers: Predictions, batch: Batch, only: bool) -> pl.DataFrame:
    predictions = answers.predict(apply_schema(batch, answers.tree.schema))
    return predictions if only else batch.cells(markers=False).hstack(predictions)


# ---------------------------------------------------------------------- CSV


def _write_csv(
    answers: Predictions, batches: Iterator[Batch], file: IO[bytes], only: bool, escape: bool
) -> int:
    n = 0
    tails: pl.Series | None = None
    encoding = "utf-8"
    for at, batch in enumerate(batches):
        piece = batch.piece
        if piece is not None and at == 0 and piece.encoding == "utf-8-sig":
            file.write(codecs.BOM_UTF8)
        if piece is not None and piece.encoding != encoding:
            encoding = piece.encoding
            name = codecs.lookup(encoding).name
            if name not in ("utf-8", "utf-8-sig", "ascii"):
                source = display_name(piece.file.source)
                remark(f"{source} is {name}; the output is UTF-8.", piece.file.reading.quiet)
        form = {"separator": "," if piece is None else piece.file.format.separator,
                "decimal_comma": piece is not None and piece.file.decimal_comma}  # fmt: skip
        frame = apply_schema(batch, answers.tree.schema)
        n += len(frame)
        if at == 0:
            _check_names(answers, batch.columns, only)
            header = [*([] if only else batch.columns), *answers.names]
            if escape:
                header = _escape_formulas(pl.DataFrame({"name": header}))["name"].to_list()
            file.write(_format_csv(pl.DataFrame(schema=header), form, header=True))
            tails = None if only or piece is None or escape else _format_tails(answers, form)
        if piece and tails is not None and (lines := _split_lines(piece, len(frame))) is not None:
            pair = pl.DataFrame([lines, tails[answers.find_leaves(frame)]])
            _write(pair, file, {"separator": form["separator"], "quote_style": "never"})
            continue
        rows = answers.predict(frame)
        if not only:
            rows = batch.cells(markers=False).hstack(rows)
        _write(_escape_formulas(rows) if escape else rows, file, form)
    return n


#: Patterns of cells that a spreadsheet evaluates as formulas, and of numbers such as -1.
_FORMULA: Final = r"^[=+\-@\t\r]"
_NUMBER: Final = r"^[+-]?\d[\d.,]*([eE][+-]?\d+)?%?$"


def _escape_formulas(frame: pl.DataFrame) -> pl.DataFrame:
    """Prepend an apostrophe to text that a spreadsheet would evaluate as a formula."""
    text = pl.col(pl.String)
    runs = text.str.contains(_FORMULA) & ~text.str.contains(_NUMBER)
    return frame.with_columns(pl.when(runs).then("'" + text).otherwise(text).name.keep())


def _write(frame: pl.DataFrame, file: IO[bytes], form: dict[str, Any]) -> None:
    if file is sys.stdout.buffer:
        # Write bytes so that a closed pipe raises BrokenPipeError.
        file.write(_format_csv(frame, form))
    else:
        file.flush()
        frame.write_csv(file, include_header=False, **form)


def _format_csv(frame: pl.DataFrame, form: dict[str, Any], header: bool = False) -> bytes:
    text: str = frame.write_csv(include_header=header, **form)
    return text.encode("utf-8")


def _split_lines(piece: CsvPiece, n_rows: int) -> pl.Series | None:
    """Return the lines of a CSV chunk, or None if a line might not be exactly one record."""
    raw = piece.raw
    if b'"' in raw or b"\r" in raw or b"\x01" in raw or not n_rows:
        return None
    separators = np.count_nonzero(np.frombuffer(raw, np.uint8) == ord(piece.file.format.separator))
    if separators != n_rows * (len(piece.file.format.names) - 1):
        return None  # a record has fewer or more fields than the header
    frame = pl.read_csv(
        raw, has_header=False, new_columns=["line"], separator="\x01", quote_char=None,
        infer_schema=False,
    )  # fmt: skip
    lines: pl.Series = frame["line"]
    return lines if len(lines) == n_rows and not lines.null_count() else None


def _format_tails(answers: Predictions, form: dict[str, Any]) -> pl.Series | None:
    """Return the CSV text to append to lines, by node id, or None if appending is not possible."""
    if answers.may_split_rows:
        return None
    nodes = answers.by_node
    texts = _format_csv(nodes, form).decode("utf-8").split("\n")
    if len(texts) != len(nodes) + 1:  # a class label contains a line break
        return None
    tails: pl.Series = pl.Series("tail", texts[:-1])
    return tails


# ---------------------------------------------------------------------- Parquet


def _write_parquet(answers: Predictions, batches: Iterator[Batch], out: Path, only: bool) -> int:
    """Write all batches and their predictions to a Parquet file; return the number of rows."""
    from polars.io.plugins import register_io_source

    first = next(batches)
    _check_names(answers, first.columns, only)
    start = _predict_batch(answers, first, only)
    n = 0
    failure: list[BaseException] = []

    def rows(*_: Any) -> Iterator[pl.DataFrame]:
        nonlocal n
        try:
            n = len(start)
            yield start
            for batch in batches:
                piece = _predict_batch(answers, batch, only)
                n += len(piece)
                yield piece.cast(dict(start.schema))  # type: ignore[arg-type]
        except BaseException as error:  # raised again below, because polars would wrap it
            failure.append(error)
            raise

    with atomic_write(out) as file:
        try:
            register_io_source(rows, schema=start.schema).sink_parquet(file)
        except BaseException as error:
            raise failure[0] if failure else error from None
    return n
