"""Rows with the predictions of a model in a column, for the commands that audit models."""

from __future__ import annotations

from typing import Any

import numpy as np

from ceiba._polars import pl
from ceiba.cli.advice import describe_table, find_column
from ceiba.cli.terminal.output import remark
from ceiba.errors import DataError
from ceiba.formatting import pluralize
from ceiba.listing import Listing
from ceiba.table import Table
from ceiba.table.files import as_table, convert_columns, is_text, load_table, split_names


def read_answers(
    data: str, reading: Any, predictions: str, target: str | None, drop: list[str] | None
) -> tuple[Table, Any, Any]:
    """Return the columns of a file, the predictions in it, and the truth or None."""
    loaded = load_table(data, reading)
    for text in loaded.remarks:
        remark(f"warning: {text}")
    frame = convert_columns(loaded.frame, drop=split_names(drop))
    options = {"--predictions": predictions} | ({} if target is None else {"--target": target})
    names = [find_column(text, frame.columns, option, data) for option, text in options.items()]
    present = frame.select(pl.all_horizontal(pl.col(names).is_not_null())).to_series()
    if not present.all():
        remark(f"Left out: {pluralize(int((~present).sum()), 'row')} without {' or '.join(names)}.")
        frame = frame.filter(present)
    if not len(frame):
        raise DataError(f"No row of {data} has a value in {' and '.join(names)}.")
    answers = [_labels(frame[name], is_text(data)) for name in names]
    table = as_table(frame.drop(names).get_columns())
    identifiers = [c.name for c in describe_table(table).columns if c.kind == "identifier"]
    if identifiers and len(identifiers) < table.n_columns:
        remark(f"Left out: {', '.join(identifiers)} (values that nearly all differ).")
        keep = [j for j, name in enumerate(table.schema.names) if name not in identifiers]
        table = table.select(keep)
    return table, answers[0], answers[1] if len(answers) > 1 else None


def count_from_one(listing: Listing) -> Listing:
    """Return a table whose rows are numbered as in --row."""
    columns = {name: listing[name] for name in listing.columns}
    if "row" in columns:
        columns["row"] = columns["row"] + 1
    if "rows to look at" in columns:
        lists = [[row + 1 for row in rows] for rows in columns["rows to look at"].tolist()]
        columns["rows to look at"] = np.array([*lists, None], dtype=object)[:-1]
    legend = listing.legend.replace("numbered from 0", "numbered from 1")
    return Listing(columns, title=listing.title, legend=legend)


def _labels(series: pl.Series, from_text: bool) -> Any:
    if from_text and series.dtype.is_integer():  # not in the smallest type: labels
        series = series.cast(pl.Int64)
    if series.dtype in (pl.Categorical, pl.Enum):
        series = series.cast(pl.String)
    return np.array(series.to_list(), dtype=object if series.dtype == pl.String else None)
