"""Scripts and styles put together from asset files; and the hash by which a policy allows them.

The files are plain scripts that share one scope, in a listed order. The report's page inlines them;
the studio puts the same files, and its own, into the page that it serves.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from importlib.resources import files


def script_of(*parts: tuple[str, Iterable[str]]) -> str:
    """Give files of packages, as (package, names under its `assets`), as one strict script."""
    return f'(() => {{\n"use strict";\n{_joined(parts)}\n}})();'


def style_of(*parts: tuple[str, Iterable[str]]) -> str:
    """Give files of packages as one style sheet."""
    return _joined(parts)


def source_hash(text: str) -> str:
    """Give the hash of an inlined script or style, as a content security policy quotes it.

    Examples
    --------
    >>> from ceiba.report.bundle import source_hash
    >>> source_hash("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _joined(parts: tuple[tuple[str, Iterable[str]], ...]) -> str:
    return "\n".join(
        _bare(files(package).joinpath("assets", name).read_text("utf-8"))
        for package, names in parts
        for name in names
    )


def _bare(text: str) -> str:
    """Leave out types, lines that hold a comment alone, and indentation: a seventh of the page.

    No string of the assets goes over several lines or holds the beginning of a comment (a test
    looks), so lines can be taken alone.
    """
    kept = re.sub(r"^\s*/\*(?:(?!\*/).)*\*/\s*$", "", text, flags=re.MULTILINE | re.DOTALL)
    kept = re.sub(r"/\*\* .*?\*/ ?", "", kept)
    lines = (line.strip() for line in kept.split("\n"))
    return "\n".join(line for line in lines if line and not line.startswith("//"))
