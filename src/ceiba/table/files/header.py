"""Detect the separator and the header of a CSV file, and make column names unique."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ceiba.errors import DataError, OptionError
from ceiba.table.files.streams import require_file

if TYPE_CHECKING:
    from ceiba.table.files.reading import ReadOptions

_SEPARATORS: Final = ";\t|,"  # comma last: it may occur in numbers
_NUMBER: Final = re.compile(r"[+-]?[\d.,'\s]*\d[\d.,'\s]*%?")
_SAMPLE_ROWS: Final = 1000


def parse_records(text: str, separator: str, limit: int = _SAMPLE_ROWS) -> list[list[str]]:
    """Split a text into records of stripped cells; empty lines are skipped."""
    rows: list[list[str]] = []
    try:
        for cells in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
            if cells:
                rows.append([cell.strip() for cell in cells])
            if len(rows) == limit:
                break
    except csv.Error:  # a cell is too long for Python
        pass
    return rows


def detect_separator(text: str) -> str:
    r"""Return the separator that splits all lines alike, else the first line's most frequent."""
    outside = "".join(text.split('"')[::2])  # the text outside quoted cells
    lines = [line for line in outside.split("\n")[:50] if line.strip(" \r")] or [""]
    counts = {mark: [line.count(mark) for line in lines] for mark in _SEPARATORS}
    agreed = [mark for mark in _SEPARATORS if counts[mark][0] and len(set(counts[mark])) == 1]
    best = max(agreed or _SEPARATORS, key=lambda mark: counts[mark][0])
    if counts[best][0]:
        return best
    blanks = {line.count(" ") for line in lines}
    return " " if len(lines) > 1 and len(blanks) == 1 and blanks != {0} else ","


def is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first record contains names rather than data.

    It is data if no text has numbers below it, and if either a number has numbers below it or most
    texts occur again below. Consecutive numbers (2019, 2020, ...) are names.
    """
    if len(rows) < 2 or not any(rows[0]):
        return True
    first, below = rows[0], rows[1:]
    alike = again = texts = 0
    for j, cell in enumerate(first):
        column = [row[j] for row in below if j < len(row) and row[j]]
        if not cell or not column:
            continue
        numbers = sum(_NUMBER.fullmatch(value) is not None for value in column)
        if numbers > 0.8 * len(column):
            if not _NUMBER.fullmatch(cell):
                return True
            alike += 1
        else:
            texts += 1
            again += cell in column
    names = [cell for cell in first if _NUMBER.fullmatch(cell)]
    if alike and all(cell.isdigit() for cell in names):
        steps = {int(b) - int(a) for a, b in itertools.pairwise(names)}
        if steps == {1}:
            return True
    return not (alike or (again > texts / 2 and (again > 1 or len(set(first)) < len(first))))


def name_columns(
    rows: Sequence[Sequence[str]], reading: ReadOptions, source: str
) -> tuple[list[str], bool, list[str]]:
    """Return the column names, whether the first record is a header, and remarks."""
    first, n = rows[0], len(rows[0])
    header = reading.header
    if header is None:
        header = bool(set(reading.expected) & set(first)) or is_header(rows)
    if reading.names is not None:
        if len(reading.names) != n:
            raise OptionError(
                f"--names must list {n} names, one for each column of {source}, got "
                f"{len(reading.names)}."
            )
        return make_unique(reading.names)[0], header, []
    if header:
        names, remarks = make_unique(first)
        return names, True, remarks
    stored = list(reading.stored_names)
    if len(stored) == n + 1 and reading.target in stored:
        stored.remove(reading.target)
    if len(stored) == n:
        return stored, False, []
    remark = (
        f"{source} seems to have no header; its columns are named column_1 to column_{n}. Pass "
        "names with --names or --names-from, or pass --header if the first line is a header."
    )
    names = [f"column_{j + 1}" for j in range(n)]
    return names, False, [remark] if reading.header is None else []


def make_unique(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return unique column names, and remarks about changed names."""
    taken = {name for name in names if name}
    unique: list[str] = []
    seen: set[str] = set()
    remarks = []
    for j, name in enumerate(names):
        if name and name not in seen:
            seen.add(name)
            unique.append(name)
            continue
        base, k = (name, 2) if name else ("column", j + 1)
        while (new := f"{base}_{k}") in taken:
            k += 1
        taken.add(new)
        unique.append(new)
        if name:
            remarks.append(f"Duplicate column name {name!r}: the second one is renamed to {new!r}.")
    return unique, remarks


def split_names(texts: Iterable[str] | None) -> list[str]:
    """Split comma-separated lists of names."""
    return [name.strip() for text in texts or () for name in text.split(",") if name.strip()]


def read_names(path: str) -> list[str]:
    """Read column names from a file: one per line (as in ``age: continuous.``), or one line."""
    try:
        text = Path(require_file(path)).read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"--names-from {path}: the file is not UTF-8 text.") from None
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and line[0] not in "|#"]
    if len(lines) == 1:
        names = parse_records(lines[0], detect_separator(lines[0]))[0]
    else:
        names = [line.partition(":")[0].strip().strip('"') for line in lines]
    if not names:
        raise OptionError(f"--names-from {path}: the file contains no names.")
    return names
