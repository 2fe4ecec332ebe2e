"""``ceiba learn``: learn a tree from a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ceiba.cli.options.shared_options import (
    DEFAULT_READING,
    AsJson,
    DataOrExample,
    Example,
    KeepIdentifiers,
    Quiet,
    ReadingFlags,
    resolve_example,
)
from ceiba.errors import OptionError

_TREE = "How the tree grows"
_DATA = "What the columns are"
_BEYOND = "Tables beyond memory"


def learn(
    data: DataOrExample = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            help="Column to predict, by name or number. [default: that of --example]",
        ),
    ] = None,
    example: Example = None,
    time: Annotated[
        str | None, typer.Option(help="Column with survival times; with --event, not --target.")
    ] = None,
    event: Annotated[
        str | None,
        typer.Option(help="Event column: 1 if observed, 0 if censored; or COLUMN=CODE."),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option("--model", "-m", help="Model file to write. [default: DATA.ceiba]"),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(help="Learning task. [default: inferred from the target]"),
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(help="Columns to drop: a,b.", rich_help_panel=_DATA)
    ] = None,
    categorical: Annotated[
        list[str] | None,
        typer.Option(help="Columns to read as categorical.", rich_help_panel=_DATA),
    ] = None,
    numeric: Annotated[
        list[str] | None, typer.Option(help="Columns to read as numbers.", rich_help_panel=_DATA)
    ] = None,
    ordered: Annotated[
        list[str] | None,
        typer.Option(help="Ordered levels of a column: size=S<M<L.", rich_help_panel=_DATA),
    ] = None,
    weight: Annotated[
        str | None, typer.Option(help="Column with row weights.", rich_help_panel=_DATA)
    ] = None,
    frequency: Annotated[
        str | None,
        typer.Option(help="Column with row frequencies.", rich_help_panel=_DATA),
    ] = None,
    keep_identifiers: KeepIdentifiers = False,
    reading: ReadingFlags = DEFAULT_READING,
    test_size: Annotated[
        float | None, typer.Option(help="Fraction of rows held out for evaluation.")
    ] = None,
    test: Annotated[str | None, typer.Option(help="File of rows for evaluation.")] = None,
    recipe: Annotated[
        str | None,
        typer.Option(help="Preset of options.", rich_help_panel=_TREE),
    ] = None,
    class_weight: Annotated[
        str | None, typer.Option(help="balanced, or yes=2,no=1.", rich_help_panel=_TREE)
    ] = None,
    prior: Annotated[
        str | None,
        typer.Option(help="Class priors, e.g. yes=0.1,no=0.9.", rich_help_panel=_TREE),
    ] = None,
    costs: Annotated[
        str | None,
        typer.Option(
            help="CSV with the columns truth, predicted, cost; or ordinal.", rich_help_panel=_TREE
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="Other estimator option: NAME=VALUE.", rich_help_panel=_TREE),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(help="Time limit of --search optimal, in seconds.", rich_help_panel=_TREE),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            help="Learn out of core from files ('big/*.parquet', 'big/*.csv') within this much "
            "memory: 4GB.",
            rich_help_panel=_BEYOND,
        ),
    ] = None,
    scratch: Annotated[
        Path | None,
        typer.Option(help="Directory for temporary files of --memory.", rich_help_panel=_BEYOND),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Dask scheduler (tcp://host:8786) whose workers read the files.",
            rich_help_panel=_BEYOND,
        ),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            help="Checkpoint file; rerun the same command to resume.",
            rich_help_panel=_BEYOND,
        ),
    ] = None,
    hash_data: Annotated[
        bool, typer.Option("--hash-data", help="Store the SHA-256 of the file in the model.")
    ] = False,
    report: Annotated[Path | None, typer.Option(help="Interactive HTML report to write.")] = None,
    small_report: Annotated[
        bool,
        typer.Option(
            "--small-report",
            help="Leave the unpruned tree out of the report; its slider shows smaller trees only.",
        ),
    ] = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
    *,
    options: dict[str, Any],  # flags of the option rows
) -> None:
    """Learn a tree from a table and save it.

    Examples
    --------
    ceiba learn --example titanic --prune 1se --test-size 0.3

    ceiba learn weather.csv --target RAIN --drop DATE,PRCP --prune 1se --test-size 0.3

    ceiba learn sales.parquet -t amount --categorical shop --max-depth 4 -m sales.ceiba

    ceiba learn trial.csv --time weeks --event died --prune 1se

    ceiba learn 'big/*.parquet' -t clicked --max-depth 8 --memory 4GB -m clicks.ceiba
    """  # fmt: skip
    from ceiba.cli.beyond_memory import open_files
    from ceiba.cli.learn_job import LearnJob
    from ceiba.cli.models import save_model
    from ceiba.cli.options.estimator_from_flags import check_before_reading, read_settings
    from ceiba.cli.terminal.output import check_out_path, remark, show_warnings
    from ceiba.datasets import describe_tables
    from ceiba.table.files import is_stream, make_seekable, parse_ordered, require_file, split_names

    show_warnings(quiet)
    if data is None or example is not None:
        data, target = resolve_example(data, target, example)
        if example is not None and target is None and time is None:  # survival times
            time, event = describe_tables()[example]["target"]
    if target is None and time is None:
        raise OptionError("Missing option '--target' / '-t': the column to predict.")
    check_out_path(model, "--model")
    check_out_path(report, "--report")
    if small_report and report is None:
        raise OptionError("--small-report requires --report.")
    if weight is not None and frequency is not None:
        raise OptionError("Pass --weight or --frequency, not both.")
    if (time is None) == (target is None) or (time is None) != (event is None):
        raise OptionError("Pass --target, or --time and --event for survival times.")
    if event is not None:
        if task not in (None, "survival"):
            raise OptionError(f"--task must be survival with --time and --event, got {task!r}.")
        task = "survival"
    elif task == "survival":
        raise OptionError("--task survival requires --time and --event, not --target.")
    column, coded, code = (event or "").partition("=")
    work = LearnJob(
        data=data,
        target=time or target or "",
        event=None if event is None else column,
        event_code=code if coded else None,
        reading=reading.resolve(quiet),
        shape={
            "drop": split_names(drop),
            "categorical": split_names(categorical),
            "numeric": split_names(numeric),
            "ordered": parse_ordered(ordered),
        },
        weight=frequency or weight,
        counts_rows=frequency is not None,
        quiet=quiet,
        keep_identifiers=keep_identifiers,
        example=example,
    )
    if time_limit is not None:
        if options.get("search") != "optimal":
            raise OptionError("--time-limit requires --search optimal.")
        options["search__time_limit"] = time_limit
    if test is not None and test_size is not None:
        raise OptionError("Pass --test or --test-size, not both.")
    for file in (test if test != "-" else None, None if costs == "ordinal" else costs):
        if file is not None:
            require_file(file.partition("::")[0])
    if test is not None and report is not None:
        test = make_seekable(test)  # read twice: for the evaluation and the report
    if test_size is not None and not 0 < test_size < 1:
        raise OptionError(f"--test-size must be between 0 and 1, got {test_size}.")
    check_before_reading(task, recipe, options, read_settings(set_))
    if "*" in data or any(flag is not None for flag in (memory, scratch, cluster)):
        unusable = {
            "--categorical": categorical, "--numeric": numeric, "--ordered": ordered,
            "--test-size": test_size, "--hash-data": hash_data, "--frequency": frequency,
            "--time": time,
        }  # fmt: skip
        open_files(work, task, memory, scratch, cluster, unusable)
    else:
        if checkpoint is not None:
            raise OptionError("--checkpoint requires --memory.")
        work.read(task, advise=True)
    seed, keep_unpruned = options["random_state"], report is not None and not small_report
    fitted = work.fit(
        recipe, options, class_weight, prior, costs, set_, test_size, seed, keep_unpruned,
        checkpoint,
    )  # fmt: skip
    path = model or Path(Path(data.partition("::")[0]).name.split(".")[0] + ".ceiba")
    if (is_stream(data) or "*" in path.name) and model is None:
        path = Path("model.ceiba")
    remark(save_model(fitted, path, work.metadata(hash_data)), quiet)
    work.print_result(fitted, path, test, as_json)
    if report is not None:
        work.report(fitted, report, test)
