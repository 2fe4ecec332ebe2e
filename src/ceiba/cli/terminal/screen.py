"""Text that fits the terminal: prose wrapped at words, tables that wrap or break their columns.

A pipe gets the text as it is, without colour. A table is recognised by the blanks between its
columns, so whatever prints one need not know how wide the terminal is.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from typing import IO, Any, Final

from ceiba.cli.languages.translation import is_english, translated, translated_table
from ceiba.visible import visible

#: Significant digits of figures in tables.
DIGITS: Final = 4
_NARROWEST: Final = 14  # a column of texts is not made narrower
_GAP: Final = "  "
_HEAD: Final = re.compile("(\x1b\\[[0-9;]*m)([^\x1b]*)\x1b\\[0m")
_ENDLESS: Final = 10**6
_TREE: Final = re.compile(r"^[\s│|]*[├└`|][─-] |^(?:\[0\] )?root(?:  |$)")  # a line of a tree
_STEP: Final = re.compile(r"^\s*\S.*  \(.+\)$")  # of an explanation: what is asked, and the answer
_CODE: Final = re.compile("(\x1b\\[[0-9;]*m)")
_CODES: Final = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34"}


def width_of(stream: IO[str] | None = None) -> int | None:
    """Give the columns of the terminal that a stream goes to; None if it goes elsewhere."""
    stream = stream or sys.stdout
    if not stream.isatty():
        return None
    return max(shutil.get_terminal_size().columns, 20)


def has_color(stream: IO[str] | None = None) -> bool:
    """Tell whether a stream shows colours: on a terminal, unless NO_COLOR is set."""
    stream = stream or sys.stdout
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not plain


def colored(text: str, code: str, stream: IO[str] | None = None) -> str:
    """Give a text in a colour, where there are colours."""
    return f"\x1b[{_CODES[code]}m{text}\x1b[0m" if has_color(stream) else text


def fit(text: str, width: int | None) -> str:
    """Give a text whose lines are no longer than `width`; None leaves it as it is.

    Examples
    --------
    >>> from ceiba.cli.terminal.screen import fit
    >>> print(fit("a sentence that is too long for so narrow a terminal", 30))
    a sentence that is too long
      for so narrow a terminal
    """
    if width is None and is_english():
        return text
    room = _ENDLESS if width is None else width
    made: list[str] = []
    table: list[str] = []
    in_tree = False
    for line in [*text.split("\n"), ""]:
        bare = _CODE.sub("", line)
        in_tree = _TREE.match(bare) is not None or (in_tree and bare.startswith((" ", "│", "|")))
        if _GAP in line.strip() and not in_tree and not _STEP.match(bare):
            table.append(line)
            continue
        if table:
            made += _fit_table(table, room)
            table = []
        made += _wrapped(translated(line), room)
    return "\n".join(made[:-1])


def _seen(line: str) -> int:
    """Give how many cells a line takes, colours aside."""
    return len(_CODE.sub("", line))


def _wrapped(line: str, width: int) -> list[str]:
    if _seen(line) <= width:
        return [line]
    bare = _CODE.sub("", line)
    indent = " " * (len(bare) - len(bare.lstrip()))
    lines = textwrap.wrap(bare, width, subsequent_indent=f"{indent}  ", break_on_hyphens=False)
    head = _HEAD.match(line)  # the coloured words at the beginning
    if head and lines[0].startswith(head[2]):
        lines[0] = head[0] + lines[0][len(head[2]) :]
    return lines or [""]


def _fit_table(lines: list[str], width: int) -> list[str]:
    if max(map(_seen, lines)) <= width and is_english():
        return lines
    bounds = _columns_of(lines) if len(lines) > 1 else []
    if len(bounds) < 2:
        return [part for line in lines for part in _wrapped(translated(line), width)]
    cells = [[line[start:end].strip() for start, end in bounds] for line in lines]
    # Figures are flush right; so is a sentence that stands alone in its column.
    right = [
        all(len(line) >= end and line[end - 1] != " " for line in lines if line[start:end].strip())
        and all(len(row[j]) <= _NARROWEST or " " not in row[j] for row in cells)
        for j, (start, end) in enumerate(bounds)
    ]
    indent = " " * bounds[0][0]
    made = layout(translated_table(cells), right, width - len(indent))
    return [f"{indent}{line}" if line else line for line in made]


def _columns_of(lines: list[str]) -> list[tuple[int, int]]:
    """Give where columns begin and end: between two blanks that all lines have."""
    longest = max(map(len, lines))
    full = "".join(
        "x" if any(len(line) > k and line[k] != " " for line in lines) else " "
        for k in range(longest)
    )
    return [(part.start(), part.end()) for part in re.finditer(r"x(?:x| (?=x))*", full)]


def layout(cells: list[list[str]], right: list[bool], width: int) -> list[str]:
    """Lay out a table within a width: texts wrap, and what is too wide continues below.

    Parameters
    ----------
    cells : list of rows of texts
        The first row is the heading.
    right : list of bool
        Columns of figures, which are flush right and do not wrap.
    width : int

    Examples
    --------
    >>> from ceiba.cli.terminal.screen import layout
    >>> rows = [["name", "n"], ["a long name of a column", "12"]]
    >>> for line in layout(rows, [False, True], 20):
    ...     print(line)
    name               n
    a long name of a  12
      column
    """
    n = len(right)
    natural = [max(len(row[j]) for row in cells) for j in range(n)]
    widths = list(natural)
    _narrow(widths, right, width)
    if sum(widths) + len(_GAP) * (n - 1) <= width or n < 3:
        return _lines(cells, widths, right)
    # The columns that fit, then the others below, each part with the first column again.
    most = width - len(_GAP) - min(natural[0], width // 2)
    widths = [min(natural[0], width // 2), *(min(one, most) for one in natural[1:])]
    made: list[str] = []
    rest = list(range(1, n))
    while rest:
        part = [0]
        room = width - widths[0]
        while rest and (len(part) == 1 or widths[rest[0]] + len(_GAP) <= room):
            room -= widths[rest[0]] + len(_GAP)
            part.append(rest.pop(0))
        chosen = [[row[j] for j in part] for row in cells]
        made += [*([""] if made else []),
                 *_lines(chosen, [widths[j] for j in part], [right[j] for j in part])]  # fmt: skip
    return made


def _narrow(widths: list[int], right: list[bool], width: int) -> None:
    """Take room from the widest columns of texts until the table fits, if it can."""
    over = sum(widths) + len(_GAP) * (len(widths) - 1) - width
    while over > 0:
        texts = [j for j in range(len(widths)) if not right[j] and widths[j] > _NARROWEST]
        if not texts:
            return
        widest = max(texts, key=lambda j: widths[j])
        widths[widest] -= 1
        over -= 1


def _lines(cells: list[list[str]], widths: list[int], right: list[bool]) -> list[str]:
    made = []
    for row in cells:
        parts: list[list[str]] = []
        for text, width in zip(row, widths, strict=True):
            parts.append(
                textwrap.wrap(text, width, subsequent_indent=_GAP, break_on_hyphens=False) or [""]
            )
        for k in range(max(map(len, parts))):
            texts = [part[k] if k < len(part) else "" for part in parts]
            made.append(
                _GAP.join(
                    text.rjust(width) if flush else text.ljust(width)
                    for text, width, flush in zip(texts, widths, right, strict=True)
                ).rstrip()
            )
    return made


def fitted(text: Any, stream: IO[str] | None = None) -> str:
    """Give a text as it is shown on a stream: within its width, control characters as escapes.

    Where there are colours, their codes are let through, and nothing else.
    """
    parts = _CODE.split(str(text)) if has_color(stream) else [str(text)]
    shown = "".join(part if k % 2 else visible(part) for k, part in enumerate(parts))
    return fit(shown, width_of(stream))
