"""``ceiba evaluate``: evaluate a model on a file with the target."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import asdict, fields, is_dataclass, replace
from typing import Annotated, Any

import typer

from ceiba._polars import pl
from ceiba.cli.options.shared_options import DEFAULT_READING, AsJson, Data, Model, ReadingFlags
from ceiba.errors import DataError, OptionError, did_you_mean
from ceiba.formatting import pluralize
from ceiba.task import Task


def evaluate(
    model: Model,
    data: Data,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="Target column, if renamed.")
    ] = None,
    weight: Annotated[str | None, typer.Option(help="Column with weights.")] = None,
    by: Annotated[
        str | None, typer.Option("--by", help="Column of groups; adds metrics per group.")
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option("--positive", help="Positive class of AUC, KS, gains and rates."),
    ] = None,
    time: Annotated[
        str | None, typer.Option("--time", help="Column of survival times, if renamed.")
    ] = None,
    event: Annotated[
        str | None,
        typer.Option("--event", help="Column of events, if renamed or coded: status=dead."),
    ] = None,
    horizon: Annotated[
        float | None,
        typer.Option("--horizon", help="Survival: last time that counts. [default: chosen]"),
    ] = None,
    times: Annotated[
        str | None,
        typer.Option("--times", help="Survival: times of the calibration, as in 6,12,24."),
    ] = None,
    gains: Annotated[bool, typer.Option("--gains", help="Show gains and lift.")] = False,
    reading: ReadingFlags = DEFAULT_READING,
    as_json: AsJson = False,
) -> None:
    """Evaluate the predictions of a model on a file with the target.

    Classification: confusion matrix, error and cost, compared with the most frequent class; AUC,
    average precision, Brier score, log loss, KS; gains with --gains. Regression: mean squared and
    absolute error, R2, compared with the mean. Survival: Harrell's and Uno's C, integrated Brier
    score, calibration, compared with one curve for all rows.

    Example: ceiba evaluate weather.ceiba test.csv
    """
    from ceiba.cli.models import open_model
    from ceiba.cli.terminal.output import answer, show_warnings

    show_warnings()
    opened, metadata = open_model(model)
    read_as = reading.for_model(metadata, opened.tree_)
    if opened.tree_.task is Task.SURVIVAL:
        target = _survival_target(opened.tree_, target, time, event)
    elif time is not None or event is not None:
        raise OptionError("--time and --event are supported for survival trees only.")
    limits = {"horizon": horizon, "times": read_times(times)}
    evaluation = evaluate_file(opened, data, read_as, target, weight, by, positive, limits)
    blocks = format_evaluation(evaluation)
    if gains:
        blocks += ["", find_gains(evaluation)]
    answer(blocks, evaluation_to_dict(evaluation), as_json)


def _survival_target(tree: Any, target: str | None, time: str | None, event: str | None) -> str:
    """Return "Surv(time, event)" of the columns of a file, by default those of the model."""
    from ceiba.table.targets import parse_surv

    if target is not None:
        raise OptionError("--target is not supported for survival trees. Pass --time and --event.")
    names = parse_surv(tree.target.name or "")
    if names is None and (time is None or event is None):
        raise OptionError("The model has no names of times and events; pass --time and --event.")
    if event is None and names is not None:
        event = names.event if names.code is None else f"{names.event}={names.code}"
    column, coded, code = (event or "").partition("=")
    return f"Surv({time or (names and names.time)}, {column}{' == ' + code if coded else ''})"


def read_times(times: str | None) -> list[float] | None:
    """Return the numbers of --times."""
    if times is None:
        return None
    try:
        return [float(part) for part in times.split(",")]
    except ValueError:
        raise OptionError(f"--times must be numbers separated by commas, got {times!r}.") from None


def format_evaluation(evaluation: Any) -> list[Any]:
    """Return the printed blocks of an evaluation, for each output."""
    from ceiba.cli.terminal.output import LANG
    from ceiba.trust import GroupEvaluation

    if isinstance(evaluation, tuple):
        return [block for output in evaluation for block in format_evaluation(output)]
    if isinstance(evaluation, GroupEvaluation):
        return list(evaluation.blocks())
    return list(evaluation.blocks(LANG.get()))


def find_gains(evaluation: Any) -> Any:
    """Return the table of gains and lift; raise OptionError if there is none."""
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
    limits: dict[str, Any] | None = None,
) -> Any:
    """Evaluate a model on a file, per group if `by` names a column."""
    from ceiba.cli.terminal.output import remark

    groups: list[Any] = []
    tree = model.tree_
    # Fractional rows need all their columns; for others the leaf is enough.
    streamed = tree.missing != "fractional"
    X, y, weights, dropped = read_truth(
        model, data, reading, target, weight, by, groups, _leaf_finder(model) if streamed else None
    )
    if dropped:
        remark(f"Left out: {pluralize(dropped, 'row')} without the truth.")
    labels = tree.target.classes[0].tolist() if tree.task.has_classes else []
    wanted = {str(label): label for label in labels}.get(positive or "", positive)
    named = None if by is None else ("group", groups)
    if streamed:
        from ceiba.trust import evaluate_tree

        evaluation = evaluate_tree(
            tree, X["leaf"].to_numpy(), y, weights, by=named,
            positive=wanted,
            frequency_weights=bool(getattr(model, "_counts_rows", False)),
            **(limits or {}),
        )  # fmt: skip
    else:
        evaluation = model.evaluate(
            X, y, weights, by=named and groups, positive=wanted, **(limits or {})
        )
    if by is None:
        return evaluation
    if isinstance(evaluation, tuple):
        return tuple(replace(output, by=by) for output in evaluation)
    return replace(evaluation, by=by)


def _leaf_finder(model: Any) -> Callable[[Any], Any]:
    """Return a function from rows to the nodes that they reach."""

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
    """Return columns, target (in the type of the classes), weights and the number of rows left out.

    The values of the column `by` are appended to `groups`. Each batch is passed through `reduced`,
    so that not all rows need to be in memory.
    """
    from ceiba.table.files import apply_schema, read_batches, read_numbers, strip_cells
    from ceiba.table.targets import parse_surv

    tree = model.tree_
    name = target or tree.target.name
    if name is None:
        raise OptionError("The model has no target name; pass --target.")
    surv = parse_surv(name) if tree.task is Task.SURVIVAL else None
    truth = [name] if surv is None else [surv.time, surv.event]
    beside = list(dict.fromkeys([*truth, *filter(None, [weight, by])]))
    read, frames = [], []
    for batch in read_batches(data, reading, 250_000):
        for column in beside:
            if column not in batch.columns:
                hint = did_you_mean(column, batch.columns)
                roles = {**dict.fromkeys(truth, "the truth"), weight: "the weights"}
                what = roles.get(column, "the groups")
                raise DataError(f"{data} has no column {column!r}, which holds {what}.{hint}")
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


def _convert_survival(frame: Any, name: str, columns: list[str]) -> Any:
    """Return times and events; numbers and booleans of a CSV file are texts."""
    from ceiba.table.targets import split_survival

    events = frame[columns[1]]
    if events.dtype == pl.String:
        words = {"true": 1.0, "false": 0.0}
        numbers = [words.get(text.lower(), text) for text in events.to_list()]
        with contextlib.suppress(ValueError):
            events = pl.Series(columns[1], [float(cell) for cell in numbers])
    return split_survival({columns[0]: frame[columns[0]].to_numpy(), columns[1]: events}, name)[1]


def _convert_truth(series: Any, tree: Any) -> Any:
    """Convert the target to the type of the classes: a CSV holds texts."""
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
    if "quantiles" in data:
        data["quantiles"] = [asdict(score) for score in data["quantiles"]]
    return data | ({"accuracy": evaluation.accuracy} if hasattr(evaluation, "accuracy") else {})
