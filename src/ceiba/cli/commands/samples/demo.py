"""``ceiba demo``: one real table, one tree of the right size, its report."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer


def demo(
    out: Annotated[Path, typer.Option(help="Directory of the report.")] = Path("out"),
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Do not open the report in a browser.")
    ] = False,
    lang: Annotated[str, typer.Option(help="Language of the report and of messages.")] = "en",
) -> None:
    """Learn a tree from the passengers of the Titanic and open its interactive report.

    Example: ceiba demo --lang es
    """
    from ceiba.cli.models import write_example_report
    from ceiba.cli.terminal.output import remark, render, tree_style
    from ceiba.words import words

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
    """Whether a person sits at a terminal of a desktop."""
    displays = ("DISPLAY", "WAYLAND_DISPLAY")
    has_screen = sys.platform in ("darwin", "win32") or any(map(os.environ.get, displays))
    return sys.stdout.isatty() and has_screen
