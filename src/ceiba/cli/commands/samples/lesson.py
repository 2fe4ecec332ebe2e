"""``ceiba lesson``: list the lessons, or write one as a notebook."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ceiba.cli.options.shared_options import AsJson
from ceiba.errors import OutputError


def lesson(
    number: Annotated[
        int | None, typer.Argument(help="Lesson to write, 1 to 8.", metavar="[NUMBER]")
    ] = None,
    lang: Annotated[str, typer.Option(help="Language of the lesson.", metavar="NAME")] = "en",
    data: Annotated[
        Path | None,
        typer.Option(
            help="Directory with the external tables (Seattle, water, Hitters). "
            "[default: synthetic data]",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Notebook to write. [default: lesson_NUMBER_LANG.ipynb]",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the nine lessons, or write one as a Jupyter notebook.

    Example: ceiba lesson 3 --lang es
    """
    from ceiba import lessons
    from ceiba.cli.terminal.output import answer, check_out_path
    from ceiba.lessons import NUMBERS
    from ceiba.tree.model_file import atomic_write

    if number is None:
        titles = {n: lessons.lesson(n).title(lang) for n in NUMBERS}
        listed = [{"lesson": n, "title": title} for n, title in titles.items()]
        answer("\n".join(f"{n}  {title}" for n, title in titles.items()), listed, as_json)
        return
    chosen = lessons.lesson(number)
    path = out if out is not None else Path(f"lesson_{number}_{lang}.ipynb")
    check_out_path(path)
    if path.exists():
        raise OutputError(f"{path} exists; pass another path with --out.")
    notebook = lessons.notebook(lessons.run(chosen, data), lang)
    with atomic_write(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n")
    answer(str(path), {"notebook": str(path)}, as_json)
