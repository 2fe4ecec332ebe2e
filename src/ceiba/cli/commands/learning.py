"""Commands that learn and compare trees: describe, learn, prune, compare, curve and mimic."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from ceiba.cli.models import open_model, save_model
from ceiba.cli.options.shared_options import (
    DEFAULT_READING,
    AsJson,
    Data,
    DataOrExample,
    Drop,
    Event,
    Example,
    HtmlReport,
    KeepIdentifiers,
    Model,
    OptFloat,
    OptInt,
    OptList,
    OptPath,
    OptStr,
    Quiet,
    ReadingFlags,
    RenamedTarget,
    Time,
    Weight,
    resolve_example,
)
from ceiba.cli.terminal.output import (
    LANG,
    answer,
    check_out_path,
    remark,
    show_warnings,
    supports_unicode,
    tree_style,
)
from ceiba.errors import DataError, OptionError
from ceiba.formatting import escape_control, pluralize

_PASS_TARGET = "Pass either --target or, for survival times, both --time and --event."


def describe(
    data: DataOrExample = None,
    target: Annotated[
        OptStr,
        Option(
            "--target",
            "-t",
            help="Target column (name or number) for measuring associations with other columns.",
        ),
    ] = None,
    example: Example = None,
    reading: ReadingFlags = DEFAULT_READING,
    as_json: AsJson = False,
) -> None:
    """Describe a table: column kinds, missing values, distributions and warnings.

    Examples
    --------
    ceiba describe weather.csv --target RAIN

    ceiba describe --example titanic
    """
    from ceiba.cli.advice import add_option_hint, describe_table, find_column
    from ceiba.table import read
    from ceiba.table.files import as_columns, load_table

    show_warnings(quiet=True)
    data, target = resolve_example(data, target, example)
    table = load_table(data, reading.resolve(as_json))
    name = None
    if target is not None:
        name = find_column(target, table.frame.columns, "--target", data)
    description = describe_table(read(as_columns(table.frame), finite=False), name)
    for text in table.remarks:
        remark(f"warning: {text}")
    figures = {**description.to_dict(), "remarks": table.remarks}
    answer(description.table(unicode=supports_unicode()).blocks(fold=None), figures, as_json)
    for finding in description.remarks if not as_json else ():
        remark(f"warning: {add_option_hint(finding)}")


def learn(
    data: DataOrExample = None,
    target: Annotated[
        OptStr,
        Option("--target", "-t", help="Target column (name or number); optional with --example."),
    ] = None,
    example: Example = None,
    time: Time = None,
    event: Event = None,
    model: Annotated[
        OptPath, Option("--model", "-m", help="Model file to write. [default: x.ceiba for x.csv]")
    ] = None,
    task: Annotated[
        OptStr, Option(help="Task: classification or regression. [default: inferred from target]")
    ] = None,
    drop: Drop = None,
    categorical: Annotated[OptList, Option(help="Columns to read as categorical.")] = None,
    numeric: Annotated[OptList, Option(help="Columns to read as numbers.")] = None,
    ordered: Annotated[OptList, Option(help="Ordered column, such as size=S<M<L.")] = None,
    weight: Weight = None,
    frequency: Annotated[OptStr, Option(help="Column of frequency weights.")] = None,
    keep_identifiers: KeepIdentifiers = False,
    reading: ReadingFlags = DEFAULT_READING,
    test_size: Annotated[OptFloat, Option(help="Share of rows to hold out for evaluation.")] = None,
    test: Annotated[OptStr, Option(help="File with held-out rows for evaluation.")] = None,
    recipe: Annotated[OptStr, Option(help="Algorithm: cart, rpart, id3, c45 or chaid.")] = None,
    class_weight: Annotated[
        OptStr, Option(help="Class weights, such as yes=2,no=1, or 'balanced'.")
    ] = None,
    prior: Annotated[OptStr, Option(help="Class priors, such as yes=0.1,no=0.9.")] = None,
    costs: Annotated[
        OptStr,
        Option(
            help="Misclassification costs: 'ordinal' (distance between ordered classes), or a CSV "
            "file with the columns truth, predicted and cost."
        ),
    ] = None,
    set_: Annotated[
        OptList, Option("--set", help="Model parameter, such as max_bins=255; repeatable.")
    ] = None,
    time_limit: Annotated[
        OptFloat, Option(help="Time limit for --search optimal, in seconds.")
    ] = None,
    memory: Annotated[
        OptStr,
        Option(
            help="Memory limit, such as 2GB, for files that do not fit into memory. "
            "[default: 4GB for several files ('big/*.csv')]"
        ),
    ] = None,
    scratch: Annotated[OptPath, Option(help="Directory for temporary files.")] = None,
    cluster: Annotated[
        OptStr, Option(help="Address of a Dask scheduler, such as tcp://host:8786.")
    ] = None,
    checkpoint: Annotated[
        OptPath, Option(help="Checkpoint file from which the command can resume.")
    ] = None,
    hash_data: Annotated[
        bool, Option("--hash-data", help="Store the SHA-256 hash of the data file in the model.")
    ] = False,
    report: HtmlReport = None,
    small_report: Annotated[
        bool, Option("--small-report", help="Omit the unpruned tree to make the report smaller.")
    ] = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
    *,
    options: dict[str, Any],  # values of the flags for estimator parameters
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
    from ceiba.cli.learn_job import LearnJob
    from ceiba.cli.options.estimator_from_flags import check_before_reading, read_settings
    from ceiba.datasets import describe_tables
    from ceiba.table.files import is_stream, make_seekable, parse_ordered, require_file, split_names

    show_warnings(quiet)
    if data is None or example is not None:
        data, target = resolve_example(data, target, example)
        if example is not None and target is None and time is None:  # survival example
            time, event = describe_tables()[example]["target"]
    if target is None and time is None:
        raise OptionError("Missing option '--target' / '-t' (or '--time' and '--event').")
    check_out_path(model, "--model")
    check_out_path(report, "--report")
    if small_report and report is None:
        raise OptionError("--small-report requires --report.")
    if weight is not None and frequency is not None:
        raise OptionError("Pass --weight or --frequency, not both.")
    if (time is None) == (target is None) or (time is None) != (event is None):
        raise OptionError(_PASS_TARGET)
    if event is not None:
        if task not in (None, "survival"):
            raise OptionError(f"--task must be survival with --time and --event, got {task!r}.")
        task = "survival"
    elif task == "survival":
        raise OptionError("--task survival requires --time and --event, not --target.")
    work = LearnJob(
        data=data,
        target=time or target or "",
        event=event,
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
        test = make_seekable(test)  # the file is read twice: by the evaluation and the report
    if test_size is not None and not 0 < test_size < 1:
        raise OptionError(f"--test-size must be greater than 0 and less than 1, got {test_size}.")
    check_before_reading(task, recipe, options, read_settings(set_))
    if "*" in data or any(flag is not None for flag in (memory, scratch, cluster)):
        unusable = {
            "--categorical": categorical, "--numeric": numeric, "--ordered": ordered,
            "--test-size": test_size, "--hash-data": hash_data, "--frequency": frequency,
            "--time": time,
        }  # fmt: skip
        work.open_files(task, memory, scratch, cluster, unusable)
    else:
        if checkpoint is not None:
            raise OptionError("--checkpoint requires --memory, --cluster or several input files.")
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


def prune(
    model: Model,
    alpha: Annotated[OptFloat, Option(help="Penalty per leaf, in the units of --risk.")] = None,
    leaves: Annotated[OptInt, Option(help="Maximum number of leaves.")] = None,
    risk: Annotated[str, Option(help="Risk measure for pruning: cost or impurity.")] = "cost",
    out: Annotated[OptPath, Option("--out", "-o", help="Model file to write.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the pruning sequence of a model, or print or save one of its trees.

    Examples
    --------
    ceiba prune weather.ceiba

    ceiba prune weather.ceiba --leaves 6 -o small.ceiba
    """
    from ceiba.estimators.model_file import replace_tree
    from ceiba.prune import prune_tree, pruning_sequence

    fitted, metadata = open_model(model)
    check_out_path(out)
    tree = fitted.tree_
    if risk not in ("cost", "impurity"):
        raise OptionError(f"--risk must be cost or impurity, got {risk!r}.")
    if alpha is not None and leaves is not None:
        raise OptionError("Pass --alpha or --leaves, not both.")
    if alpha is None:
        steps = pruning_sequence(tree, risk=risk)  # type: ignore[arg-type]
        if leaves is None:
            answer(steps.listing(), steps.listing().to_dict(), as_json)
            return
        fits = [a for a, n in zip(steps.alpha, steps.n_leaves, strict=True) if n <= leaves]
        if not fits:
            raise OptionError(f"--leaves must be at least 1, got {leaves}.")
        alpha = float(fits[0])
    smaller = prune_tree(tree, alpha, risk=risk)  # type: ignore[arg-type]
    figures = {"alpha": alpha, "leaves": smaller.n_leaves, "before": tree.n_leaves}
    before, after = (pluralize(version.n_leaves, "leaf", "leaves") for version in (tree, smaller))
    text = f"{before} -> {after} at alpha {alpha:.6g}"
    if out is not None:
        remark(save_model(replace_tree(fitted, smaller), out, metadata))
        text += f", saved in {out}"
        figures["model"] = str(out)
    else:
        text = f"{smaller.to_text(max_depth=6, **tree_style())}\n{text}; save it with --out"
    answer(text, figures, as_json)


def compare(
    first: Model,
    second: Model,
    data: Annotated[str, typer.Argument(help="Table of test rows.", metavar="DATA")],
    target: RenamedTarget = None,
    weight: Weight = None,
    report: Annotated[OptPath, Option(help="HTML file for the comparison.")] = None,
    reading: ReadingFlags = DEFAULT_READING,
    as_json: AsJson = False,
) -> None:
    """Compare two models on a file of rows that neither model was trained on.

    Differences in metrics have paired confidence intervals. For classification, McNemar's exact
    test compares the rows that only one model gets right. Costs are those of the models, if they
    have equal costs. For other costs or profits, call ceiba.compare in Python.

    Example: ceiba compare small.ceiba large.ceiba test.csv --report comparison.html
    """
    from ceiba.audit import compare as compare_models
    from ceiba.cli.rows import count_from_one, evaluation_to_dict, read_truth
    from ceiba.listing import Grid

    show_warnings()
    check_out_path(report, "--report")
    models, frames, entries, blocks = [], [], [], []
    for path in (first, second):
        fitted, metadata = open_model(path)
        read_as = reading.for_model(metadata, fitted.tree_)
        X, y, weights, _ = read_truth(fitted, data, read_as, target, weight)
        models.append(fitted)
        frames.append(X)
        evaluation, n_leaves = fitted.evaluate(X, y, weights), fitted.tree_.n_leaves
        entries.append({"model": str(path), "leaves": n_leaves,
                        "evaluation": evaluation_to_dict(evaluation)})  # fmt: skip
        blocks.append(f"{path}: {pluralize(n_leaves, 'leaf', 'leaves')}")
    tasks = [model.tree_.task for model in models]
    if tasks[0] != tasks[1]:
        raise DataError(f"The models must have the same task, got {tasks[0]} and {tasks[1]}.")
    rows = frames[0].with_columns(frames[1].drop(frames[0].columns, strict=False))
    comparison = compare_models(models[0], models[1], rows, y, sample_weight=weights)
    comparison = replace(comparison, rows=count_from_one(comparison.rows))
    splits = [
        Counter(tree.schema.names[j] for j in tree.splits.column.tolist() if j >= 0)
        for tree in (model.tree_ for model in models)
    ]
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


def curve(
    data: Data,
    target: Annotated[
        OptStr, Option("--target", "-t", help="Column to predict (name or number).")
    ] = None,
    time: Time = None,
    event: Event = None,
    task: Annotated[
        OptStr, Option(help="Task: classification or regression. [default: inferred from target]")
    ] = None,
    drop: Drop = None,
    categorical: Annotated[OptList, Option(help="Columns to read as categorical.")] = None,
    keep_identifiers: KeepIdentifiers = False,
    repeats: Annotated[int, Option(help="Number of random splits per training size.")] = 20,
    recipe: Annotated[OptStr, Option(help="Algorithm: cart, rpart, id3, c45 or chaid.")] = None,
    set_: Annotated[OptList, Option("--set", help="Model parameter; repeatable.")] = None,
    reading: ReadingFlags = DEFAULT_READING,
    out: Annotated[OptPath, Option("--out", "-o", help="Image file (.png, .svg, ...).")] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Compute a learning curve (the score by number of training rows).

    Example: ceiba curve weather.csv --target RAIN --drop DATE,PRCP --set max_depth=4 -o curve.png
    """
    from ceiba.cli.learn_job import LearnJob
    from ceiba.cli.options import estimator_from_flags as flags
    from ceiba.inspection import learning_curve
    from ceiba.table.files import split_names

    show_warnings(quiet=True)
    if (time is None) == (target is None) or (time is None) != (event is None):
        raise OptionError(_PASS_TARGET)
    check_out_path(out)
    work = LearnJob(
        data=data, target=time or target or "", event=event,
        reading=reading.resolve(),
        shape={"drop": split_names(drop), "categorical": split_names(categorical), "numeric": [],
               "ordered": {}},
        weight=None, quiet=True, keep_identifiers=keep_identifiers,
    )  # fmt: skip
    settings = flags.read_settings(set_)
    task = task if event is None else "survival"
    flags.check_before_reading(task, recipe, {}, settings)
    work.read(task, advise=False)
    model = flags.make_model(work.task, recipe, settings)
    progress = not quiet and sys.stderr.isatty()
    measured = learning_curve(model, work.X, work.y, repeats=repeats, progress=progress)
    answer(measured.table(), measured.table().to_dict(), as_json)
    if out is not None:
        from ceiba.cli.commands.reading import save_figure
        from ceiba.plot import plot_learning_curve

        save_figure(plot_learning_curve(measured, lang=LANG.get()), out, 150)
        remark(f"written to {out}", quiet)


def mimic(
    data: Data,
    predictions: Annotated[
        str, typer.Option("--predictions", "-p", help="Column with the predictions to imitate.")
    ],
    target: Annotated[OptStr, Option("--target", "-t", help="Column with the true values.")] = None,
    drop: Drop = None,
    leaves: Annotated[
        OptInt, Option(help="Maximum number of leaves. [default: chosen by the 1-SE rule]")
    ] = None,
    out: Annotated[OptPath, Option("--out", "-o", help="Model file to write.")] = None,
    report: HtmlReport = None,
    reading: ReadingFlags = DEFAULT_READING,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Approximate the predictions of any model by one tree, and measure its fidelity.

    Fidelity is measured on 30 % of the rows, which are not used to grow the tree.

    Example: ceiba mimic scored.csv --predictions score --target default --leaves 8
    """
    from ceiba.audit import mimic as imitate
    from ceiba.cli.rows import count_from_one, read_answers

    show_warnings(quiet)
    check_out_path(out)
    check_out_path(report, "--report")
    table, answers, truth = read_answers(data, reading.resolve(quiet), predictions, target, drop)
    result = imitate(answers, table, truth, leaves=leaves)
    result = replace(result, leaves=count_from_one(result.leaves))
    answer(result, result.to_dict(), as_json)
    if out is not None:
        remark(save_model(result.model, out, {"imitated": predictions}), quiet)
        remark(f"written to {out}", quiet)
    if report is not None:
        result.report(report)
        remark(f"written to {report}", quiet)
