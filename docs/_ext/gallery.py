"""Cards of the gallery: the pictures of an example in both themes; a click shows its code.

``{example} restaurant`` runs ``examples/restaurant.py`` twice when the site is built, light and
dark, unless its pictures are newer than the script. Examples on tables that ceiba does not include
run on the synthetic tables of the lessons.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from ceiba.lessons import table
from ceiba.lessons.tables import TABLES

ROOT = Path(__file__).resolve().parents[2]
MADE = ROOT / "docs" / "_made" / "gallery"
RUN = """
import runpy, sys
import matplotlib as mpl, matplotlib.style
mpl.use("Agg")
script, folder, style = sys.argv[1:]
if style == "dark":
    mpl.style.use("dark_background")
    mpl.rcParams.update({"figure.facecolor": "#131416", "axes.facecolor": "#131416",
                         "savefig.facecolor": "#131416"})
sys.argv = [script, folder]
runpy.run_path(script, run_name="__main__")
"""


def stand_ins() -> Path:
    """Write the synthetic tables as CSV files, once."""
    folder = MADE / "tables"
    for name, file in TABLES.items():
        if not (folder / file).is_file():
            folder.mkdir(parents=True, exist_ok=True)
            columns = table(name).columns
            with (folder / file).open("w", newline="", encoding="utf-8") as out:
                writer = csv.writer(out)
                writer.writerow(columns)
                for row in zip(*columns.values(), strict=True):
                    writer.writerow("NA" if value is None else value for value in row)
    return folder


def draw(name: str, pictures: list[str]) -> None:
    """Run an example in both styles, unless its pictures exist and are newer."""
    script = ROOT / "examples" / f"{name}.py"
    for style in ("light", "dark"):
        folder = MADE / style
        files = [folder / f"{one}.png" for one in pictures]
        if all(f.is_file() and f.stat().st_mtime > script.stat().st_mtime for f in files):
            continue
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-c", RUN, str(script), str(folder), style]
        environment = {**os.environ, "CEIBA_DATA": str(stand_ins())}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"examples/{name}.py: {done.stderr.strip()[-500:]}")


class Example(SphinxDirective):
    """A card: title and text as content, pictures by name (``file: what it shows``)."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Draw the pictures and build the card."""
        name = self.arguments[0]
        title, *lines = list(self.content)
        shown = [line.split(": ", 1) for line in lines if line.count(": ") and line[0] != " "]
        draw(name, [file for file, _ in shown])
        self.env.note_dependency(str(ROOT / "examples" / f"{name}.py"))
        up = "../" * self.env.docname.count("/")
        images = "".join(
            f'<img class="only-{style}-picture" loading="lazy" alt="{escape(alt)}" '
            f'src="{up}_static/gallery/{style}/{file}.png">'
            for file, alt in shown
            for style in ("light", "dark")
        )
        code = (ROOT / "examples" / f"{name}.py").read_text("utf-8")
        summary = f"<details><summary>examples/{name}.py</summary>"
        head = f'<div class="example-card"><p class="card-title">{escape(title)}</p>{images}'
        return [
            nodes.raw("", head + summary, format="html"),
            nodes.literal_block(code, code, language="python"),
            nodes.raw("", "</details></div>", format="html"),
        ]


def setup(app: Any) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("example", Example)
    # One process reads: with several, Sphinx's viewcode links to names that pages do not have.
    return {"parallel_read_safe": False, "parallel_write_safe": True}
