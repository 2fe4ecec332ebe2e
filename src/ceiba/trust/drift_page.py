"""A page that shows training rows and new rows in the same tree, side by side; one HTML file."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from ceiba.listing import Listing
from ceiba.tree.model_file.atomic import atomic

if TYPE_CHECKING:
    from ceiba.trust.drift import Drift

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem;
  color: #1b1f24; background: #fff }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100% } th { text-align: left; font-weight: 600 }
td, th { padding: .2rem .6rem .2rem 0; border-bottom: 1px solid #d8dde3; vertical-align: middle }
td.n { text-align: right; font-variant-numeric: tabular-nums }
.bar { display: inline-block; height: .7em; min-width: 1px; border-radius: 2px }
.then { background: #8b98a8 } .now { background: #0b6bcb } .moved .now { background: #c2410c }
.pair { min-width: 14rem } .pair div { line-height: 1; margin: .15rem 0; white-space: nowrap }
.pair small { color: #57606a } .verdict { font-size: 1.1rem } .key .bar { width: 1.5em }
@media (prefers-color-scheme: dark) { body { color: #e6edf3; background: #14181d }
  td, th { border-color: #30363d } .pair small { color: #9aa4af } .now { background: #4aa3ff }
  .moved .now { background: #ff8a4c } }
"""


def drift_page(drift: Drift, path: Any = None) -> str:
    """Give the page of a comparison, and write it if a path is given."""
    title = f"Drift: {drift.n_now:,} new rows against {drift.n_then:,} training rows"
    page = "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{title}</title><style>{_STYLE}</style></head><body>",
            f"<h1>{title}</h1>",
            f'<p class="verdict">{escape(_verdict(drift))}</p>',
            '<p class="key"><span class="bar then"></span> training rows '
            '<span class="bar now"></span> new rows</p>',
            "<h2>Traffic through the tree</h2>",
            _tree_table(drift),
            "<h2>Leaves</h2>",
            _table(drift.leaves),
            "<h2>Missing and unseen values</h2>",
            _table(drift.columns),
            "</body></html>",
        ]
    )
    if path is not None:
        with atomic(path, "w", encoding="utf-8") as file:
            file.write(page)
    return page


def _verdict(drift: Drift) -> str:
    psi = f"PSI {drift.psi:.3g} (by chance about {drift.psi_by_chance:.2g})."
    if drift.start is None:
        return f"{psi} No node's traffic has changed (corrected p {drift.p_value:.2g})."
    return f"{psi} The change starts at node {drift.start} (corrected p {drift.p_value:.2g})."


def _tree_table(drift: Drift) -> str:
    tree = drift.tree
    lines = [
        "<table><tr><th>branch</th><th>share of its node, then and now</th><th>rows then</th>"
        "<th>rows now</th><th>PSI</th><th>p</th></tr>"
    ]
    rows = sorted(drift.branches, key=lambda row: int(row["branch"]))  # pre-order
    for row in rows:
        moved = ' class="moved"' if row["p"] < 0.05 else ""
        indent = 1.4 * (int(tree.node_depth[row["branch"]]) - 1)
        lines.append(
            f"<tr{moved}><td style='padding-left:{indent:.1f}rem'>{escape(row['condition'])}"
            f"</td><td class='pair'>{_pair(row['share then'], row['share now'])}</td>"
            f"<td class='n'>{row['then']:,}</td><td class='n'>{row['now']:,}</td>"
            f"<td class='n'>{row['PSI']:.3g}</td><td class='n'>{_p(row['p'])}</td></tr>"
        )
    return "\n".join([*lines, "</table>"])


def _pair(then: float, now: float) -> str:
    def bar(kind: str, share: float) -> str:
        if np.isnan(share):
            return (
                f"<div><span class='bar {kind}' style='width:0'></span> <small>none</small></div>"
            )
        width = f"width:{8 * share:.3f}rem"
        return (
            f"<div><span class='bar {kind}' style='{width}'></span> "
            f"<small>{share:.1%}</small></div>"
        )

    return bar("then", then) + bar("now", now)


def _p(p: float) -> str:
    return "" if np.isnan(p) else f"{p:.2g}"


def _table(listing: Listing) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in listing.columns)
    lines = [f"<table><tr>{head}</tr>"]
    for row in listing:
        cells = []
        for name, value in row.items():
            if isinstance(value, float):
                share = name.startswith(("share", "missing", "unseen", "rate"))
                text = (
                    ""
                    if np.isnan(value)
                    else f"{value:.1%}"
                    if share and name[-1] != "p"
                    else f"{value:.3g}"
                )
                cells.append(f"<td class='n'>{text}</td>")
            elif isinstance(value, int):
                cells.append(f"<td class='n'>{value:,}</td>")
            else:
                cells.append(f"<td>{escape(str(value))}</td>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join([*lines, "</table>", f"<p><small>{escape(listing.legend)}</small></p>"])
