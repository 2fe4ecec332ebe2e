"""``ceiba compare``: compare two models on one file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from ceiba.cli.options.shared_options import DEFAULT_READING, AsJson, Model, ReadingFlags
from ceiba.errors import DataError
from ceiba.formatting import escape_control, pluralize


def compare(
    first: Model,
    second: Model,
    data: Annotated[str, typer.Argument(help="Table with the target.", metavar="DATA")],
    target: Annotated[str | None, typer.Option("--target", "-t", help="Target column.")] = None,
    report: Annotated[
        Path | None, typer.Option(help="HTML page of the comparison to write.")
    ] = None,
    reading: ReadingFlags = DEFAULT_READING,
    as_json: AsJson = False,
) -> None:
    """Compare two models on the rows of one file, which neither should have learned from.

    Differences have paired intervals; McNemar's exact test compares the rows that only one gets
    right.

    Example: ceiba compare small.ceiba large.ceiba test.csv --report comparison.html
    """
    from dataclasses import replace

    from ceiba.audit import compare as compare_models
    from ceiba.cli.answered_rows import count_from_one
    from ceiba.cli.commands.using.evaluate import evaluation_to_dict, read_truth
    from ceiba.cli.models import open_model
    from ceiba.cli.terminal.output import answer, check_out_path, remark, show_warnings
    from ceiba.listing import Grid

    show_warnings()
    check_out_path(report, "--report")
    models, frames, entries, blocks = [], [], [], []
    for path in (first, second):
        opened, metadata = open_model(path)
        read_as = reading.for_model(metadata, opened.tree_)
        X, y, _, _ = read_truth(opened, data, read_as, target, None)
        models.append(opened)
        frames.append(X)
        entries.append({"model": str(path), "leaves": opened.tree_.n_leaves,
                        "evaluation": evaluation_to_dict(opened.evaluate(X, y))})  # fmt: skip
        blocks.append(f"{path}: {pluralize(opened.tree_.n_leaves, 'leaf', 'leaves')}")
    tasks = [model.tree_.task for model in models]
    if tasks[0] != tasks[1]:
        raise DataError(f"{first} is a {tasks[0]} tree, {second} a {tasks[1]} tree.")
    rows = frames[0].with_columns(frames[1].drop(frames[0].columns, strict=False))
    comparison = compare_models(models[0], models[1], rows, y)
    comparison = replace(comparison, rows=count_from_one(comparison.rows))
    splits = [_split_counts(model.tree_) for model in models]
    names = sorted(splits[0] | splits[1], key=lambda name: -(splits[0][name] + splits[1][name]))
    table = [
        [escape_control(n, one_line=True), str(splits[0][n]), str(splits[1][n])] for n in names
    ]
    grid = Grid([["splits", "first", "second"], *table], [False, True, True])
    counts = {"first": dict(splits[0]), "second": dict(splits[1])}
    figures = {"models": entries, **comparison.to_dict(), "splits": counts}
    answer([*blocks, "", comparison, "", grid], figures, as_json)
    if report is not None:
        comparison.report(report)
        remark(f"written to {report}")


def _split_counts(tree: Any) -> Counter[str]:
    """Return how often a tree splits on each column."""
    names = tree.schema.names
    return Counter(names[j] for j in tree.splits.column.tolist() if j >= 0)
