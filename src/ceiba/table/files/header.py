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

_SEPARATORS: Final = ";\t|,"  # comma comes last, because it may occur in numbers
_NUMBER: Final = re.compile(r"[+-]?[\d.,'\s]*\d[\d.,'\s]*%?")
_SAMPLE_ROWS: Final = 1000


def parse_records(text: str, separator: str, source: str) -> list[list[str]]:
    """Split text into at most 1,000 records of stripped fields, without empty lines."""
    rows: list[list[str]] = []
    records = filter(None, csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    try:
        for cells in itertools.islice(records, _SAMPLE_ROWS):
            rows.append([cell.strip() for cell in cells])
    except csv.Error:  # a field exceeds the size limit of the csv module
        if not rows:
            raise DataError(
                f"{source}: a field of the first record has more than "
                f'{csv.field_size_limit():,} characters. Is there an unclosed quote (")?'
            ) from None
    return rows


def detect_separator(text: str) -> str:
    r"""Return the separator that occurs equally often in all lines, or most often in the first."""
    outside = "".join(text.split('"')[::2])  # text outside quotes
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

    It is data if no string has numbers below it, and if either a number has numbers below it or
    most strings occur again below them. Consecutive integers (2019, 2020, ...) are names.
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
    """Return the column names, whether the first record is a header, and messages for the user."""
    first, n = rows[0], len(rows[0])
    header = reading.header
    if header is None:
        header = bool(set(reading.expected) & set(first)) or is_header(rows)
    if reading.names is not None:
        if len(reading.names) != n:
            raise OptionError(
                f"`names` or `names_from` must list {n} names, one for each column in {source}, "
                f"got {len(reading.names)}."
            )
        return make_unique(reading.names)[0], header, []
    if header:
        names, remarks = make_unique(first)
        return names, True, remarks
    model_names = list(reading.stored_names)
    if len(model_names) == n + 1 and reading.target in model_names:
        model_names.remove(reading.target)
    if len(model_names) == n:
        return model_names, False, []
    remark = (
        f"{source} seems to have no header; its columns are named column_1 to column_{n}. Pass "
        "names with --names or --names-from, or pass --header if the first line is a header."
    )
    names = [f"column_{j + 1}" for j in range(n)]
    return names, False, [remark] if reading.header is None else []


def make_unique(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Rename duplicate and empty column names; return the names and messages about duplicates."""
    all_names = {name for name in names if name}
    unique: list[str] = []
    previous: set[str] = set()
    remarks = []
    for j, name in enumerate(names):
        if name and name not in previous:
            previous.add(name)
            unique.append(name)
            continue
        base, k = (name, 2) if name else ("column", j + 1)
        while (new := f"{base}_{k}") in all_names:
            k += 1
        all_names.add(new)
        unique.append(new)
        if name:
            remarks.append(f"Duplicate column name {name!r}: column {j + 1} is renamed to {new!r}.")
    return unique, remarks


def split_names(texts: Iterable[str] | None) -> list[str]:
    """Split comma-separated lists of names."""
    return [name.strip() for text in texts or () for name in text.split(",") if name.strip()]


def read_names(path: str) -> list[str]:
    """Read column names: all on one line, or one per line as in C4.5 (``age: continuous.``)."""
    try:
        text = Path(require_file(path)).read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"`names_from` must be a UTF-8 text file, got {path!r}.") from None
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and line[0] not in "|#"]
    if len(lines) == 1:
        names = parse_records(lines[0], detect_separator(lines[0]), path)[0]
    else:
        names = [line.partition(":")[0].strip().strip('"') for line in lines]
    if not names:
        raise OptionError(f"`names_from` must contain at least one name, got none in {path!r}.")
    return names
