"""Render sentences and tables as an HTML page without scripts or external links."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from ceiba.listing import Listing
from ceiba.report import Report

_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
div.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { display: none; }
th, td { padding: 0.25rem 0.75rem; border-bottom: 1px solid #8884; vertical-align: top; }
"""


def page_of(
    title: str, sentences: Sequence[str], sections: Sequence[tuple[str, Listing | str]]
) -> Report:
    """Return an HTML page with a title, sentences and sections."""
    parts = [f"<p>{escape(sentence)}</p>" for sentence in sentences]
    for heading, body in sections:
        if isinstance(body, Listing):
            html = body._repr_html_()
        else:
            tag = "pre" if "\n" in body else "p"
            html = f"<{tag}>{escape(body)}</{tag}>"
        parts.append(f"<h2>{escape(heading)}</h2>\n<div class='wide'>{html}</div>")
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return Report(
        "<!doctype html>\n<html lang='en'>\n<meta charset='utf-8'>\n"
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n<main>\n<h1>{escape(title)}</h1>\n"
        + "\n".join(parts)
        + "\n</main>\n</html>\n"
    )
