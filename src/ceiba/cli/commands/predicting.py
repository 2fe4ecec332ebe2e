"""Commands that write, evaluate and explain predictions."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import asdict
from typing import Annotated, Any

from typer import Option

from ceiba.cli.models import open_model, open_tree
from ceiba.cli.options.shared_options import (
    DEFAULT_READING,
    AsJson,
    Data,
    Model,
    OptFloat,
    OptList,
    OptStr,
    Out,
    Quiet,
    ReadingFlags,
    RenamedTarget,
    RowNumber,
    RowTable,
    RowValues,
    WantedAnswer,
    Weight,
    read_numbers,
    split_pair,
)
from ceiba.cli.terminal.output import LANG, answer, check_out_path, colorize, remark, show_warnings
from ceiba.errors import DataError, OptionError, did_you_mean
from ceiba.formatting import escape_control, pluralize
from ceiba.task import Task
from ceiba.words import words


def predict(
    model: Model,
    data: Data,
    out: Out = None,
    probabilities: Annotated[
        bool, Option("--probabilities", "-p", help="Add class probabilities to the output.")
    ] = False,
    leaf: Annotated[bool, Option("--leaf", help="Add leaf ids to the output.")] = False,
    only: Annotated[bool, Option("--only", help="Omit the input columns from the output.")] = False,
    prefix: Annotated[str, Option(help="Prefix for the names of new columns.")] = "",
    escape: Annotated[
        bool,
        Option(
            "--escape-formulas",
            help="Prepend ' to CSV cells that a spreadsheet would evaluate as formulas.",
        ),
    ] = False,
    chunk: Annotated[int, Option(help="Number of rows to read at a time.")] = 250_000,
    reading: ReadingFlags = DEFAULT_READING,
    quiet: Quiet = False,
) -> None:
    """Write predictions for all rows of a file to CSV or Parquet.

    Examples
    --------
    ceiba predict weather.ceiba new.csv --probabilities -o answers.csv

    cat new.csv | ceiba predict weather.ceiba - > answers.csv
    """
    from ceiba.cli.writing import Predictions, write_predictions
    from ceiba.table.files import read_batches

    show_warnings(quiet)
    check_out_path(out)
    if chunk < 1:
        raise OptionError(f"--chunk must be at least 1, got {chunk}.")
    tree, metadata = open_tree(model)
    no_bar = quiet or (out is None and sys.stdout.isatty())
    read_as = reading.for_model(metadata, tree, no_bar)
    answers = Predictions(tree, probabilities, leaf, prefix)
    n = write_predictions(
        answers, read_batches(data, read_as, chunk), out, only=only, escape=escape
    )
    remark(f"{pluralize(n, 'row')} predicted, written to {out}", quiet or out is None)


def ask(model: Model) -> None:
    """Predict interactively, asking only for the columns on the path through the tree.

    Press Enter for a missing value. Write values as in the training file (1.234,5 or 31/12/2024).
    A pipe can provide them, one per line.

    Example: ceiba ask weather.ceiba
    """
    from ceiba.cli.terminal.questions import Conversation
    from ceiba.inspection import explain

    tree, metadata = open_tree(model)
    conversation = Conversation(tree, styles=DEFAULT_READING.for_model(metadata, tree).styles)
    while (column := conversation.next_column()) is not None:
        while True:
            text = _ask_value(conversation, column)
            try:
                conversation.set_value(column, text)
                break
            except DataError as error:
                if not sys.stdin.isatty():
                    raise
                remark(str(error))
    explanation = explain(tree, conversation.table(), lang=LANG.get())
    answer(_format_answer(tree, explanation), explanation.to_dict(), False)


def _ask_value(conversation: Any, column: str) -> str:
    """Prompt for the value of a column and return the input."""
    from ceiba.cli.terminal.questions import format_range

    values = format_range(conversation.info(column), LANG.get())
    hint = f" ({escape_control(values, one_line=True)})" if values else ""
    print(f"{colorize(escape_control(column, one_line=True), 'bold')}{hint}? ", end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        raise DataError(f"The input ended before the value of {column!r}. Pass one value per line.")
    if not sys.stdin.isatty():
        print(escape_control(line.rstrip("\n")))
    return line


def _format_answer(tree: Any, explanation: Any) -> str:
    """Return the prediction, its explanation and its confidence as text."""
    from ceiba.cli.terminal.questions import find_confidence
    from ceiba.layout import percent
    from ceiba.tree.splits import number_text

    label = (
        number_text(explanation.answer, 4)
        if isinstance(explanation.answer, float)
        else explanation.answer
    )
    word = words(explanation.lang)
    name = tree.target.name or word["explain.answer"]
    *steps, _ = explanation.blocks()
    head = colorize(f"{name}: {label}", "bold")
    lines = ["", head, "", word["explain.why"], *(f"  {step}" for step in steps)]
    share, low, high, rows = find_confidence(tree, explanation.leaf)
    sure = "  " + word("explain.leaf", leaf=explanation.leaf, n=rows)
    if share == share and tree.class_prior is not None:  # the share depends on the priors
        sure += word("explain.prior_share", share=percent(share, 1))
    elif share == share:
        sure += word("explain.share_of_them", share=percent(share, 1), label=label)
    if low == low and share == share:
        sure += word("explain.interval", low=f"{low:.3g}", high=f"{high:.3g}")
    elif low == low:
        ends = {"low": number_text(low, 4), "high": number_text(high, 4)}
        sure += word("explain.interval_mean", **ends)
    if costs := explanation.costs_text():
        sure += f"; {costs}"
    return "\n".join([*lines, "", word["explain.how_sure"], sure])


def evaluate(
    model: Model,
    data: Data,
    target: RenamedTarget = None,
    weight: Weight = None,
    by: Annotated[OptStr, Option(help="Column by which to group metrics.")] = None,
    positive: Annotated[OptStr, Option(help="Positive class for AUC, KS, gains and lift.")] = None,
    time: Annotated[
        OptStr, Option(help="Column with survival times. [default: as in training]")
    ] = None,
    event: Annotated[
        OptStr,
        Option(help="Event column, or COLUMN=CODE such as status=dead. [default: as in training]"),
    ] = None,
    horizon: Annotated[
        OptFloat, Option(help="Latest survival time to evaluate. [default: inferred from the rows]")
    ] = None,
    times: Annotated[
        OptStr, Option(help="Survival times at which to check calibration, such as 6,12,24.")
    ] = None,
    gains: Annotated[bool, Option("--gains", help="Also print the gains and lift table.")] = False,
    reading: ReadingFlags = DEFAULT_READING,
    as_json: AsJson = False,
) -> None:
    """Evaluate a model on a file that contains the target.

    Classification: confusion matrix, error, cost, AUC, average precision, Brier score, log loss and
    KS, and gains with --gains. Regression: mean squared error, mean absolute error and R2.
    Survival: Harrell's and Uno's C, calibration and integrated Brier score. Errors, costs and
    integrated Brier scores are compared with those of the root's prediction.

    Example: ceiba evaluate weather.ceiba test.csv
    """
    from ceiba.cli.rows import evaluate_file, evaluation_to_dict, format_evaluation

    show_warnings()
    fitted, metadata = open_model(model)
    read_as = reading.for_model(metadata, fitted.tree_)
    if fitted.tree_.task is Task.SURVIVAL:
        target = _survival_target(fitted.tree_, target, time, event)
    elif time is not None or event is not None:
        raise OptionError("--time and --event are supported for survival trees only.")
    limits = {
        "horizon": horizon,
        "times": None if times is None else read_numbers("--times", times),
    }
    evaluation = evaluate_file(fitted, data, read_as, target, weight, by, positive, limits)
    blocks = format_evaluation(evaluation)
    if gains:
        if (scores := getattr(evaluation, "scores", None)) is None or scores.gains is None:
            text = "is not supported with --by" if by else "requires a binary target or --positive"
            raise OptionError(f"--gains {text}.")
        blocks += ["", scores.gains]
    answer(blocks, evaluation_to_dict(evaluation), as_json)


def _survival_target(tree: Any, target: str | None, time: str | None, event: str | None) -> str:
    """Return the target as "Surv(time, event)", from --time and --event or from the model."""
    from ceiba.table.targets import parse_surv

    if target is not None:
        raise OptionError("--target is not supported for survival trees. Pass --time and --event.")
    names = parse_surv(tree.target.name or "")
    if names is None and (time is None or event is None):
        raise OptionError("The model has no time and event names. Pass --time and --event.")
    if event is None and names is not None:
        event = names.event if names.code is None else f"{names.event}={names.code}"
    column, coded, code = (event or "").partition("=")
    return f"Surv({time or (names and names.time)}, {column}{' == ' + code if coded else ''})"


def explain(
    model: Model,
    data: RowTable = None,
    row: RowNumber = 1,
    values: RowValues = None,
    shapley: Annotated[bool, Option("--shapley", help="Also print Shapley values.")] = False,
    background: Annotated[OptStr, Option(help="Table of background rows for --shapley.")] = None,
    reading: ReadingFlags = DEFAULT_READING,
    as_json: AsJson = False,
) -> None:
    """Explain one prediction by the splits on the path of the row.

    Examples
    --------
    ceiba explain weather.ceiba new.csv --row 3

    ceiba explain weather.ceiba -v TMAX=51 -v TMIN=42

    ceiba explain weather.ceiba new.csv --row 3 --shapley
    """
    from ceiba.cli.rows import read_all, read_row
    from ceiba.inspection import explain as why

    show_warnings()
    tree, metadata = open_tree(model)
    if background is not None and not shapley:
        raise OptionError("--background requires --shapley.")
    table = read_row(tree, metadata, data, row, values, reading)
    explanation = why(tree, table, lang=LANG.get())
    blocks: list[Any] = [explanation]
    figures = explanation.to_dict()
    if shapley:
        rows = None if background is None else read_all(tree, metadata, background, reading)
        listings = _list_contributions(tree, table, rows)
        blocks += [block for listing in listings for block in ("", listing)]
        tables = [listing.to_dict() for listing in listings]
        figures |= {"shapley": tables[0] if len(tables) == 1 else tables}
    answer(blocks, figures, as_json)


def _list_contributions(tree: Any, table: Any, background: Any) -> list[Any]:
    """Return one row's Shapley values for each output (for classes, of the predicted class)."""
    from ceiba.trust import shap_values

    values = shap_values(tree, table, background=background)
    outputs = values if isinstance(values, tuple) else (values,)
    if not tree.task.has_classes:
        return [output.row(0) for output in outputs]
    answers = tree.predict(table).reshape(-1).tolist()
    return [output.of_class(label).row(0) for output, label in zip(outputs, answers, strict=True)]


def counterfactual(
    model: Model,
    data: RowTable = None,
    row: RowNumber = 1,
    values: RowValues = None,
    target: WantedAnswer = None,
    fixed: Annotated[
        OptList, Option(help="Columns that must not change, such as A,B; repeatable.")
    ] = None,
    up: Annotated[OptList, Option(help="Column that may only increase; repeatable.")] = None,
    down: Annotated[OptList, Option(help="Column that may only decrease; repeatable.")] = None,
    allow: Annotated[OptList, Option(help="Allowed level, such as job=clerk; repeatable.")] = None,
    cost: Annotated[OptList, Option(help="Cost of a change, such as age=2; repeatable.")] = None,
    order: Annotated[
        str, Option(help="Sort by 'columns' (fewest changed columns first) or by 'distance'.")
    ] = "columns",
    k: Annotated[int, Option("-k", help="Maximum number of counterfactuals.")] = 5,
    reading: ReadingFlags = DEFAULT_READING,
    as_json: AsJson = False,
) -> None:
    """Find the smallest changes to a row that change its prediction.

    Examples
    --------
    ceiba counterfactual loans.ceiba new.csv --row 3 --fixed age

    ceiba counterfactual loans.ceiba -v income=20 -v debt=9 --target granted
    """
    from ceiba.cli.rows import read_row
    from ceiba.table.files import split_names
    from ceiba.trust import counterfactual as alternatives_of

    show_warnings()
    tree, metadata = open_tree(model)
    table = read_row(tree, metadata, data, row, values, reading)
    alternatives = alternatives_of(
        tree,
        table,
        target=_read_wanted(tree, target),
        fixed=split_names(fixed),
        direction={**dict.fromkeys(up or (), "up"), **dict.fromkeys(down or (), "down")},
        allowed=_read_levels(tree, allow or ()),
        cost=_read_costs(cost or ()),
        order=order,  # type: ignore[arg-type]
        k=k,
        lang=LANG.get(),
    )
    answer(str(alternatives), [asdict(alternative) for alternative in alternatives], as_json)


def _read_wanted(tree: Any, text: str | None) -> Any:
    """Convert the text of --target to a class label, or to the bounds of a range of numbers."""
    if tree.task.has_classes:
        by_text = {str(label): label for label in tree.target.classes[0].tolist()}
        return None if text is None else by_text.get(text, text)
    low, colon, high = (text or "").partition(":")
    try:
        if not colon:
            raise ValueError
        return float(low) if low else None, float(high) if high else None
    except ValueError:
        raise OptionError(
            f"--target must be LOW:HIGH for a model that predicts numbers, got {text!r}. Either "
            "bound may be empty."
        ) from None


def _read_levels(tree: Any, texts: Iterable[str]) -> dict[str, list[Any]]:
    """Parse the --allow COLUMN=LEVEL options into a list of levels for each column."""
    chosen: dict[str, list[Any]] = {}
    for text in texts:
        name, level = split_pair("--allow", text, "COLUMN=LEVEL")
        columns = {column.name: column for column in tree.schema.columns}
        if name not in columns:
            raise OptionError(
                f"--allow {text!r}: column not found: {name!r}.{did_you_mean(name, columns)}"
            )
        by_text = {str(value): value for value in columns[name].levels}
        chosen.setdefault(name, []).append(by_text.get(level, level))
    return chosen


def _read_costs(texts: Iterable[str]) -> dict[str, float]:
    costs = {}
    for text in texts:
        name, number = split_pair("--cost", text, "COLUMN=NUMBER")
        try:
            costs[name] = float(number)
        except ValueError:
            raise OptionError(f"--cost must be COLUMN=NUMBER, got {text!r}.") from None
    return costs


def reasons(
    model: Model,
    data: RowTable = None,
    row: RowNumber = 1,
    values: RowValues = None,
    target: WantedAnswer = None,
    against: Annotated[
        OptStr,
        Option(
            help="Reference table; only rows with the desired prediction are used. "
            "[default: training rows]"
        ),
    ] = None,
    protected: Annotated[
        OptList, Option(help="Columns that the tree and the reasons must not use.")
    ] = None,
    fixed: Annotated[OptList, Option(help="Columns to exclude from the reasons.")] = None,
    k: Annotated[int, Option("-k", help="Maximum number of reasons.")] = 4,
    reading: ReadingFlags = DEFAULT_READING,
    as_json: AsJson = False,
) -> None:
    """Rank the columns that prevent the desired prediction.

    Each reason includes a change of this column alone that gives the desired prediction, if any.

    Examples
    --------
    ceiba reasons loans.ceiba new.csv --row 3 --protected sex,age

    ceiba reasons loans.ceiba -v income=20 -v debt=9 --target granted
    """
    from ceiba.audit import reasons as reasons_of
    from ceiba.cli.rows import read_all, read_row
    from ceiba.table.files import split_names

    show_warnings()
    tree, metadata = open_tree(model)
    result = reasons_of(
        tree,
        read_row(tree, metadata, data, row, values, reading),
        k=k,
        target=_read_wanted(tree, target),
        against=None if against is None else read_all(tree, metadata, against, reading),
        protected=split_names(protected),
        fixed=split_names(fixed),
        lang=LANG.get(),
    )[0]
    answer(str(result), {"answer": result.answer, "reasons": result.to_dict()}, as_json)
