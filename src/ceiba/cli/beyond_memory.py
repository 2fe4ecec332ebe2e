"""``ceiba learn --memory``: from files that are not read as a whole to a fitted model."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ceiba.cli.files._polars import pl
from ceiba.cli.files.spooled import open_scan
from ceiba.cli.first_look import column_named
from ceiba.cli.learn_job import Learning, how_read
from ceiba.cli.options.estimator_from_flags import (
    make_model,
    read_costs,
    read_pairs,
    read_settings,
    task_of,
)
from ceiba.cli.terminal.output import remark
from ceiba.cli.terminal.progress import busy
from ceiba.errors import OptionError
from ceiba.table import Scan
from ceiba.visible import counted


@dataclass(frozen=True)
class Beyond:
    """The flags about tables beyond memory, as they were given."""

    memory: str | None = None
    scratch: Any = None
    cluster: str | None = None
    checkpoint: Any = None


def is_beyond_memory(data: str, *flags: Any) -> bool:
    """Tell whether a table is to be scanned: asked for by a flag, or given as a pattern."""
    return any(flag is not None for flag in flags) or "*" in data


def fit_files(
    work: Learning,
    beyond: Beyond,
    *,
    task: str | None,
    recipe: str | None,
    options: Mapping[str, Any],
    classes: tuple[str | None, str | None, str | None],
    settings: list[str] | None,
    unusable: Mapping[str, Any],
) -> Any:
    """Fit a model to files that need not fit into memory.

    Parameters
    ----------
    work : Learning
        Names of data and target; told what it needs to speak of the model.
    beyond : Beyond
    task, recipe, settings
        As the flags of ``ceiba learn``.
    options : mapping
        By flags made from the rows of the estimators' options.
    classes : (class weight, prior, costs)
        As their flags.
    unusable : mapping
        Flags that need the table in memory, with their values.
    """
    for flag, value in unusable.items():
        if value:
            raise OptionError(f"{flag} needs a table in memory; leave it out, or --memory.")
    opened = open_scan(
        work.data, work.reading, work.target, beyond.memory, beyond.scratch, beyond.cluster
    )
    for text in opened.loaded.remarks:
        remark(f"warning: {text}", work.quiet)
    if opened.n_left_out:
        left_out = counted(opened.n_left_out, "row")
        remark(f"Left out: {left_out} without {work.target!r}.", work.quiet)
    table = opened.scan
    names = list(table.names)
    work.target = column_named(work.target, names, "--target", work.data)
    drop = [column_named(name, names, "--drop", work.data) for name in work.shape["drop"]]
    if work.target in drop:
        raise OptionError(f"--drop names the target {work.target!r}.")
    if work.weight is not None:
        work.weight = column_named(work.weight, names, "--weight", work.data)
    table = table.without(*drop)
    head = pl.from_arrow(next(table.batches([work.target])).column(work.target))
    assert isinstance(head, pl.Series)
    work.task = task_of(head, task)
    balanced, prior, costs = classes
    labels = _labels(table, work.target) if work.task == "classification" and any(classes) else []
    weights: Any = balanced
    if balanced != "balanced":
        weights = read_pairs(balanced, "--class-weight", labels)
    model = make_model(
        work.task,
        recipe,
        {
            **options,
            "drop_missing_target": None,
            "class_weight": weights,
            "class_prior": read_pairs(prior, "--prior", labels),
            "cost_matrix": read_costs(costs, labels),
            **read_settings(settings),
        },
    )
    with busy("looking at the files", work.quiet) as show:

        def watch(kind: str, words: str) -> None:
            if kind == "plan":
                remark(words, work.quiet)
            else:
                show(with_bar(words, table.n_rows))

        model.fit(
            replace(table, watch=watch),
            work.target,
            sample_weight=work.weight,
            checkpoint=beyond.checkpoint,
        )
    work.train, work.scanned = (None, range(table.n_rows)), (table, work.target)
    source = how_read(opened.loaded)
    work.source = source | {"names": names}
    return model


def with_bar(words: str, n_rows: int) -> str:
    """Put a bar before what is said of a level: the share of rows that are at their leaf.

    Examples
    --------
    >>> from ceiba.cli.beyond_memory import with_bar
    >>> with_bar("level 3: counting, 250 rows open", 1000)
    '███████████████░░░░░ level 3: counting, 250 rows open'
    """
    is_open = re.search(r"([\d,]+) rows open$", words)
    if is_open is None:
        return words
    full = round(20 * (1 - int(is_open[1].replace(",", "")) / n_rows))
    return f"{'█' * full}{'░' * (20 - full)} {words}"


def _labels(table: Scan, target: str) -> list[Any]:
    """Give the classes of the target."""
    seen: set[Any] = set()
    for batch in table.batches([target]):
        seen.update(batch.column(target).unique().to_pylist())
    return list(seen)
