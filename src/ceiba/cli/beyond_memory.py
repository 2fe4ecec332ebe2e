"""``ceiba learn --memory``: learning from files that need not fit into memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ceiba._polars import pl
from ceiba.cli.advice import describe_table, find_column
from ceiba.cli.options.estimator_from_flags import infer_task
from ceiba.cli.terminal.output import remark
from ceiba.errors import OptionError
from ceiba.formatting import pluralize
from ceiba.table import MIN_DISTINCT, Scan
from ceiba.table.files import as_table, open_scan

if TYPE_CHECKING:
    from ceiba.cli.learn_job import LearnJob

IDENTIFIERS = "Left out as identifiers: {}. --keep-identifiers keeps them."
_HASHED = 1_000_000  # values by which identifiers are found


def open_files(
    work: LearnJob,
    task: str | None,
    memory: str | None,
    scratch: Any,
    cluster: str | None,
    unusable: Mapping[str, Any],
) -> None:
    """Open the files of a job as a scan, and set its target and weights."""
    for flag, value in unusable.items():
        if value:
            raise OptionError(f"{flag} is not supported with --memory. Pass only one of the two.")
    opened = open_scan(
        work.data, work.reading, memory=memory or "4GB", scratch=scratch, cluster=cluster,
        target=work.target,
    )  # fmt: skip
    for text in opened.remarks:
        remark(f"warning: {text}", work.quiet)
    if opened.n_left_out:
        left_out = pluralize(opened.n_left_out, "row")
        remark(f"Left out: {left_out} without {work.target!r}.", work.quiet)
    table = opened.scan
    names = list(table.names)
    work.source = opened.format.to_dict() | {"names": names}
    work.target = find_column(work.target, names, "--target", work.data)
    drop = [find_column(name, names, "--drop", work.data) for name in work.shape["drop"]]
    if work.target in drop:
        raise OptionError(f"--drop names the target {work.target!r}.")
    if work.weight is not None:
        work.weight = find_column(work.weight, names, "--weight", work.data)
    table = table.without(*drop)
    if not work.keep_identifiers:
        columns = [name for name in names if name not in drop]
        identifiers = work.select_identifiers(_find_identifiers(table, work.target), columns)
        if identifiers:
            remark(IDENTIFIERS.format(", ".join(map(repr, identifiers))), work.quiet)
        table = table.without(*identifiers)
    head = pl.from_arrow(next(table.batches([work.target])).column(work.target))
    assert isinstance(head, pl.Series)
    work.task = infer_task(head, task)
    work.X, work.y, work.weights = table, work.target, work.weight


def with_progress(table: Scan, show: Callable[[str], None], quiet: bool) -> Scan:
    """Return a scan that reports its plan and its progress."""

    def watch(kind: str, words: str) -> None:
        if kind == "plan":
            remark(words, quiet)
        else:
            show(add_bar(words, table.n_rows))

    return replace(table, watch=watch)


def add_bar(words: str, n_rows: int) -> str:
    """Return a progress message with a bar: the share of rows that have reached their leaf."""
    is_open = re.search(r"([\d,]+) rows open$", words)
    if is_open is None:
        return words
    full = round(20 * (1 - int(is_open[1].replace(",", "")) / n_rows))
    return f"{'█' * full}{'░' * (20 - full)} {words}"


def _find_identifiers(table: Scan, target: str) -> list[str]:
    """Return the columns that are identifiers in the first batch and distinct in all rows."""
    head: Any = pl.from_arrow(next(table.batches(list(table.names))))
    description = describe_table(as_table(head.drop(target).get_columns()))
    names = [info.name for info in description.columns if info.kind == "identifier"]
    share = 1 + table.n_rows // _HASHED  # a sample by value, so that repeats are counted
    hashes: dict[str, list[Any]] = {name: [] for name in names}
    for batch in table.batches(names) if names else ():
        for name in names:
            column: Any = pl.from_arrow(batch.column(name))
            codes = column.drop_nulls().hash()
            hashes[name].append(codes.filter(codes % share == 0))
    joined = {name: pl.concat(parts) for name, parts in hashes.items()}
    return [name for name, codes in joined.items() if codes.n_unique() >= MIN_DISTINCT * len(codes)]


def read_labels(table: Scan, target: str) -> list[Any]:
    """Return the classes of the target."""
    seen: set[Any] = set()
    for batch in table.batches([target]):
        seen.update(batch.column(target).unique().to_pylist())
    return list(seen)
