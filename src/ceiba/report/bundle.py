"""Scripts and styles put together from asset files; and the hash by which a policy allows them.

Scripts are modules of a small grammar: `import { a, b } from "./file.js";` at the top, one line
each; `export` before a function, a const or a class; names that no other file has at its top level.
A bundle is an entry file after all that it imports, in one scope, without those words.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from posixpath import dirname, join, normpath
from typing import Final

from ceiba.words import LANGUAGES, words

_IMPORT: Final = re.compile(r'^import \{ .+ \} from "(.+)";\n', re.MULTILINE)
#: The file with the table of words; what fills the table follows it.
_TABLE: Final = "report/assets/core/i18n.js"


def script_of(entry: str, sections: tuple[str, ...] = ()) -> str:
    """Return an entry file and all that it imports, by its path in the package, as one script.

    `sections` of the catalogues fill its table of words; a later one replaces words of an earlier.
    """
    parts = [_bare(_read(path)) for path in modules_of(entry)]
    if sections:
        parts.insert(modules_of(entry).index(_TABLE) + 1, _fill_table(sections))
    script = "\n".join(parts)
    return f'(() => {{\n"use strict";\n{script}\n}})();'


def _fill_table(sections: Iterable[str]) -> str:
    """Return the statement that fills the table of words: each key with a text per language."""
    table: dict[str, list[str]] = {}
    for section in sections:
        by_language = [words(lang).section(section) for lang in LANGUAGES]
        for key in by_language[0]:
            forms = [one[key] for one in by_language]
            if isinstance(forms[0], dict):
                table[f"{key}_one"] = [form["one"] for form in forms]
                forms = [form["other"] for form in forms]
            table[key] = forms
    shown = json.dumps(table, ensure_ascii=False, separators=(",", ":"))
    return f"Object.assign(WORDS, {shown});"


@cache
def modules_of(entry: str) -> tuple[str, ...]:
    """Return the paths of an entry and of what it imports, each after those that it imports."""
    found: dict[str, None] = {}
    for name in _IMPORT.findall(_read(entry)):
        found.update(dict.fromkeys(modules_of(normpath(join(dirname(entry), name)))))
    return (*found, entry)


def style_of(paths: Iterable[str]) -> str:
    """Return files of the package as one style sheet."""
    return "\n".join(_bare(_read(path)) for path in paths)


def source_hash(text: str) -> str:
    """Return the hash of an inlined script or style, as a content security policy quotes it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _read(path: str) -> str:
    return files("ceiba").joinpath(path).read_text("utf-8")


def _bare(text: str) -> str:
    """Leave out imports, types, lines of comments alone, and indentation: a seventh of the page.

    No string of the assets goes over several lines or holds the beginning of a comment (a test
    looks), so lines can be taken alone.
    """
    kept = re.sub(r"^\s*/\*(?:(?!\*/).)*\*/\s*$", "", text, flags=re.MULTILINE | re.DOTALL)
    kept = re.sub(r"/\*\* .*?\*/ ?", "", _IMPORT.sub("", kept))
    lines = (line.strip() for line in kept.split("\n"))
    bare = "\n".join(line for line in lines if line and not line.startswith("//"))
    return re.sub(r"^export ", "", bare, flags=re.MULTILINE)
