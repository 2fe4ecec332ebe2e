"""Ratios of a page's tables as a chart with a logarithmic axis: ``{ratio-chart} fit, CPU time``.

Reads the rows "workload | what | ours | theirs | figure" of the page; the most recent measurement
of each figure counts.
"""

from __future__ import annotations

import math
import re
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

COLOURS = {
    "scikit-learn": "#4477aa",
    "LightGBM": "#228833",
    "XGBoost hist": "#ccbb44",
    "XGBoost exact": "#aa7733",
    "YDF": "#aa3377",
    "onnxruntime": "#ee6677",
}
FASTER = re.compile(r"(?:>= )?([\d,.]+)x (faster|slower)")
LEFT, WIDTH, LINE = 330, 760, 20


def ratios(text: str, what: str) -> dict[str, dict[str, float]]:
    """Return theirs / ours by workload and library."""
    found: dict[str, dict[str, float]] = {}
    workload = ""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
        if not line.startswith("| ") or len(cells) < 4:
            continue
        if line.startswith("|  |"):
            cells = ["", *cells] if cells[0] else cells
        workload = cells[0] or workload
        match = next((m for cell in cells if (m := FASTER.fullmatch(cell))), None)
        # a time follows the name: "LightGBM quantised" is not LightGBM
        library = next(
            (n for n in COLOURS if any(re.match(rf"{n} (>= )?\d", c) for c in cells)), None
        )
        if match and library and cells[1] == what:
            number = float(match[1].replace(",", ""))
            found.setdefault(workload, {})[library] = number if match[2] == "faster" else 1 / number
    return found


def chart(rows: dict[str, dict[str, float]], title: str) -> str:
    """Draw the ratios: one line per workload, one mark per library."""
    every = [ratio for row in rows.values() for ratio in row.values()]
    low = min(0.5, *every)
    high = max(every) * 1.3
    span = math.log(high / low)

    def x(ratio: float) -> float:
        return LEFT + (WIDTH - LEFT - 10) * math.log(ratio / low) / span

    height = LINE * len(rows) + 50
    parts = [
        f'<div class="ratio-chart"><svg viewBox="0 0 {WIDTH} {height}" role="img" '
        f'fill="currentColor" font-size="12"><title>{escape(title)}</title>'
    ]
    for tick in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000):
        if low <= tick <= high:
            strong = "0.8" if tick == 1 else "0.2"
            parts.append(
                f'<path d="M{x(tick):.1f} 4V{height - 44}" stroke="currentColor" '
                f'opacity="{strong}"/><text x="{x(tick):.1f}" y="{height - 30}" '
                f'text-anchor="middle">{tick:g}x</text>'
            )
    for k, (workload, row) in enumerate(rows.items()):
        y = LINE * k + 14
        name = workload if len(workload) < 52 else workload[:50] + "…"
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{escape(name)}</text>')
        for library, ratio in row.items():
            parts.append(
                f'<circle cx="{x(ratio):.1f}" cy="{y}" r="5" fill="{COLOURS[library]}">'
                f"<title>{escape(library)}: {ratio:.3g}x</title></circle>"
            )
    used = [name for name in COLOURS if any(name in row for row in rows.values())]
    for k, name in enumerate(used):
        at = 12 + 125 * k
        parts.append(
            f'<circle cx="{at}" cy="{height - 8}" r="5" fill="{COLOURS[name]}"/>'
            f'<text x="{at + 9}" y="{height - 4}">{name}</text>'
        )
    return "".join([*parts, "</svg></div>"])


class RatioChart(SphinxDirective):
    """The chart of one kind of row."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Read the page and draw."""
        what = self.arguments[0]
        text = Path(self.env.doc2path(self.env.docname)).read_text("utf-8")
        rows = ratios(text, what)
        if not rows:
            raise self.error(f"no row of this page is about {what!r}")
        return [
            nodes.raw("", chart(rows, f"How many times faster ceiba is: {what}"), format="html")
        ]


def setup(app: Any) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("ratio-chart", RatioChart)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
