"""Commands for bundled data sets and lessons: datasets, demo and lesson."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from ceiba.cli.models import write_example_report
from ceiba.cli.options.shared_options import AsJson, OptInt, OptPath, OptStr, Out
from ceiba.cli.terminal.output import answer, check_out_path, remark, render, tree_style
from ceiba.errors import OutputError
from ceiba.words import words


def datasets(
    name: Annotated[OptStr, Argument(help="Name of a data set to write.", metavar="[NAME]")] = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """List the bundled data sets with their licenses, or write a data set as CSV.

    Example: ceiba datasets titanic -o titanic.csv
    """
    from ceiba.datasets import describe_tables, get_path, load
    from ceiba.tree.model_file import atomic_write

    check_out_path(out)
    if name is None:
        data: list[dict[str, Any]] = []
        for table in map(load, describe_tables()):
            target = table.target if isinstance(table.target, str) else " and ".join(table.target)
            facts = {"name": table.name, "rows": len(table.y), "columns": list(table.X)}
            about = {"target": target, "source": table.source, "licence": table.licence}
            data.append({**facts, **about})
        lines = [
            f"{row['name']:<15}{row['rows']:>5} rows, {len(row['columns']):>2} columns, "
            f"target {row['target']}; {row['licence']}"
            for row in data
        ]
        answer("\n".join(lines), data, as_json)
        return
    path = get_path(name)
    if as_json:
        answer("", load(name).data, True)
        return
    text = path.read_text("utf-8")
    if out is None:
        print(text, end="")
        return
    with atomic_write(out, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    remark(f"written to {out}")


def demo(
    out: Annotated[Path, Option(help="Directory for the report.")] = Path("out"),
    no_browser: Annotated[
        bool, Option("--no-browser", help="Do not open the report in a browser.")
    ] = False,
    lang: str = "en",
) -> None:
    """Learn a tree from the Titanic data set and open its interactive report.

    Example: ceiba demo --lang es
    """
    say = words(lang)
    remark(say("demo.start"))
    out.mkdir(parents=True, exist_ok=True)
    path = out / "titanic.html"
    model, page, (X, y) = write_example_report("titanic", path, lang)
    result = model.evaluate(X, y)
    sizes = model.pruning_table_["n_leaves"]
    print(model.tree_.to_text(**tree_style()))
    print()
    figures = {
        "size": {"leaves": model.get_n_leaves(), "largest": int(max(sizes)), "sizes": len(sizes)},
        "held_out": {"n": len(y), "accuracy": f"{result.accuracy:.3f}",
                     "baseline": f"{1 - result.baseline_error:.3f}"},
        "report": {"path": path},
    }  # fmt: skip
    for key, values in figures.items():
        print(render(say(f"demo.{key}", **values)))
    if not no_browser and _has_desktop():
        page.show()
    print(render(say("demo.next")))


def _has_desktop() -> bool:
    """Whether standard output is a terminal on a machine with a desktop."""
    displays = ("DISPLAY", "WAYLAND_DISPLAY")
    has_screen = sys.platform in ("darwin", "win32") or any(map(os.environ.get, displays))
    return sys.stdout.isatty() and has_screen


def lesson(
    number: Annotated[OptInt, Argument(help="Lesson number (1 to 9).", metavar="[NUMBER]")] = None,
    lang: str = "en",
    data: Annotated[
        OptPath,
        Option(
            help="Directory with the tables that are not bundled (Seattle, water, Hitters). "
            "[default: synthetic tables]",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        OptPath,
        Option(
            "--out",
            "-o",
            help="Notebook file to write. [default: lesson_NUMBER_LANG.ipynb]",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the nine lessons, or write one as a Jupyter notebook.

    Example: ceiba lesson 3 --lang es
    """
    from ceiba import lessons
    from ceiba.lessons import NUMBERS
    from ceiba.tree.model_file import atomic_write

    if number is None:
        titles = {n: lessons.lesson(n).title(lang) for n in NUMBERS}
        entries = [{"lesson": n, "title": title} for n, title in titles.items()]
        answer("\n".join(f"{n}  {title}" for n, title in titles.items()), entries, as_json)
        return
    chosen = lessons.lesson(number)
    path = out if out is not None else Path(f"lesson_{number}_{lang}.ipynb")
    check_out_path(path)
    if path.exists():
        raise OutputError(f"File already exists: {path}. Pass another path with --out.")
    notebook = lessons.notebook(lessons.run(chosen, data), lang)
    with atomic_write(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n")
    answer(str(path), {"notebook": str(path)}, as_json)
