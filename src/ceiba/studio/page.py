"""The page of the studio: one HTML text with its scripts and styles inline, allowed by hash.

The drawing code is the report's: its files are read from there, in the report's order, and the
studio's own files follow. Left out are the tabs that the studio has not (a case, the data, trust)
and the report's way of putting its page together.
The server calls `page` for `GET /` and sends `policy` with the Content-Security-Policy header.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from ceiba.report.bundle import script_of, source_hash, style_of
from ceiba.report.page import SCRIPTS as REPORT_SCRIPTS
from ceiba.report.page import STYLES as REPORT_STYLES

_LEFT_OUT: Final = (
    *("app/", "trust/", "case/slice.js", "case/nearest.js", "case/shapley.js"),
    *("panels/panel_node.js", "panels/case_csv.js", "panels/case_shares.js"),
    *("panels/case_answer.js", "panels/panel_case.js", "panels/panel_space.js"),
    *("panels/panel_data.js", "panels/proof.js"),
    *("style/print.css", "style/trust.css"),
)
SHARED_SCRIPTS: Final = tuple(n for n in REPORT_SCRIPTS if not n.startswith(_LEFT_OUT))
SHARED_STYLES: Final = tuple(n for n in REPORT_STYLES if not n.startswith(_LEFT_OUT))
SCRIPTS: Final = (  # in the order in which they are put together
    *("words/studio_words.js", "words/bench_words.js"),
    *("talk/link.js", "talk/studio.js"),
    *("table/column_picture.js", "table/setup.js", "table/table_screen.js"),
    *("bench/scale.js", "bench/cut_editor.js", "bench/level_editor.js", "bench/draft.js"),
    *("bench/rivals.js", "lesson/lesson.js", "bench/panel_split.js", "bench/bar.js"),
    *("bench/trees.js", "bench/log.js", "bench/prune.js", "app/studio_app.js"),
)
STYLES: Final = ("style/studio.css", "style/table.css")


@dataclass(frozen=True)
class Page:
    """The HTML of the studio.

    Attributes
    ----------
    html : str
    policy : str
        Sources of scripts and styles; the server adds `connect-src`, `frame-ancestors` and the
        rest.
    """

    html: str
    policy: str


@cache
def page(lang: str, lesson: bool = False) -> Page:
    """Give the page in a language; the script reads the token from the address.

    Examples
    --------
    >>> from ceiba.studio.page import page
    >>> '<html lang="es"' in page("es").html, page("es").policy[:19]
    (True, "script-src 'sha256-")
    """
    style = style_of(("ceiba.report", SHARED_STYLES), ("ceiba.studio", STYLES))
    script = script_of(("ceiba.report", SHARED_SCRIPTS), ("ceiba.studio", SCRIPTS))
    frame = files("ceiba.studio").joinpath("assets", "page.html").read_text("utf-8")
    parts = {"lang": lang, "style": style, "script": script}
    html = "".join(parts[p] if k % 2 else p for k, p in enumerate(frame.split("@@")))
    policy = f"script-src {source_hash(script)}; style-src {source_hash(style)}"
    return Page(html, policy)
