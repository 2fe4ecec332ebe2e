"""``ceiba compare``: compare two models on one file."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ceiba.cli.options.shared_options import DEFAULT_READING, AsJson, Model, ReadingFlags
from ceiba.errors import DataError
from ceiba.formatting import escape_control, format_number, pluralize
from ceiba.task import Task


def compare(
    first: Model,
    second: Model,
    data: Annotated[str, typer.Argument(help="Table with the target.", metavar="DATA")],
    target: Annotated[str | None, typer.Option("--target", "-t", help="Target column.")] = None,
    reading: ReadingFlags = DEFAULT_READING,
    as_json: AsJson = False,
) -> None:
    """Compare two models on the rows of one file.

    Example: ceiba compare small.ceiba large.ceiba test.csv
    """
    from ceiba.cli.commands.using.evaluate import evaluation_to_dict, format_evaluation, read_truth
    from ceiba.cli.models import open_model
    from ceiba.cli.terminal.output import answer, show_warnings

    show_warnings()
    models, entries, lines = [], [], []
    for path in (first, second):
        opened, metadata = open_model(path)
        read_as = reading.for_model(metadata, opened.tree_)
        X, y, _, _ = read_truth(opened, data, read_as, target, None)
        evaluation = opened.evaluate(X, y)
        models.append((opened, opened.predict(X)))
        entries.append({"model": str(path), "leaves": opened.tree_.n_leaves,
                     "evaluation": evaluation_to_dict(evaluation)})  # fmt: skip
        lines += [
            f"{path}: {pluralize(opened.tree_.n_leaves, 'leaf', 'leaves')}",
            *format_evaluation(evaluation),
            "",
        ]
    trees = [model.tree_ for model, _ in models]
    if trees[0].task != trees[1].task:
        raise DataError(f"{first} is a {trees[0].task} tree, {second} a {trees[1].task} tree.")
    disagreement = _compare_answers(models[0][1], models[1][1], y, trees[0].task)
    splits = _compare_splits(*trees)
    lines += [*disagreement.pop("lines"), *splits.pop("lines")]
    figures = {"models": entries, "disagreement": disagreement, "splits": splits}
    answer(lines, figures, as_json)


def _compare_answers(answers: Any, other: Any, y: Any, task: Task) -> dict[str, Any]:
    import numpy as np

    if task.is_regression("ceiba compare"):
        apart = np.abs(np.asarray(answers) - np.asarray(other))
        rows = np.argsort(-apart, kind="stable")[:5] + 1
        mean, most = format_number(apart.mean(), 4), format_number(apart.max(), 4)
        text = f"Answers differ by {mean} on average, by {most} at most."
        return {"mean": apart.mean(), "most": apart.max(), "rows": rows, "lines": [text]}
    differ = np.flatnonzero(np.asarray(answers) != np.asarray(other))
    truth = np.asarray(y, dtype=object)
    first = int(sum(answers[i] == truth[i] for i in differ))
    second = int(sum(other[i] == truth[i] for i in differ))
    text = (
        f"They disagree on {len(differ)} of {len(truth)} rows: the first is right in {first}, the "
        f"second in {second}."
    )
    examples = [f"rows {', '.join(str(i + 1) for i in differ[:10])}"] if len(differ) else []
    return {"rows": len(differ), "first_right": first, "second_right": second,
            "examples": differ[:10] + 1, "lines": [text, *examples]}  # fmt: skip


def _compare_splits(first: Any, second: Any) -> dict[str, Any]:
    """Return how often each tree splits on each column."""
    from collections import Counter

    from ceiba.listing import Grid

    def count_splits(tree: Any) -> Counter[str]:
        names = tree.schema.names
        return Counter(names[j] for j in tree.splits.column.tolist() if j >= 0)

    a, b = count_splits(first), count_splits(second)
    names = sorted({*a, *b}, key=lambda name: -(a[name] + b[name]))
    rows = [[escape_control(name, one_line=True), str(a[name]), str(b[name])] for name in names]
    table = Grid([["splits", "first", "second"], *rows], [False, True, True])
    return {"first": dict(a), "second": dict(b), "lines": ["", table]}
