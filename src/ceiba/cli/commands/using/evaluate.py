"""``ceiba evaluate``: how good a model is on a file that holds the truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Annotated, Any

import typer

from ceiba._polars import pl
from ceiba.cli.options.shared_options import DEFAULT_READING, AsJson, Data, Model, ReadingFlags
from ceiba.errors import DataError, OptionError, did_you_mean
from ceiba.visible import counted


def evaluate(
    model: Model,
    data: Data,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="Column of the truth, if renamed.")
    ] = None,
    weight: Annotated[str | None, typer.Option(help="Column with weights.")] = None,
    by: Annotated[
        str | None, typer.Option("--by", help="Column of groups: every figure per group.")
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option("--positive", help="The class that AUC, KS, gains and rates are about."),
    ] = None,
    gains: Annotated[
        bool, typer.Option("--gains", help="Show the table of gains and lift.")
    ] = False,
    reading: ReadingFlags = DEFAULT_READING,
    as_json: AsJson = False,
) -> None:
    """Compare the answers of a model with the truth in a file.

    Classification: confusion matrix, error and cost against always giving the most frequent class.
    Of the probabilities: AUC, average precision, Brier score, log loss, KS; gains with --gains.
    Regression: mean squared and absolute error, R2, against the mean.

    Example: ceiba evaluate weather.ceiba test.csv
    """
    from ceiba.cli.models import open_model
    from ceiba.cli.terminal.output import answer, show_warnings

    show_warnings()
    opened, metadata = open_model(model)
    read_as = reading.for_model(metadata, opened.tree_)
    evaluation = evaluate_file(opened, data, read_as, target, weight, by, positive)
    blocks = format_evaluation(evaluation)
    if gains:
        blocks += ["", find_gains(evaluation)]
    answer(blocks, evaluation_to_dict(evaluation), as_json)


def format_evaluation(evaluation: Any) -> list[Any]:
    """Return an evaluation as it is printed; one per output of a model with several."""
    from ceiba.cli.terminal.output import LANG
    from ceiba.trust import GroupEvaluation

    if isinstance(evaluation, tuple):
        return [block for output in evaluation for block in format_evaluation(output)]
    if isinstance(evaluation, GroupEvaluation):
        return list(evaluation.blocks())
    return list(evaluation.blocks(LANG.get()))


def find_gains(evaluation: Any) -> Any:
    """Return the table of gains and lift, or raise an error that says why there is none."""
    scores = getattr(evaluation, "scores", None)
    if scores is None or scores.gains is None:
        raise OptionError(
            "--gains needs a positive class; pass --positive. It cannot be combined with --by."
        )
    return scores.gains


def evaluate_file(
    model: Any,
    data: str,
    reading: Any,
    target: str | None,
    weight: str | None,
    by: str | None = None,
    positive: str | None = None,
) -> Any:
    """Read a file as the model wants it and evaluate, per group if a column is named."""
    from ceiba.cli.terminal.output import remark

    groups: list[Any] = []
    tree = model.tree_
    # Rows that are parted among leaves need all their columns; of others the leaf says all.
    streamed = tree.missing != "fractional"
    X, y, weights, dropped = read_truth(
        model, data, reading, target, weight, by, groups, _leaf_finder(model) if streamed else None
    )
    if dropped:
        remark(f"Left out: {counted(dropped, 'row')} without the truth.")
    labels = tree.target.classes[0].tolist() if tree.task.has_classes else []
    wanted = {str(label): label for label in labels}.get(positive or "", positive)
    named = None if by is None else ("group", groups)
    if streamed:
        from ceiba.trust import evaluate_tree

        evaluation = evaluate_tree(
            tree, X["leaf"].to_numpy(), y, weights, by=named,
            positive=wanted,
            frequency_weights=bool(getattr(model, "_counts_rows", False)),
        )  # fmt: skip
    else:
        evaluation = model.evaluate(X, y, weights, by=named and groups, positive=wanted)
    if by is None:
        return evaluation
    if isinstance(evaluation, tuple):
        return tuple(replace(output, by=by) for output in evaluation)
    return replace(evaluation, by=by)


def _leaf_finder(model: Any) -> Callable[[Any], Any]:
    """Return what turns rows into the nodes in which they end."""

    def leaves(rows: Any) -> Any:
        ends = model.apply(rows) if len(rows) else []
        return pl.DataFrame({"leaf": pl.Series(ends, dtype=pl.Int64)})

    return leaves


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
    """Return the columns, the truth in the type of the classes, weights, and rows left out.

    The values of a column `by` are put into `groups`. The columns of each batch are kept as
    `reduced` makes them, so that all rows need not be in memory.
    """
    from ceiba.table.files import batches, by_schema, numbers_in, tidy

    tree = model.tree_
    name = target or tree.target.name
    if name is None:
        raise OptionError("The model does not know the name of its target: give --target.")
    beside = list(dict.fromkeys([name, *filter(None, [weight, by])]))
    read, frames = [], []
    for batch in batches(data, reading, 250_000):
        for column in beside:
            if column not in batch.columns:
                hint = did_you_mean(column, batch.columns)
                roles = {name: "the truth", weight: "the weights"}
                what = roles.get(column, "the groups")
                raise DataError(f"{data} has no column {column!r}, which holds {what}.{hint}")
        columns = by_schema(batch, tree.schema)
        read.append(columns if reduced is None else reduced(columns))
        cells = batch.cells(beside)
        if batch.piece is not None:
            cells = cells.with_columns(tidy(pl.col(column), reading.markers) for column in beside)
        numbers = [weight, name if not tree.task.has_classes else None]
        frames.append(
            cells.with_columns(
                numbers_in(batch, cells, column) for column in numbers if column is not None
            )
        )
    X, frame = pl.concat(read), pl.concat(frames)
    del read, frames
    present = frame[name].is_not_null()
    if not present.all():
        frame, X = frame.filter(present), X.filter(present)
    if by is not None and groups is not None:
        groups.extend(frame[by].to_list())
    weights = None if weight is None else frame[weight].cast(pl.Float64).to_numpy()
    return X, _convert_truth(frame[name], tree), weights, int((~present).sum())


def _convert_truth(series: Any, tree: Any) -> Any:
    """Bring the truth into the type of the classes: a CSV holds texts."""
    if tree.task.is_regression("Evaluation"):
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


def evaluation_to_dict(evaluation: Any) -> Any:
    """Return an evaluation as plain data."""
    if isinstance(evaluation, tuple):
        return [evaluation_to_dict(output) for output in evaluation]
    if hasattr(evaluation, "to_dict"):
        return evaluation.to_dict()
    data = {field.name: getattr(evaluation, field.name) for field in fields(evaluation)}
    if is_dataclass(data.get("scores")):
        scores = {
            field.name: getattr(data["scores"], field.name) for field in fields(data["scores"])
        }
        data["scores"] = scores | {"gains": scores["gains"] and scores["gains"].to_dict()}
    return data | ({"accuracy": evaluation.accuracy} if hasattr(evaluation, "accuracy") else {})
