"""``ceiba learn``: a table in, a tree out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ceiba.cli.shared_options import AsJson, Data, Decimal, Encoding, Markers, Quiet, Separator

_TREE = "How the tree grows"
_DATA = "How the table is read"


def learn(
    data: Data,
    target: Annotated[str, typer.Option("--target", "-t", help="The column to predict.")],
    model: Annotated[
        Path | None,
        typer.Option("--model", "-m", help="Where the model goes. [default: DATA.ceiba]"),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(help="classification or regression. Inferred from the target by default."),
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(help="Columns to leave out: a,b.", rich_help_panel=_DATA)
    ] = None,
    categorical: Annotated[
        list[str] | None, typer.Option(help="Columns that hold levels.", rich_help_panel=_DATA)
    ] = None,
    numeric: Annotated[
        list[str] | None, typer.Option(help="Columns that hold numbers.", rich_help_panel=_DATA)
    ] = None,
    ordered: Annotated[
        list[str] | None,
        typer.Option(help="Levels in order: size=S<M<L.", rich_help_panel=_DATA),
    ] = None,
    weight: Annotated[
        str | None, typer.Option(help="Column with the weight of each row.", rich_help_panel=_DATA)
    ] = None,
    separator: Separator = None,
    encoding: Encoding = "utf-8",
    missing_marker: Markers = None,
    decimal_comma: Decimal = False,
    test_size: Annotated[
        float | None, typer.Option(help="Fraction of rows held out for evaluation.")
    ] = None,
    test: Annotated[str | None, typer.Option(help="A file of rows for evaluation.")] = None,
    recipe: Annotated[
        str | None,
        typer.Option(
            help="A known family of trees: rpart, c45, chaid, id3.", rich_help_panel=_TREE
        ),
    ] = None,
    class_weight: Annotated[
        str | None, typer.Option(help="balanced, or yes=2,no=1.", rich_help_panel=_TREE)
    ] = None,
    prior: Annotated[
        str | None,
        typer.Option(help="Shares of the classes: yes=0.1,no=0.9.", rich_help_panel=_TREE),
    ] = None,
    costs: Annotated[
        str | None,
        typer.Option(help="CSV of truth, predicted, cost.", rich_help_panel=_TREE),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="Any other option of the estimator: NAME=VALUE.", rich_help_panel=_TREE
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(help="Seconds of --search optimal.", rich_help_panel=_TREE),
    ] = None,
    hash_data: Annotated[
        bool, typer.Option("--hash-data", help="Store the SHA-256 of the file in the model.")
    ] = False,
    report: Annotated[Path | None, typer.Option(help="Write the interactive page.")] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
    *,
    options: dict[str, Any],  # by flags made from the rows of the estimators' options
) -> None:
    """Learn a tree from a table and save it.

    Examples
    --------
    ceiba learn weather.csv --target RAIN --drop DATE,PRCP --prune 1se --test-size 0.3

    ceiba learn sales.parquet -t amount --categorical shop --max-depth 4 -m sales.ceiba
    """  # fmt: skip
    from ceiba.cli.files.kinds import names_in, ordered_in
    from ceiba.cli.files.reading import Reading
    from ceiba.cli.learn_job import Learning
    from ceiba.cli.output import check_out, warn_in_words

    warn_in_words(quiet)
    check_out(model, "--model")
    check_out(report, "--report")
    work = Learning(
        data=data,
        target=target,
        reading=Reading.of(separator, encoding, missing_marker, decimal_comma, quiet),
        shape={
            "drop": names_in(drop),
            "categorical": names_in(categorical),
            "numeric": names_in(numeric),
            "ordered": ordered_in(ordered),
        },
        weight=weight,
        quiet=quiet,
    )
    if time_limit is not None:
        options["search__time_limit"] = time_limit
    work.read(task, advise=True)
    seed = options["random_state"]
    fitted = work.fit(recipe, options, class_weight, prior, costs, set_, test_size, seed)
    path = model or Path(Path(data.partition("::")[0]).name.split(".")[0] + ".ceiba")
    if data == "-" and model is None:
        path = Path("model.ceiba")
    fitted.save(path, metadata=work.metadata(hash_data))
    work.tell(fitted, path, test, as_json)
    if report is not None:
        work.report(fitted, report, test)
