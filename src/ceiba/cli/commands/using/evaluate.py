"""``ceiba evaluate``: how good a model is on a file that holds the truth."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Annotated, Any

import typer

from ceiba.cli.shared_options import AsJson, Data, Decimal, Encoding, Markers, Model, Separator


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
        str | None, typer.Option("--positive", help="With --by: the class that rates are about.")
    ] = None,
    separator: Separator = None,
    encoding: Encoding = "utf-8",
    missing_marker: Markers = None,
    decimal_comma: Decimal = False,
    as_json: AsJson = False,
) -> None:
    """Compare the answers of a model with the truth in a file.

    Classification: confusion matrix, error and cost against always giving the most frequent class.
    Regression: mean squared and absolute error, R2, against the mean.

    Example: ceiba evaluate weather.ceiba test.csv
    """
    from ceiba.cli.models import open_model, reading_of
    from ceiba.cli.output import answer, warn_in_words

    warn_in_words()
    opened, metadata = open_model(model)
    reading = reading_of(metadata, separator, encoding, missing_marker, decimal_comma)
    found = evaluation_on(opened, data, reading, target, weight, by, positive)
    answer(str(found), evaluation_data(found), as_json)


def evaluation_on(
    model: Any,
    data: str,
    reading: Any,
    target: str | None,
    weight: str | None,
    by: str | None = None,
    positive: str | None = None,
) -> Any:
    """Read a file as the model wants it and evaluate, per group if a column is named."""
    from ceiba.cli.output import remark

    groups: list[Any] = []
    X, y, weights, dropped = truth_of(model, data, reading, target, weight, by, groups)
    if dropped:
        remark(f"{dropped} rows without the truth are left out.")
    if by is None and positive is None:
        return model.evaluate(X, y, weights)
    tree = model.tree_
    labels = tree.target.classes[0].tolist() if tree.task == "classification" else []
    wanted = {str(label): label for label in labels}.get(positive or "", positive)
    found = model.evaluate(X, y, weights, by=groups if by is not None else None, positive=wanted)
    if isinstance(found, tuple):
        return tuple(replace(one, by=by) for one in found)
    return replace(found, by=by)


def truth_of(
    model: Any,
    data: str,
    reading: Any,
    target: str | None,
    weight: str | None,
    by: str | None = None,
    groups: list[Any] | None = None,
) -> tuple[Any, Any, Any, int]:
    """Give the columns, the truth in the type of the classes, weights, and rows left out.

    The values of a column `by` are put into `groups`.
    """
    import polars as pl

    from ceiba.cli.files.kinds import by_schema
    from ceiba.cli.files.reading import batches
    from ceiba.errors import DataError, OptionError, did_you_mean

    tree = model.tree_
    name = target or tree.target.name
    if name is None:
        raise OptionError("The model does not know the name of its target: give --target.")
    beside = list(dict.fromkeys([name, *filter(None, [weight, by])]))
    read, kept = [], []
    for batch in batches(data, reading, 250_000):
        for one in beside:
            if one not in batch.columns:
                hint = did_you_mean(one, batch.columns)
                roles = {name: "the truth", weight: "the weights"}
                what = roles.get(one, "the groups")
                raise DataError(f"{data} has no column {one!r}, which holds {what}.{hint}")
        read.append(by_schema(batch, tree.schema))
        kept.append(batch.cells(beside))
    X, frame = pl.concat(read), pl.concat(kept)
    del read, kept
    present = frame[name].is_not_null()
    if not present.all():
        frame, X = frame.filter(present), X.filter(present)
    if by is not None and groups is not None:
        groups.extend(frame[by].to_list())
    weights = None if weight is None else frame[weight].cast(pl.Float64).to_numpy()
    return X, _truth(frame[name], tree), weights, int((~present).sum())


def _truth(series: Any, tree: Any) -> Any:
    """Bring the truth into the type of the classes: a CSV holds texts."""
    import polars as pl

    from ceiba.errors import DataError

    if tree.task == "regression":
        numbers = series.cast(pl.Float64, strict=False)
        if numbers.null_count() > series.null_count():
            at = int((series.is_not_null() & numbers.is_null()).arg_max())
            raise DataError(f"line {at + 2}, column {series.name!r}: {series[at]!r} is no number.")
        return numbers.to_numpy()
    labels = tree.target.classes[0].tolist()
    by_text = {str(label): label for label in labels}
    if all(isinstance(label, bool) for label in labels):
        by_text |= {str(label).lower(): label for label in labels}
        by_text |= {str(label).upper(): label for label in labels}
    values = series.to_list()
    if all(isinstance(label, float | int) for label in labels):
        by_text |= {text: label for label in labels for text in (f"{label:g}", f"{label:.1f}")}
    return [by_text.get(str(value), value) for value in values]


def evaluation_data(found: Any) -> Any:
    """Give an evaluation as plain data."""
    if isinstance(found, tuple):
        return [evaluation_data(one) for one in found]
    if hasattr(found, "to_dict"):
        return found.to_dict()
    data = {field.name: getattr(found, field.name) for field in fields(found)}
    return data | ({"accuracy": found.accuracy} if hasattr(found, "accuracy") else {})
