"""Read rows, targets and predictions from a file or from the command line."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any, Final

import numpy as np

from ceiba._polars import pl
from ceiba.cli.advice import describe_table, find_column
from ceiba.cli.options.shared_options import split_pair
from ceiba.cli.terminal.output import LANG, remark
from ceiba.errors import DataError, OptionError, did_you_mean
from ceiba.formatting import pluralize
from ceiba.listing import Listing
from ceiba.table import Table
from ceiba.table.files import (
    Batch,
    apply_schema,
    as_table,
    convert_columns,
    get_styles,
    is_text,
    load_table,
    normalize_value,
    read_batches,
    read_numbers,
    split_names,
    strip_cells,
)
from ceiba.table.targets import parse_surv, split_survival
from ceiba.task import Task
from ceiba.tree.routing import route
from ceiba.trust import GroupEvaluation, evaluate_tree

_BATCH: Final = 250_000  # rows per batch


def read_row(
    tree: Any, metadata: Any, data: str | None, row: int, values: list[str] | None, reading: Any
) -> Any:
    """Read one row from a file or from --value options into a table with the tree's columns."""
    if (data is None) == (not values):
        raise OptionError("Pass either a table (optionally with --row) or one row with --value.")
    batch: Any
    if data is not None:
        batch = _find_row(data, reading.for_model(metadata, tree), row)
    else:
        styles = reading.for_model(metadata, tree).styles
        cells: dict[str, Any] = dict.fromkeys(tree.schema.names)
        for text in values or ():
            name, value = split_pair("--value", text)
            if name not in cells:
                raise OptionError(
                    f"--value {text!r}: column not found: {name!r}.{did_you_mean(name, cells)}"
                )
            info = tree.schema.columns[tree.schema.index(name)]
            cells[name] = normalize_value(value.strip(), info, styles)
        frame = pl.DataFrame({name: pl.Series([v], dtype=pl.String) for name, v in cells.items()})
        batch = Batch(frame.columns, 0, frame)
    table = route.read(tree, apply_schema(batch, tree.schema))
    if not table.n_rows:
        raise DataError(f"Row {row} does not exist in {data}.")
    return table


def _find_row(data: str, reading: Any, row: int) -> Any:
    if row < 1:
        raise OptionError(f"--row must be at least 1, got {row}.")
    n_seen = 0
    for batch in read_batches(data, reading, 100_000):
        cells = batch.cells()
        if row <= n_seen + len(cells):
            frame = cells.slice(row - 1 - n_seen, 1)
            return Batch(batch.columns, row - 1, frame, styles=get_styles(batch))
        n_seen += len(cells)
    raise DataError(f"--row must be at most {n_seen} (rows in {data}), got {row}.")


def read_all(tree: Any, metadata: Any, data: str, reading: Any) -> Any:
    """Read all rows of a file into a table with the columns of the tree."""
    read = read_batches(data, reading.for_model(metadata, tree), _BATCH)
    return route.read(tree, pl.concat([apply_schema(batch, tree.schema) for batch in read]))


def read_truth(
    model: Any,
    data: str,
    reading: Any,
    target: str | None,
    weight: str | None,
    by: str | None = None,
    groups: list[Any] | None = None,
    reduced: Callable[[Any], Any] | None = None,
) -> tuple[Any, Any, Any, int]:
    """Return columns, target and weights of a file, and the number of rows without a target.

    The values of the column `by` are appended to `groups`. Each batch is passed through `reduced`,
    so that not all rows need to be in memory.
    """
    tree = model.tree_
    name = target or tree.target.name
    if name is None:
        raise OptionError("The model has no target name. Pass --target COLUMN.")
    surv = parse_surv(name) if tree.task is Task.SURVIVAL else None
    truth = [name] if surv is None else [surv.time, surv.event]
    beside = list(dict.fromkeys([*truth, *filter(None, [weight, by])]))
    read, frames = [], []
    for batch in read_batches(data, reading, _BATCH):
        for column in beside:
            if column not in batch.columns:
                hint = did_you_mean(column, batch.columns)
                roles = {**dict.fromkeys(truth, "the target"), weight: "the weights"}
                role = roles.get(column, "the groups")
                raise DataError(f"Column not found in {data}: {column!r} ({role}).{hint}")
        columns = apply_schema(batch, tree.schema)
        read.append(columns if reduced is None else reduced(columns))
        cells = batch.cells(beside)
        if batch.piece is not None:
            cells = cells.with_columns(
                strip_cells(pl.col(column), reading.markers) for column in beside
            )
        numbers = [weight, truth[0] if not tree.task.has_classes else None]
        frames.append(
            cells.with_columns(
                read_numbers(batch, cells, column) for column in numbers if column is not None
            )
        )
    X, frame = pl.concat(read), pl.concat(frames)
    del read, frames
    present = frame.select(pl.all_horizontal(pl.col(truth).is_not_null())).to_series()
    if not present.all():
        frame, X = frame.filter(present), X.filter(present)
    if by is not None and groups is not None:
        groups.extend(frame[by].to_list())
    weights = None if weight is None else frame[weight].cast(pl.Float64).to_numpy()
    y = _convert_truth(frame[name], tree) if surv is None else _convert_survival(frame, name, truth)
    return X, y, weights, int((~present).sum())


def _convert_truth(series: Any, tree: Any) -> Any:
    """Convert target values to the type of the class labels, because CSV files contain text."""
    if not tree.task.has_classes:
        return series.to_numpy()
    labels = tree.target.classes[0].tolist()
    by_text = {str(label): label for label in labels}
    if all(isinstance(label, bool) for label in labels):
        by_text |= {str(label).lower(): label for label in labels}
        by_text |= {str(label).upper(): label for label in labels}
    values = series.to_list()
    if all(isinstance(label, float | int) for label in labels):
        by_text |= {text: label for label in labels for text in (f"{label:g}", f"{label:.1f}")}
    return [by_text.get(str(value), value) for value in values]


def _convert_survival(frame: Any, name: str, columns: list[str]) -> Any:
    """Return the times and events of survival rows; events read from CSV text become numbers."""
    events = frame[columns[1]]
    if events.dtype == pl.String:
        words = {"true": 1.0, "false": 0.0}
        numbers = [words.get(text.lower(), text) for text in events.to_list()]
        with contextlib.suppress(ValueError):
            events = pl.Series(columns[1], [float(cell) for cell in numbers])
    return split_survival({columns[0]: frame[columns[0]].to_numpy(), columns[1]: events}, name)[1]


def evaluate_file(
    model: Any,
    data: str,
    reading: Any,
    target: str | None,
    weight: str | None,
    by: str | None = None,
    positive: str | None = None,
    limits: dict[str, Any] | None = None,
) -> Any:
    """Evaluate a model on a file, optionally by the groups of a column."""
    groups: list[Any] = []
    tree = model.tree_
    # If each row reaches a single leaf, the evaluation needs only leaf ids.
    streamed = tree.missing != "fractional"

    def find_leaves(rows: Any) -> Any:
        ends = model.apply(rows) if len(rows) else []
        return pl.DataFrame({"leaf": pl.Series(ends, dtype=pl.Int64)})

    reduced = find_leaves if streamed else None
    X, y, weights, n_dropped = read_truth(model, data, reading, target, weight, by, groups, reduced)
    if n_dropped:
        remark(f"Left out: {pluralize(n_dropped, 'row')} without a target value.")
    labels = tree.target.classes[0].tolist() if tree.task.has_classes else []
    class_label = {str(label): label for label in labels}.get(positive or "", positive)
    named = None if by is None else ("group", groups)
    if streamed:
        evaluation = evaluate_tree(
            tree, X["leaf"].to_numpy(), y, weights, by=named,
            positive=class_label,
            frequency_weights=bool(getattr(model, "_counts_rows", False)),
            **(limits or {}),
        )  # fmt: skip
    else:
        evaluation = model.evaluate(
            X, y, weights, by=named and groups, positive=class_label, **(limits or {})
        )
    if by is None:
        return evaluation
    if isinstance(evaluation, tuple):
        return tuple(replace(output, by=by) for output in evaluation)
    return replace(evaluation, by=by)


def format_evaluation(evaluation: Any) -> list[Any]:
    """Return an evaluation as a list of text blocks and tables to print."""
    if isinstance(evaluation, tuple):
        return [block for output in evaluation for block in format_evaluation(output)]
    if isinstance(evaluation, GroupEvaluation):
        return list(evaluation.blocks())
    return list(evaluation.blocks(LANG.get()))


def evaluation_to_dict(evaluation: Any) -> Any:
    """Return an evaluation as dicts and lists, for JSON."""
    if isinstance(evaluation, tuple):
        return [evaluation_to_dict(output) for output in evaluation]
    if hasattr(evaluation, "to_dict"):
        return evaluation.to_dict()
    data = vars(evaluation).copy()
    if (scores := data.get("scores")) is not None:
        data["scores"] = vars(scores) | {"gains": scores.gains and scores.gains.to_dict()}
    if "quantiles" in data:
        data["quantiles"] = [asdict(score) for score in data["quantiles"]]
    return data | ({"accuracy": evaluation.accuracy} if hasattr(evaluation, "accuracy") else {})


def read_answers(
    data: str, reading: Any, predictions: str, target: str | None, drop: list[str] | None
) -> tuple[Table, Any, Any]:
    """Read a file; return its features, its column of predictions, and its target or None."""
    sheet = load_table(data, reading)
    for text in sheet.remarks:
        remark(f"warning: {text}")
    frame = convert_columns(sheet.frame, drop=split_names(drop))
    options = {"--predictions": predictions} | ({} if target is None else {"--target": target})
    names = [find_column(text, frame.columns, option, data) for option, text in options.items()]
    present = frame.select(pl.all_horizontal(pl.col(names).is_not_null())).to_series()
    if not present.all():
        remark(f"Left out: {pluralize(int((~present).sum()), 'row')} without {' or '.join(names)}.")
        frame = frame.filter(present)
    if not len(frame):
        raise DataError(f"No row in {data} has a value in {' and '.join(map(repr, names))}.")
    answers = [_labels(frame[name], is_text(data)) for name in names]
    table = as_table(frame.drop(names).get_columns())
    identifiers = [c.name for c in describe_table(table).columns if c.kind == "identifier"]
    if identifiers and len(identifiers) < table.n_columns:
        remark(f"Left out: {', '.join(identifiers)} (almost all values are distinct).")
        keep = [j for j, name in enumerate(table.schema.names) if name not in identifiers]
        table = table.select(keep)
    return table, answers[0], answers[1] if len(answers) > 1 else None


def _labels(series: pl.Series, from_text: bool) -> Any:
    if from_text and series.dtype.is_integer():  # avoid overflow of labels
        series = series.cast(pl.Int64)
    if series.dtype in (pl.Categorical, pl.Enum):
        series = series.cast(pl.String)
    return np.array(series.to_list(), dtype=object if series.dtype == pl.String else None)


def count_from_one(listing: Listing) -> Listing:
    """Return a listing with rows numbered from 1, as in --row, instead of from 0."""
    columns = {name: listing[name] for name in listing.columns}
    if "row" in columns:
        columns["row"] = columns["row"] + 1
    if "example rows" in columns:
        lists = [[row + 1 for row in rows] for rows in columns["example rows"].tolist()]
        columns["example rows"] = np.array([*lists, None], dtype=object)[:-1]
    legend = listing.legend.replace("numbered from 0", "numbered from 1")
    return Listing(columns, title=listing.title, legend=legend)
