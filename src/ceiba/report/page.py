"""Render the HTML page of a report from a payload and the files of `assets/`.

Scripts and styles are inlined and allowed by hash only (a meta CSP with `default-src 'none'`). The
payload is JSON in a script element that is not executed; `<`, `>`, `&` and the two line separators
are escaped, so that no column name can close it. Large payloads are compressed (deflate, base64);
browsers decompress them with DecompressionStream, also from file://.

Scripts are modules of a small grammar: `import { a, b } from "./file.js";` at the top, one line
each; `export` before a function, a const or a class; unique names at the top level. A bundle is an
entry file after all its imports, in one scope, without the words `import` and `export`.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from posixpath import dirname, join, normpath
from typing import Any, Final

from ceiba.words import LANGUAGES, words

STYLES: Final = tuple(
    f"report/assets/style/{name}.css" for name in ("base", "views", "trust", "print")
)
ENTRY: Final = "report/assets/app/report.js"
ENTRY_WITH_TRUST: Final = "report/assets/app/report_trust.js"
COMPRESS_ABOVE: Final = 256 * 1024
_IMPORT: Final = re.compile(r'^import \{ .+ \} from "(.+)";\n', re.MULTILINE)
#: The JavaScript module that contains WORDS, the table of texts that `_fill_table` fills.
_WORDS_MODULE: Final = "report/assets/core/i18n.js"
#: Path from a script outside the package (docs/playground) to the modules of the package.
_FROM_OUTSIDE: Final = "../../src/ceiba/"
_ESCAPES: Final = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def render_page(payload: dict[str, Any]) -> str:
    """Render the payload of a report as an HTML page."""
    style, script = _load_assets(payload["trust"] is not None or payload["survival"] is not None)
    data = json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # A name may contain lone surrogates, which UTF-8 cannot encode.
    data = data.encode("utf-8", "replace").decode("utf-8")
    compressed = len(data) > COMPRESS_ABOVE
    if compressed:
        data = base64.b64encode(zlib.compress(data.encode(), 6)).decode("ascii")
    else:
        data = data.translate(_ESCAPES)
    frame = files("ceiba.report").joinpath("assets", "page.html").read_text("utf-8")
    parts = {
        "csp": f"default-src 'none'; script-src {csp_hash(script)}; "
        f"style-src {csp_hash(style)}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'",
        "lang": payload["lang"],
        "title": html.escape(str(payload["title"]).encode("utf-8", "replace").decode()),
        "style": style,
        "encoding": "deflate" if compressed else "json",
        "data": data,
        "script": script,
    }
    # Split the page at its "@@" marks, because replacing them could also change the data.
    pieces = frame.split("@@")
    return "".join(parts[piece] if k % 2 else piece for k, piece in enumerate(pieces))


@cache
def _load_assets(with_trust: bool = True) -> tuple[str, str]:
    """Return the style sheet and script; `with_trust` adds the Trust tab and survival curves."""
    if with_trust:
        return bundle_styles(STYLES), bundle_scripts(ENTRY_WITH_TRUST, ("page", "trust"))
    return bundle_styles(STYLES), bundle_scripts(ENTRY, ("page",))


def bundle_scripts(entry: str, sections: tuple[str, ...] = ()) -> str:
    """Bundle an entry module (a path in the package) and all its imports into one script.

    `sections` of the message catalogues fill the word table; later ones override earlier ones.
    """
    parts = [_strip_spaces(_strip_source(_read(path))) for path in list_modules(entry)]
    if sections:
        parts.insert(list_modules(entry).index(_WORDS_MODULE) + 1, _fill_table(sections))
    script = "\n".join(parts)
    return f'(() => {{\n"use strict";\n{script}\n}})();'


def _fill_table(sections: Iterable[str]) -> str:
    """Return a JavaScript statement that fills WORDS with the texts of all languages."""
    table: dict[str, list[str]] = {}
    for section in sections:
        by_language = [words(lang).section(section) for lang in LANGUAGES]
        for key in by_language[0]:
            forms = [texts[key] for texts in by_language]
            if isinstance(forms[0], dict):
                table[f"{key}_one"] = [form["one"] for form in forms]
                forms = [form["other"] for form in forms]
            table[key] = forms
    content = json.dumps(table, ensure_ascii=False, separators=(",", ":"))
    return f"Object.assign(WORDS, {content});"


@cache
def list_modules(entry: str) -> tuple[str, ...]:
    """Return the paths of an entry module and all its imports, in import order."""
    paths: dict[str, None] = {}
    for name in _IMPORT.findall(_read(entry)):
        path = normpath(join(dirname(entry), name)).removeprefix(_FROM_OUTSIDE)
        paths.update(dict.fromkeys(list_modules(path)))
    return (*paths, entry)


def bundle_styles(paths: Iterable[str]) -> str:
    """Bundle files of the package into one style sheet."""
    return "\n".join(_strip_source(_read(path)) for path in paths)


def csp_hash(text: str) -> str:
    """Return the content security policy hash of an inline script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _read(path: str) -> str:
    return files("ceiba").joinpath(path).read_text("utf-8")


def _strip_source(text: str) -> str:
    """Remove imports, `export`, type comments, comment lines and indents from JavaScript or CSS."""
    # A test ensures that no string spans several lines or contains the start of a comment.
    code = re.sub(r"^\s*/\*(?:(?!\*/).)*\*/\s*$", "", text, flags=re.MULTILINE | re.DOTALL)
    code = re.sub(r"/\*\* .*?\*/ ?", "", _IMPORT.sub("", code))
    lines = (line.strip() for line in code.split("\n"))
    bare = "\n".join(line for line in lines if line and not line.startswith("//"))
    return re.sub(r"^export ", "", bare, flags=re.MULTILINE)


_LITERAL: Final = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)""")
_SPACED: Final = re.compile(r" ?(=>|===|!==|&&|\|\||[=?:,;{}]) ?")


def _strip_spaces(script: str) -> str:
    """Remove spaces around operators; skip strings, and lines with regular expressions."""
    lines = []
    for line in script.split("\n"):
        if line.count("`") <= 2 and not re.search(r"[(=,:?&|] ?/[^/*]|return /", line):
            parts = _LITERAL.split(line)
            parts[::2] = [_SPACED.sub(r"\1", code) for code in parts[::2]]
            line = "".join(parts)
        lines.append(line)
    return "\n".join(lines)
