"""The page: the payload and the files of `assets/` in one HTML text that needs no network.

Scripts and styles are inlined and allowed by their hashes alone (a meta CSP with
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

STYLES: Final = tuple(
    f"report/assets/style/{name}.css" for name in ("base", "views", "trust", "print")
)
ENTRY: Final = "report/assets/app/report.js"
ENTRY_WITH_TRUST: Final = "report/assets/app/report_trust.js"
PACK_ABOVE: Final = 256 * 1024
_ESCAPES: Final = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def page(payload: dict[str, Any]) -> str:
    """Return the HTML page of a payload.

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
    """Return style and script; those of the Trust tab only for a page that has it."""
    if with_trust:
        return style_of(STYLES), script_of(ENTRY_WITH_TRUST, ("page", "trust"))
    return style_of(STYLES), script_of(ENTRY, ("page",))


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; script-src {source_hash(script)}; style-src {source_hash(style)}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _packed(data: str) -> str:
    return base64.b64encode(zlib.compress(data.encode(), 6)).decode("ascii")
