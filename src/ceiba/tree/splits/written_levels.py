"""Levels read as they are printed: "Oslo", "'Rome, Italy', Oslo"; see `written.py`.

A level in quotes is read with its escapes. Without quotes a known level may hold commas, too, but
what is printed comes first: "a, b" are two levels if there are such.
"""

from __future__ import annotations

import ast
import re
from typing import Any, Final, NoReturn

from ceiba.errors import TreeError, did_you_mean
from ceiba.table import ColumnInfo, Kind
from ceiba.tree.splits.sentences import quoted_level

#: A level in quotes.
QUOTED: Final = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")
_COMMA: Final = re.compile(r"\s*(,\s*|$)")


def read_level(text: str, info: ColumnInfo | None, written: str) -> Any:
    """Read one level; `written` is the whole sentence, for the error."""
    inside = _unquoted(text)
    if info is None or not info.levels:
        return text if inside is None else inside
    known = _printed(info)
    if text in known:
        return known[text]
    bare = {str(level): level for level in reversed(info.levels)}
    for candidate in (inside, text):
        if candidate in bare:
            return bare[candidate]
    kind = "ordered" if info.kind == Kind.ORDERED else "categorical"
    raise TreeError(
        f"{written!r}: {text!r} is not a level of the {kind} column {info.name!r}. Levels: "
        f"{some_levels(info)}.{did_you_mean(text, list(bare))}"
    )


def read_levels(inside: str, info: ColumnInfo | None, written: str) -> tuple[Any, ...]:
    """Read what stands between braces."""
    known = [] if info is None else sorted(map(str, info.levels), key=len, reverse=True)
    printed = [] if info is None else sorted(_printed(info), key=len, reverse=True)
    texts, rest = _entries(inside, [*printed, *known])
    if rest:
        texts, rest = _entries(inside, [*known, *printed])
    if rest:
        assert info is not None  # only known levels may be missed
        _refuse(rest, info, written)
    if not texts:
        raise TreeError(f"{written!r}: the list of levels is empty.")
    return tuple(read_level(text, info, written) for text in texts)


def some_levels(info: ColumnInfo) -> str:
    """Return the first levels of a column, for an error."""
    shown = ", ".join(quoted_level(level) for level in info.levels[:12])
    return shown if len(info.levels) <= 12 else f"{shown}, ..."


def _entries(inside: str, known: list[str]) -> tuple[list[str], str]:
    """Return the texts of the levels, and what is left where none of the known ones begins."""
    texts: list[str] = []
    at = 0
    while at < len(inside):
        quoted = QUOTED.match(inside, at)
        candidates = [quoted[0]] if quoted else []
        candidates += known or [inside[at:].split(",")[0].strip()]
        for text in candidates:
            comma = _COMMA.match(inside, at + len(text))
            if comma and inside.startswith(text, at):
                break
        else:
            return texts, inside[at:]
        texts += [text] if text else []
        at = comma.end()
    return texts, ""


def _refuse(rest: str, info: ColumnInfo, written: str) -> NoReturn:
    if re.match(r"\+\d+ more", rest):
        raise TreeError(f"{written!r}: write all levels instead of '{rest}'.")
    read_level(rest.split(",")[0].strip(), info, written)
    raise TreeError(f"{written!r}: {rest!r} is not a list of levels: {some_levels(info)}.")


def _printed(info: ColumnInfo) -> dict[str, Any]:
    return {quoted_level(level): level for level in reversed(info.levels)}


def _unquoted(text: str) -> str | None:
    """Return what stands in quotes; None for other texts."""
    try:
        value = ast.literal_eval(text) if QUOTED.fullmatch(text) else None
    except (SyntaxError, ValueError):  # a wrong escape
        return None
    return value if isinstance(value, str) else None
