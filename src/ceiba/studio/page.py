"""Render the studio page as one HTML document with inline scripts, styles and CSP hashes.

The drawing code is the report's: the studio's scripts import it from there. The server calls
`render_page` for `GET /` and sends `policy` in the Content-Security-Policy header.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from ceiba.report import bundle_scripts, bundle_styles, csp_hash

STYLES: Final = (
    *("report/assets/style/base.css", "report/assets/style/views.css"),
    *("studio/assets/style/studio.css", "studio/assets/style/table.css"),
)
ENTRY: Final = "studio/assets/app/studio_app.js"


@dataclass(frozen=True)
class StudioPage:
    """The HTML of the page and its content security policy."""

    html: str
    policy: str


@cache
def render_page(lang: str) -> StudioPage:
    """Render the studio page in a language."""
    style, script = bundle_styles(STYLES), bundle_scripts(ENTRY, ("page", "studio"))
    frame = files("ceiba.studio").joinpath("assets", "page.html").read_text("utf-8")
    parts = {"lang": lang, "style": style, "script": script}
    html = "".join(parts[p] if k % 2 else p for k, p in enumerate(frame.split("@@")))
    policy = f"script-src {csp_hash(script)}; style-src {csp_hash(style)}"
    return StudioPage(html, policy)
