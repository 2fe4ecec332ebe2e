"""Commands that find errors, measure drift and stability, and write a model card."""

from __future__ import annotations

from typing import Annotated

import typer
from typer import Option

from ceiba.cli.commands.reading import save_figure
from ceiba.cli.models import open_model
from ceiba.cli.options.shared_options import (
    DEFAULT_READING,
    AsJson,
    Data,
    Drop,
    HtmlReport,
    Model,
    OptFloat,
    OptInt,
    OptPath,
    OptStr,
    Out,
    Quiet,
    ReadingFlags,
    RenamedTarget,
    Weight,
)
from ceiba.cli.terminal.output import LANG, answer, check_out_path, remark, show_warnings
from ceiba.errors import OptionError

CHANGED = 5  # exit code of `drift` if the PSI exceeds --fail-psi


def errors(
    data: Data,
    predictions: Annotated[
        OptStr, Option("--predictions", "-p", help="Column with predictions, instead of --model.")
    ] = None,
    target: Annotated[
        OptStr, Option("--target", "-t", help="Target column. [default: target of --model]")
    ] = None,
    model: Annotated[
        OptPath, Option("--model", "-m", help="Model file to analyze, instead of --predictions.")
    ] = None,
    drop: Drop = None,
    report: HtmlReport = None,
    reading: ReadingFlags = DEFAULT_READING,
    as_json: AsJson = False,
) -> None:
    """Find the segments of rows with the highest error rate or mean absolute error.

    Half of the rows determine the segments, and the other half measures their errors.

    Examples
    --------
    ceiba errors scored.csv --predictions answer --target default

    ceiba errors test.csv --model loans.ceiba
    """
    from ceiba.audit import analyze_errors
    from ceiba.cli.rows import read_answers, read_truth

    show_warnings()
    check_out_path(report, "--report")
    if (model is None) == (predictions is None):
        raise OptionError("Pass either --predictions (a column) or --model (a model file).")
    if model is not None:
        if drop:
            raise OptionError("--drop is not supported with --model.")
        fitted, metadata = open_model(model)
        read_as = reading.for_model(metadata, fitted.tree_)
        X, y, _, _ = read_truth(fitted, data, read_as, target, None)
        result = analyze_errors(fitted, X, y)
    else:
        if target is None:
            raise OptionError("--predictions requires --target.")
        assert predictions is not None
        X, answers, y = read_answers(data, reading.resolve(), predictions, target, drop)
        result = analyze_errors(answers, X, y)
    answer(result, result.to_dict(), as_json)
    if report is not None:
        result.report(report)
        remark(f"written to {report}")


def drift(
    model: Model,
    data: Data,
    with_target: Annotated[
        bool, Option("--with-target", help="Also compare the target values in each leaf.")
    ] = False,
    target: RenamedTarget = None,
    fail_psi: Annotated[
        OptFloat,
        Option(help="Exit with code 5 if the population stability index (PSI) exceeds this value."),
    ] = None,
    reading: ReadingFlags = DEFAULT_READING,
    as_json: AsJson = False,
) -> None:
    """Measure the drift of new rows from the training rows, branch by branch.

    The command needs only the counts in the model file, not the training rows.

    Example: ceiba drift weather.ceiba this_year.csv --fail-psi 0.25
    """
    from ceiba.cli.rows import read_all, read_truth
    from ceiba.trust import drift as drift_of

    show_warnings()
    fitted, metadata = open_model(model)
    tree = fitted.tree_
    if with_target or target is not None:
        read_as = reading.for_model(metadata, tree)
        result = drift_of(tree, *read_truth(fitted, data, read_as, target, None)[:2])
    else:
        result = drift_of(tree, read_all(tree, metadata, data, reading))
    answer(result, result.to_dict(), as_json)
    if fail_psi is not None and result.psi > fail_psi:
        raise typer.Exit(CHANGED)


def stability(
    model: Model,
    data: Data,
    target: RenamedTarget = None,
    weight: Weight = None,
    resamples: Annotated[
        OptInt, Option(help="Number of resamples of the training rows. [default: 200]")
    ] = None,
    seed: Annotated[int, Option(help="Random seed.")] = 0,
    rivals: Annotated[OptInt, Option(help="Node at which to compare split columns.")] = None,
    plot: Annotated[OptPath, Option(help="Image file to write (.png, .svg, .pdf, ...).")] = None,
    reading: ReadingFlags = DEFAULT_READING,
    as_json: AsJson = False,
) -> None:
    """Check how stable a tree is by refitting it on resamples of its training rows.

    The result shows how often splits and predictions recur. --rivals compares columns instead.

    Examples
    --------
    ceiba stability weather.ceiba weather.csv

    ceiba stability weather.ceiba weather.csv --rivals 0 --plot root.png
    """
    from ceiba.cli.rows import read_truth

    show_warnings()
    check_out_path(plot, "--plot")
    fitted, metadata = open_model(model)
    read_as = reading.for_model(metadata, fitted.tree_)
    X, y, weights, _ = read_truth(fitted, data, read_as, target, weight)
    if rivals is not None:
        if resamples is not None:
            raise OptionError("--resamples is not supported with --rivals.")
        result = fitted.rival_columns(X, y, weights, node=rivals, random_state=seed)
        figures = result.table.to_dict()
    else:
        number = 200 if resamples is None else resamples
        result = fitted.stability(X, y, weights, resamples=number, random_state=seed)
        figures = {
            "agreement": result.agreement,
            "n_leaves": result.n_leaves,
            "nodes": result.nodes.to_dict(),
            "columns": result.columns.to_dict(),
            "leaves": result.leaves.to_dict(),
        }
    if plot is not None:
        save_figure(result.plot(lang=LANG.get()), plot, 100)
    answer(result if rivals is None else result.table, figures, as_json)


def card(
    model: Model,
    data: Annotated[OptStr, Option(help="Table of held-out rows.")] = None,
    train: Annotated[OptStr, Option(help="Table of training rows.")] = None,
    by: Annotated[OptStr, Option(help="Column of --data by which to group metrics.")] = None,
    purpose: Annotated[OptStr, Option(help="Intended use of the model.")] = None,
    owner: Annotated[OptStr, Option(help="Owner of the model.")] = None,
    approval: Annotated[OptStr, Option(help="Name of the approver and date of approval.")] = None,
    target: RenamedTarget = None,
    out: Out = None,
    reading: ReadingFlags = DEFAULT_READING,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Write a model card with the training settings, performance and limitations of a model.

    The extension of --out determines the format: .md, .json or .html.

    Example: ceiba card loans.ceiba --data test.csv --by sex --out card.md
    """
    from ceiba.audit import make_card
    from ceiba.cli.rows import read_truth
    from ceiba.tree.routing import route

    show_warnings(quiet)
    check_out_path(out)
    if by is not None and data is None:
        raise OptionError("--by requires --data.")
    fitted, metadata = open_model(model)
    fitted.metadata_ = metadata
    read_as = reading.for_model(metadata, fitted.tree_)
    groups: list[object] = []
    rows = {}
    for name, file, column in (("test", data, by), ("train", train, None)):
        if file is not None:
            X, y, _, _ = read_truth(fitted, file, read_as, target, None, column, groups)
            rows[name] = (route.read(fitted.tree_, X), y)
    result = make_card(
        fitted,
        fitted.tree_,
        **rows,
        by=None if by is None else (by, groups),
        purpose=purpose,
        owner=owner,
        approval=approval,
    )
    if out is not None:
        result.save(out)
        remark(f"written to {out}", quiet)
    if out is None or as_json:
        answer(str(result).rstrip("\n"), result.to_dict(), as_json)
