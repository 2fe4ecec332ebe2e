"""Commands that read a model: show, view, summary, rules, plot, report and export."""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from ceiba.cli.models import open_model, open_tree, write_example_report
from ceiba.cli.options.shared_options import (
    DEFAULT_READING,
    AsJson,
    Example,
    Model,
    ModelOrExample,
    OptInt,
    OptList,
    OptPath,
    OptStr,
    Out,
    Quiet,
    ReadingFlags,
    RenamedTarget,
)
from ceiba.cli.terminal.output import (
    LANG,
    answer,
    check_out_path,
    colorize,
    get_width,
    remark,
    render,
    show_warnings,
    supports_unicode,
    tree_style,
)
from ceiba.errors import DataError, OptionError, did_you_mean
from ceiba.formatting import escape_control, pluralize
from ceiba.words import words

_LEVELS = 8  # maximum number of levels listed per condition of a rule
#: The name of the function in `ceiba.plot` for each value of --kind.
_PLOTS = {kind: f"plot_{kind}" for kind in ("tree", "icicle", "importance", "pruning")}


def show(
    model: Model,
    max_depth: Annotated[OptInt, Option(help="Maximum depth to show.")] = 30,
    node_ids: Annotated[bool, Option("--node-ids", help="Show node ids.")] = False,
    impurity: Annotated[bool, Option("--impurity", help="Show the impurity of each node.")] = False,
    counts: Annotated[bool, Option("--counts", help="Show the class counts of each node.")] = False,
    ascii_: Annotated[bool, Option("--ascii", help="Use ASCII characters only.")] = False,
    bars: Annotated[
        bool | None,
        Option(
            "--bars/--no-bars",
            help="Show class proportions as bars. [default: on a terminal]",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the tree of a model.

    Example: ceiba show weather.ceiba --max-depth 4
    """
    tree: Any = open_tree(model)[0]
    if as_json:
        answer("", json.loads(tree.export("json")), True)
        return
    is_terminal = get_width() is not None if bars is None else bars
    style = {**tree_style(), "unicode": not ascii_ and supports_unicode()}
    text = tree.to_text(
        max_depth=max_depth,
        node_ids=node_ids,
        impurity=impurity,
        counts=counts,
        bars=is_terminal and tree.n_outputs == 1,
        **style,
    )
    print(render(text))
    if tree.certificate is not None:
        print(f"\n{render(tree.certificate)}")


def view(
    model: Model,
    data: Annotated[
        OptStr,
        Argument(help="Table of rows to trace.", metavar="[DATA]", show_default=False),
    ] = None,
    row: Annotated[
        int, Option("--row", "-r", metavar="N", min=1, help="Number of the first row to trace.")
    ] = 1,
    reading: ReadingFlags = DEFAULT_READING,
) -> None:
    """Browse a tree in the terminal.

    Keys: arrows move, Space folds, / searches, n finds the next match, [ and ] follow the previous
    and next row of DATA, e expands all nodes, c collapses them, q quits.

    Example: ceiba view weather.ceiba weather.csv
    """
    tree, metadata = open_tree(model)
    table = None
    if data is not None:
        from ceiba.cli.rows import read_all

        table = read_all(tree, metadata, data, reading)
        if row > table.n_rows:
            raise DataError(f"--row must be at most {table.n_rows} (rows in {data}), got {row}.")
    try:
        from ceiba.cli.terminal.view_app import TreeViewer
    except ImportError:
        raise ImportError(
            "ceiba view requires the 'textual' package. Install it with: pip install 'ceiba[view]'",
            name="textual",
        ) from None
    TreeViewer(tree, table, row - 1, title=str(model)).run()


def summary(model: Model, as_json: AsJson = False) -> None:
    """Summarize a model: target, size and training metrics.

    Example: ceiba summary weather.ceiba
    """
    from ceiba.inspection import summary as make

    fitted, metadata = open_model(model)
    pruning = getattr(fitted, "pruning_table_", None)
    card = make(fitted.tree_, pruning=pruning, lang=LANG.get())
    lines: list[Any] = [card]
    if metadata.get("data"):
        lines.append(words(LANG.get())("summary.learned_from", name=metadata["data"]))
    data = {**card.to_dict(), "columns": card.columns.to_dict(), "metadata": metadata}
    answer(lines, data, as_json)


def rules(
    model: Model,
    sort: Annotated[
        OptStr,
        Option(
            help="Column to sort by, largest first, such as rows or lift. [default: leaf order]"
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the rules of a tree with their predictions, row counts, confidence and lift.

    Example: ceiba rules weather.ceiba --sort lift
    """
    tree = open_tree(model)[0]
    table = tree.rules(lang=LANG.get())
    if sort is not None:
        table = table.sort(sort)
    rows = zip(table, table.rules, strict=True)
    figures = [{**row, "optimistic": rule.optimistic} for row, rule in rows]
    answer(_format_rules(table), figures, as_json)


def _format_rules(table: Any) -> str:
    """Format each rule as a block: prediction and measures, then one condition per line."""
    from ceiba.layout import percent
    from ceiba.tree.splits import number_text

    word = words(table.lang)
    lines = [colorize(table.title, "bold"), ""]
    for rule in table.rules:
        value = number_text(rule.value, 4) if isinstance(rule.value, float) else str(rule.value)
        value = value if rule.curve is None else word("survival.risk", value=value)
        head = word("rules.head", leaf=rule.node, value=escape_control(value, one_line=True))
        line = colorize(head, "bold")
        if rule.rows:
            line += word("rules.head_rows", n=rule.rows, share=percent(rule.share, 1))
        if rule.confidence == rule.confidence:
            sure, lift = f"{rule.confidence:.3g}", f"{rule.lift:.3g}"
            line += ", " + word("rules.figures", confidence=sure, lift=lift)
        if rule.curve is not None:
            line += f", {rule.curve_text()}"
        elif rule.low == rule.low:
            low, high = f"{rule.low:.3g}", f"{rule.high:.3g}"
            line += word("rules.head_interval", low=low, high=high)
            line += word["rules.head_optimistic"] if rule.optimistic else ""
        lines.append(line)
        clauses = rule.condition.parts(max_levels=_LEVELS, lang=table.lang)
        lines += [
            f"    {word['rules.and' if k else 'rules.if']} {escape_control(text, one_line=True)}"
            for k, text in enumerate(clauses or (word["split.all_rows"],))
        ]
        lines.append("")
    return "\n".join([*lines, table.legend])


def plot(
    model: Model,
    out: Annotated[
        Path, Option("--out", "-o", help="Image file to write (.png, .svg, .pdf, ...).")
    ] = Path("tree.png"),
    kind: Annotated[str, Option(help="Kind of plot to draw.")] = "tree",
    max_depth: Annotated[OptInt, Option(help="Maximum depth to show with --kind tree.")] = None,
    dpi: Annotated[int, Option(help="Resolution of a .png file, in dots per inch.")] = 150,
    quiet: Quiet = False,
) -> None:
    """Draw the tree, the feature importance or the pruning sequence of a model.

    Example: ceiba plot weather.ceiba -o weather.svg
    """
    from ceiba import plot as pictures

    fitted, _ = open_model(model)
    check_out_path(out)
    _picture_format(out)
    if kind not in _PLOTS:
        raise OptionError(
            f"Unknown --kind {kind!r}. Allowed values: {', '.join(_PLOTS)}."
            f"{did_you_mean(kind, _PLOTS)}"
        )
    options: dict[str, Any] = {"lang": LANG.get()}
    if max_depth is not None:
        if kind != "tree":
            raise OptionError(f"--max-depth requires --kind tree, got --kind {kind}.")
        options["max_depth"] = max_depth
    thing: Any = fitted
    if kind == "pruning":
        from ceiba.prune import pruning_sequence

        thing = getattr(fitted, "pruning_table_", None) or pruning_sequence(fitted.tree_)
    save_figure(getattr(pictures, _PLOTS[kind])(thing, **options), out, dpi)
    remark(f"written to {out}", quiet)


def save_figure(axes: Any, out: Path, dpi: int) -> None:
    """Save the figure that contains matplotlib axes, replacing an existing file atomically."""
    from ceiba.tree.model_file import atomic_write

    with atomic_write(out) as file:
        axes.figure.savefig(file, format=_picture_format(out), dpi=dpi, bbox_inches="tight")


def _picture_format(out: Path) -> str:
    """Return the image format for the suffix of a path, or "png" if it has none."""
    from matplotlib.backend_bases import FigureCanvasBase

    endings = FigureCanvasBase.get_supported_filetypes()
    ending = out.suffix.lstrip(".").lower() or "png"
    if ending not in endings:
        raise OptionError(
            f"--out {out}: unknown image format .{ending}. Allowed values: "
            f"{', '.join(sorted(endings))}.{did_you_mean(ending, endings)}"
        )
    return ending


def report(
    model: ModelOrExample = None,
    example: Example = None,
    out: Annotated[
        OptPath, Option("--out", "-o", help="HTML file to write. [default: x.html for x.ceiba]")
    ] = None,
    data: Annotated[OptStr, Option("--data", "-d", help="Table of held-out rows.")] = None,
    train: Annotated[OptStr, Option(help="Table of training rows.")] = None,
    stability: Annotated[
        OptInt, Option(help="Number of resamples of --train for the stability check.", min=2)
    ] = None,
    rivals: Annotated[
        list[int] | None, Option(help="Node at which to compare split columns; repeatable.")
    ] = None,
    by: Annotated[OptList, Option(help="Column by which to group metrics; repeatable.")] = None,
    positive: Annotated[OptStr, Option(help="Positive class for the metrics of --by.")] = None,
    drift: Annotated[OptStr, Option(help="Table of new rows to check for drift.")] = None,
    weight: Annotated[OptStr, Option(help="Column of --train with row weights.")] = None,
    title: Annotated[OptStr, Option(help="Title of the report.")] = None,
    lang: str = "en",
    target: RenamedTarget = None,
    show: Annotated[bool, Option("--show", help="Open the report in a browser.")] = False,
    reading: ReadingFlags = DEFAULT_READING,
    quiet: Quiet = False,
) -> None:
    """Write the interactive report of a model as one self-contained HTML file.

    With held-out rows (--data), the report shows their metrics next to the training metrics.

    With --stability, --rivals, --by or --drift, it has a Trust tab.

    With --example, a tree is first learned from two thirds of the table; the rest is held out.

    Examples
    --------
    ceiba report --example titanic --show

    ceiba report weather.ceiba --data test.csv -o weather.html

    ceiba report loans.ceiba --train old.csv --stability 100 --data test.csv --by sex
    """
    from ceiba.cli.rows import evaluate_file, read_all, read_truth

    show_warnings()
    if (model is None) == (example is None):
        raise OptionError("Pass either MODEL or --example NAME.")
    if example is not None:
        used = (data, train, stability, rivals, by, positive, drift, weight, target)
        if any(value is not None for value in used) or reading != DEFAULT_READING:
            raise OptionError("--example supports only --out, --title, --lang, --show and --quiet.")
        page = write_example_report(example, out or Path(f"{example}.html"), lang, title)[1]
        remark(f"written to {page.path}", quiet)
        if show:
            page.show()
        return
    assert model is not None
    fits_again = stability is not None or bool(rivals)
    if fits_again and train is None:
        name = "--stability" if stability is not None else "--rivals"
        raise OptionError(f"{name} requires --train (the training rows of the model).")
    if by and data is None:
        raise OptionError("--by requires --data (held-out rows).")
    if positive is not None and not by:
        raise OptionError("--positive requires --by.")
    if weight is not None and not fits_again:
        raise OptionError("--weight requires --stability or --rivals.")
    fitted, metadata = open_model(model)
    read_as = reading.for_model(metadata, fitted.tree_)
    options: dict[str, Any] = {"title": title, "lang": lang}
    if train is not None:
        X, y, weights, _ = read_truth(fitted, train, read_as, target, weight)
        options["train"] = (X, y)
        if stability is not None:
            options["stability"] = fitted.stability(X, y, weights, resamples=stability)
        options["rivals"] = [
            fitted.rival_columns(X, y, weights, node=node) for node in rivals or ()
        ]
    if data is not None:
        X, y, _, n_dropped = read_truth(fitted, data, read_as, target, None)
        options["test"] = (X, y)
        options["groups"] = [
            evaluate_file(fitted, data, read_as, target, None, column, positive)
            for column in by or ()
        ]
        if n_dropped:
            remark(f"Left out: {pluralize(n_dropped, 'row')} without a target value.", quiet)
    if drift is not None:
        from ceiba.table.files import read_batches

        first = next(read_batches(drift, read_as, 1_000))
        if (target or fitted.tree_.target.name) in first.columns:
            X, y, _, _ = read_truth(fitted, drift, read_as, target, None)
        else:
            X, y = read_all(fitted.tree_, metadata, drift, reading), None
        options["drift"] = fitted.drift(X, y)
    path = out or Path(Path(model).name.split(".")[0] + ".html")
    page = fitted.report(path, **options)
    remark(f"written to {path}", quiet)
    if show:
        page.show()


def export(
    model: Model,
    format_: Annotated[
        OptStr,
        Argument(
            metavar="[FORMAT]",
            help="Export format, such as sql, python, c, javascript, json, onnx, pmml or excel. "
            "If omitted, it is inferred from --out.",
        ),
    ] = None,
    out: Out = None,
    dialect: Annotated[OptStr, Option(help="SQL dialect. [default: ansi]")] = None,
    table: Annotated[OptStr, Option(help="Name of the SQL table. [default: data]")] = None,
    set_: Annotated[OptList, Option("--set", help="Format option; repeatable.")] = None,
    quiet: Quiet = False,
) -> None:
    """Export a model to another format, such as SQL, Python, ONNX or SVG.

    Examples
    --------
    ceiba export weather.ceiba sql --dialect duckdb --table weather

    ceiba export weather.ceiba -o weather.py
    """
    from ceiba.cli.options.estimator_from_flags import read_settings
    from ceiba.export import FORMATS, format_named, format_of_path
    from ceiba.export import export as write

    if format_ is None and out is None:
        raise OptionError(f"Pass a format or --out. Allowed formats: {', '.join(FORMATS)}.")
    check_out_path(out)
    chosen = format_named(format_) if format_ is not None else format_of_path(str(out))
    options: dict[str, Any] = read_settings(set_)
    options |= {k: v for k, v in {"dialect": dialect, "table": table}.items() if v is not None}
    allowed = list(inspect.signature(chosen.load()).parameters)[1:]
    for name in options:
        if name not in allowed:
            hint = f" Allowed values: {', '.join(allowed) or 'none'}.{did_you_mean(name, allowed)}"
            raise OptionError(f"Unknown option of format {chosen.name}: {name!r}.{hint}")
    content = write(open_tree(model)[0], chosen.name, out, **options)
    if out is not None:
        remark(f"written to {out}", quiet)
    elif isinstance(content, bytes):
        sys.stdout.buffer.write(content)
    elif isinstance(content, str):
        print(content.rstrip("\n"))
    else:
        raise OptionError(f"Format {chosen.name} is supported only in Python. Use tree.export.")
