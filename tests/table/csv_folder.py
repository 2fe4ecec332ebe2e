"""A folder of CSV files in many dialects, with the table that each of them holds, as data.

`cases()` is deterministic. A case is plain JSON but for the bytes of its files: the options that
must be given, and per column its kind and its values (numbers, texts, ISO dates, booleans; None:
missing). Whoever reads CSV files must read these tables, whatever language it is written in.
"""

from __future__ import annotations

import bz2
import csv
import datetime
import gzip
import io
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

N_CASES: Final = 200
_WORDS: Final = ("north", "south", "a b", 'say "hi"', "x,y", "x;y", "two\nlines", "naïve", "señor")
_MARKERS: Final = ("", "NA", "n/a", "NaN", "null", "?")
_WEAK: Final = ("-", ".", "n.d.")
_KINDS: Final = (
    "integer", "decimal", "grouped", "money", "share", "date", "iso", "time", "flag", "code",
    "word", "late_word", "late_decimal", "late_code", "late_value", "empty",
)  # fmt: skip


@dataclass(frozen=True)
class Column:
    """A column: its kind as tables have it, its values, and its cells as they are written."""

    name: str
    kind: str  # number, boolean, date, datetime or text
    values: list[Any]
    cells: list[str]


@dataclass(frozen=True)
class Case:
    """Files that are one table."""

    name: str
    files: dict[str, bytes]
    pattern: str
    options: dict[str, Any]
    columns: list[Column]


def cases(n: int = N_CASES) -> Iterator[Case]:
    """Yield the cases."""
    for k in range(n):
        yield _case(k, random.Random(k))


def _case(k: int, rng: random.Random) -> Case:
    separator = rng.choice(",;\t|")
    comma = separator != "," and rng.random() < 0.5
    day_first = rng.random() < 0.5
    rows = rng.choice((30, 60, 150))
    has_header = rng.random() < 0.8
    kinds = ["decimal", *rng.sample(_KINDS[2:], 5)]
    rng.shuffle(kinds)
    columns = []
    for j, kind in enumerate(kinds):
        name = f"{kind} {j}" if has_header else f"column_{j + 1}"
        columns.append(_column(name, kind, rows, rng, comma, day_first))
    labels = [rng.choice("ab") for _ in range(rows)]
    target = "y" if has_header else f"column_{len(columns) + 1}"
    columns.append(Column(target, "text", list(labels), list(labels)))
    options: dict[str, Any] = {} if has_header else {"header": False}
    encoding = rng.choice(("utf-8", "utf-8-sig", "cp1252", "utf-16"))
    if encoding == "cp1252":
        options["encoding"] = "cp1252"
    ending = {"\t": ".tsv", "|": ".txt"}.get(separator, ".csv")
    packed, pack = rng.choice((("", bytes), ("", bytes), (".gz", gzip.compress),
                               (".bz2", bz2.compress)))  # fmt: skip
    parts = rng.choice((1, 1, 3))
    quoting = rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    newline = rng.choice(("\n", "\r\n"))
    files = {}
    for part in range(parts):
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=newline)
        if has_header:
            writer.writerow([column.name for column in columns])
        for i in range(part * rows // parts, (part + 1) * rows // parts):
            writer.writerow([column.cells[i] for column in columns])
        files[f"{k:03}_{part}{ending}{packed}"] = pack(text.getvalue().encode(encoding))
    return Case(f"{k:03}", files, f"{k:03}_*{ending}{packed}", options, columns)


def _column(
    name: str, kind: str, n: int, rng: random.Random, comma: bool, day_first: bool
) -> Column:
    mark, group = (",", ".") if comma else (".", ",")
    made: Callable[[int], tuple[Any, str]]
    shown = "number"
    if kind == "integer":
        made = lambda i: _same(rng.randint(-50, 5000))  # noqa: E731
    elif kind == "decimal":
        made = lambda i: _decimal(rng.randint(-999, 999) * 10 + 5, mark)  # noqa: E731
    elif kind == "grouped":
        made = lambda i: _grouped(rng.randint(1_000, 9_999_999), group, mark)  # noqa: E731
    elif kind == "money":
        made = lambda i: _affixed(rng.randint(100, 99_999), mark, "€ {}")  # noqa: E731
    elif kind == "share":
        made = lambda i: _affixed(rng.randint(0, 9_999), mark, "{} %")  # noqa: E731
    elif kind in ("date", "iso"):
        shown = "date"
        form = "%Y-%m-%d" if kind == "iso" else "%d/%m/%Y" if day_first else "%m/%d/%Y"
        made = lambda i: _day(i, rng, form)  # noqa: E731
    elif kind == "time":
        shown = "datetime"
        made = lambda i: _time(rng)  # noqa: E731
    elif kind == "flag":
        shown = "boolean"
        case = rng.choice((str, str.lower, str.upper))
        made = lambda i: (flag := rng.random() < 0.5, case(str(flag)))  # noqa: E731
    elif kind == "late_decimal":
        made = lambda i: _decimal(25, mark) if i == n - 1 else _same(rng.randint(1, 9))  # noqa: E731
    elif kind == "empty":  # a number of which none is known
        made = lambda i: (None, "")  # noqa: E731
    elif kind == "late_value":
        made = lambda i: _same(7) if i == n - 1 else (None, "")  # noqa: E731
    else:
        shown = "text"
        made = lambda i: _text(kind, i == n - 1, rng)  # noqa: E731
    pairs = [made(i) for i in range(n)]
    weak = shown in ("number", "date", "datetime") and kind != "empty"
    for i in range(1, n - 1):  # the first and the last row keep what they show
        if rng.random() < 0.08:
            pairs[i] = None, rng.choice(_MARKERS + _WEAK if weak else _MARKERS)
    return Column(name, shown, [pair[0] for pair in pairs], [pair[1] for pair in pairs])


def _same(value: int) -> tuple[float, str]:
    return float(value), str(value)


def _decimal(hundredths: int, mark: str) -> tuple[float, str]:
    text = f"{hundredths / 100:.2f}"
    return float(text), text.replace(".", mark)


def _grouped(tenths: int, group: str, mark: str) -> tuple[float, str]:
    text = f"{tenths / 10:,.1f}"
    swap = str.maketrans({",": group, ".": mark})
    return float(text.replace(",", "")), text.translate(swap)


def _affixed(hundredths: int, mark: str, form: str) -> tuple[float, str]:
    value, text = _decimal(hundredths, mark)
    return value, form.format(text)


def _day(i: int, rng: random.Random, form: str) -> tuple[str, str]:
    day = datetime.date(2010, 12, 31) if i == 0 else datetime.date(2010, 1, 1)
    if i:
        day += datetime.timedelta(days=rng.randint(0, 6000))
    return day.isoformat(), day.strftime(form)


def _time(rng: random.Random) -> tuple[str, str]:
    start = datetime.datetime(2020, 2, 28, 23, 30)
    time = start + datetime.timedelta(minutes=rng.randint(0, 10**6))
    return time.isoformat(), time.strftime("%Y-%m-%d %H:%M:%S")


def _text(kind: str, is_last: bool, rng: random.Random) -> tuple[str, str]:
    if kind == "code":
        text = f"{rng.randint(0, 99_999):05}"
        text = "0" + text[1:] if is_last else text
    elif kind == "word":
        text = rng.choice(_WORDS)
    else:
        late = {"late_word": "many", "late_code": "007"}[kind]
        text = late if is_last else str(rng.randint(1, 99))
    return text, text
