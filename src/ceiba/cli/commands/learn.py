"""``ceiba learn``: a table in, a tree out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ceiba.cli.shared_options import AsJson, Data, Decimal, Encoding, Markers, Quiet, Separator

__all__ = ["learn"]

Names = Annotated[list[str] | None, typer.Option(show_default=False)]
_TREE = "How the tree grows"
_DATA = "How the table is read"
_PRUNE = "How large the tree is"


def learn(
    data: Data,
    target: Annotated[str, typer.Option("--target", "-t", help="The column to predict.")],
    model: Annotated[
        Path | None,
        typer.Option("--model", "-m", help="Where the model goes. [default: DATA.ceiba]"),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(help="classification or regression; found out by the target if not given."),
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
        float | None, typer.Option(help="Share of the rows kept apart to judge by.")
    ] = None,
    test: Annotated[str | None, typer.Option(help="A file of rows to judge by.")] = None,
    recipe: Annotated[
        str | None,
        typer.Option(
            help="A known family of trees: rpart, c45, chaid, id3.", rich_help_panel=_TREE
        ),
    ] = None,
    criterion: Annotated[str | None, typer.Option(rich_help_panel=_TREE)] = None,
    max_depth: Annotated[int | None, typer.Option(rich_help_panel=_TREE)] = None,
    min_samples_split: Annotated[str | None, typer.Option(rich_help_panel=_TREE)] = None,
    min_samples_leaf: Annotated[str | None, typer.Option(rich_help_panel=_TREE)] = None,
    min_weight_fraction_leaf: Annotated[float | None, typer.Option(rich_help_panel=_TREE)] = None,
    max_leaf_nodes: Annotated[int | None, typer.Option(rich_help_panel=_TREE)] = None,
    max_features: Annotated[str | None, typer.Option(rich_help_panel=_TREE)] = None,
    min_impurity_decrease: Annotated[float | None, typer.Option(rich_help_panel=_TREE)] = None,
    max_bins: Annotated[
        int | None,
        typer.Option(help="Cut numbers at quantile bins only (2 to 255).", rich_help_panel=_TREE),
    ] = None,
    categorical_splits: Annotated[
        str | None, typer.Option(help="binary or multiway.", rich_help_panel=_TREE)
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option(
            help="learn, majority, surrogate, fractional or error.", rich_help_panel=_TREE
        ),
    ] = None,
    unseen: Annotated[
        str | None, typer.Option(help="majority, missing or error.", rich_help_panel=_TREE)
    ] = None,
    max_surrogates: Annotated[int | None, typer.Option(rich_help_panel=_TREE)] = None,
    use_surrogate: Annotated[int | None, typer.Option(rich_help_panel=_TREE)] = None,
    max_competitors: Annotated[int | None, typer.Option(rich_help_panel=_TREE)] = None,
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
    random_state: Annotated[int | None, typer.Option(rich_help_panel=_TREE)] = None,
    n_jobs: Annotated[int | None, typer.Option(help="Threads.", rich_help_panel=_TREE)] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="Any other option of the estimator: NAME=VALUE.", rich_help_panel=_TREE
        ),
    ] = None,
    prune: Annotated[
        str | None,
        typer.Option(help="1se or cv: size by cross-validation.", rich_help_panel=_PRUNE),
    ] = None,
    ccp_alpha: Annotated[float | None, typer.Option(rich_help_panel=_PRUNE)] = None,
    hash_data: Annotated[
        bool, typer.Option("--hash-data", help="Keep the file's SHA-256 in the model.")
    ] = False,
    report: Annotated[Path | None, typer.Option(help="Write the interactive page.")] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
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
    options: dict[str, Any] = {
        "criterion": criterion, "max_depth": max_depth,
        "min_samples_split": _number(min_samples_split, "--min-samples-split"),
        "min_samples_leaf": _number(min_samples_leaf, "--min-samples-leaf"),
        "min_weight_fraction_leaf": min_weight_fraction_leaf, "max_leaf_nodes": max_leaf_nodes,
        "max_features": _number(max_features, "") if max_features else None,
        "min_impurity_decrease": min_impurity_decrease, "categorical_splits": categorical_splits,
        "missing": missing, "unseen": unseen, "max_surrogates": max_surrogates,
        "use_surrogate": use_surrogate, "max_competitors": max_competitors, "max_bins": max_bins,
        "random_state": random_state, "n_jobs": n_jobs, "prune": prune, "ccp_alpha": ccp_alpha,
    }  # fmt: skip
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
    work.read(task, advise=True)
    fitted = work.fit(recipe, options, class_weight, prior, costs, set_, test_size, random_state)
    path = model or Path(Path(data.partition("::")[0]).name.split(".")[0] + ".ceiba")
    if data == "-" and model is None:
        path = Path("model.ceiba")
    fitted.save(path, metadata=work.metadata(hash_data))
    work.tell(fitted, path, test, as_json)
    if report is not None:
        work.report(fitted, report, test)


def _number(text: str | None, option: str) -> Any:
    """Read an option that is a count or a share."""
    from ceiba.errors import OptionError

    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            if not option:
                return text
            raise OptionError(f"{option} {text!r}: a number is needed.") from None
