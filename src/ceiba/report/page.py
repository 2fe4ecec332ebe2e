"""The page: the payload and the files of `assets/` in one HTML text that needs no network.

Scripts and styles are inlined in a listed order and allowed by their hashes alone (a meta CSP with
`default-src 'none'`). Data stand as JSON in a script element that is not executed; `<`, `>`, `&`
and the two line separators are escaped, so no name of a column can end it. Large payloads are
packed (deflate, base64); browsers unpack them with DecompressionStream, also from file://.
"""

from __future__ import annotations

import base64
import html
import json
import zlib
from functools import cache
from importlib.resources import files
from typing import Any, Final

from ceiba.report.bundle import script_of, source_hash, style_of

_FILES: Final = {  # in the order in which they are put together
    "style": ("base.css", "views.css", "trust.css", "print.css"),
    "core": (
        *("i18n.js", "words.js", "model.js", "metrics.js", "conditions.js", "sure.js"),
        "histograms.js",
    ),
    "case": ("route.js", "slice.js", "nearest.js", "shapley.js"),
    "page": ("dom.js", "state.js", "inspector.js"),
    "tree": (
        *("tidy.js", "colours.js", "pens.js", "labels.js", "search.js", "filter.js"),
        *("tree_view.js", "tree_draw.js", "edges.js", "hover.js", "tree_keys.js", "icicle.js"),
        "pane.js",
    ),
    "charts": ("charts.js", "histogram.js", "prune_chart.js"),
    "panels": (
        *("figures.js", "node_parts.js", "panel_node.js", "panel_prune.js", "leaf_table.js"),
        *("case_csv.js", "case_shares.js", "case_answer.js", "panel_case.js", "panel_space.js"),
        *("panel_model.js", "findings.js", "panel_data.js", "proof.js"),
    ),
    "trust": ("trust_words.js", "panel_trust.js", "stability.js", "groups.js", "drift.js"),
    "app": ("print.js", "ahead.js", "app.js"),
}
_PATHS: Final = tuple(f"{folder}/{name}" for folder, names in _FILES.items() for name in names)
STYLES: Final = tuple(path for path in _PATHS if path.endswith(".css"))
SCRIPTS: Final = tuple(path for path in _PATHS if path.endswith(".js"))
PACK_ABOVE: Final = 256 * 1024
_ESCAPES: Final = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def page(payload: dict[str, Any]) -> str:
    """Give the HTML page of a payload.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.report import page, payload
    >>> html = page(payload(ceiba.tree.build(("x <= 2.5", "</script>", "b"))))
    >>> "default-src 'none'" in html, html.count("</script>")
    (True, 2)
    """
    style, script = _assets(payload["trust"] is not None)
    data = json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # A name may hold half of a surrogate pair, which no file in UTF-8 can.
    data = data.encode("utf-8", "replace").decode("utf-8")
    packed = len(data) > PACK_ABOVE
    frame = files("ceiba.report").joinpath("assets", "page.html").read_text("utf-8")
    parts = {
        "csp": _policy(style, script),
        "lang": payload["lang"],
        "title": html.escape(str(payload["title"]).encode("utf-8", "replace").decode()),
        "style": style,
        "encoding": "deflate" if packed else "json",
        "data": _packed(data) if packed else data.translate(_ESCAPES),
        "script": script,
    }
    # Split at the marks, not replaced one after another: data may hold a mark.
    pieces = frame.split("@@")
    return "".join(parts[piece] if k % 2 else piece for k, piece in enumerate(pieces))


@cache
def _assets(with_trust: bool = True) -> tuple[str, str]:
    """Give style and script; those of the Trust tab only for a page that has it."""
    scripts = [name for name in SCRIPTS if with_trust or not name.startswith("trust/")]
    return style_of(("ceiba.report", STYLES)), script_of(("ceiba.report", scripts))


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; script-src {source_hash(script)}; style-src {source_hash(style)}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _packed(data: str) -> str:
    return base64.b64encode(zlib.compress(data.encode(), 6)).decode("ascii")
