"""Detect identifier columns, and string columns that contain numbers or dates.

A column of strings or integers is an identifier if at least 99 % of its values are distinct, in at
least 50 rows. Strings written as numbers or dates are not identifiers, unless they are codes:
digits with leading zeros, or all of one width. Integers can also be measurements (areas, prices),
so they need one more sign, any of

- the name: ``id``, ``customer_nr``, ``PassengerId``;
- equal steps: at least a tenth of the differences of sorted values are equal. Measurements differ
  by one step about twice as often as they repeat, and at most 1 % repeat here;
- an even spread: each quarter of the range contains about a quarter of the values. Measurements
  concentrate somewhere.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import DataWarning
from ceiba.table.schema import Kind
from ceiba.table.table import Column

MIN_ROWS: Final = 50
MIN_DISTINCT: Final = 0.99
MANY_LEVELS: Final = 1000
_SAMPLE_ROWS: Final = 1024
_MIN_EQUAL_STEPS: Final = 0.1
_MAX_CHI_SQUARE: Final = 7.81  # 95 % quantile of chi-square with 3 degrees of freedom
_MIN_SHARE: Final = 0.8  # minimum share of cells that look like numbers or dates
_CODE_WIDTH: Final = 5  # minimum width of codes without leading zeros; years have 4 digits
_NAME: Final = re.compile(
    r"(?i:(?:^|[^a-z])(?:id|nr|no|key|index|code))$|[a-z](?:Id|ID|Nr|No|Key|Index|Code)$|^[A-Z]ID$"
)
_NUMBER: Final = re.compile(
    r"\s*[^\w\s.,'+-]?\s*[+-]?[\d.,'\s]*\d[\d.,'\s]*(?:[eE][+-]?\d+)?\s*[^\w\s]?\s*"
)
_DATE: Final = re.compile(
    r"\s*(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})(?!\d).*"
)
_LEADING_ZERO: Final = re.compile(r"\s*[+-]?0\d")
_LETTER_AND_DIGIT: Final = re.compile(r"(?=.*[^\W\d_])(?=.*\d)", re.DOTALL)

TextContent = Literal["numbers", "dates", "codes", ""]


def is_identifier(column: Column) -> bool:
    """Whether a column is an identifier, such as a row number or a customer id."""
    if column.info.is_numeric:
        return column.info.display == "number" and _is_row_number(column)
    if column.info.kind is Kind.ORDERED or column.info.n_levels < MIN_DISTINCT * MIN_ROWS:
        return False
    counts = level_counts(column)
    n = int(counts.sum())
    if n < MIN_ROWS or np.count_nonzero(counts) < MIN_DISTINCT * n:
        return False
    return classify_texts(column.info.levels, counts)[0] in ("codes", "")


def has_rare_levels(column: Column) -> bool:
    """Whether a column of at least 50 rows has fewer than two rows per level on average."""
    if column.info.kind is not Kind.CATEGORICAL:
        return False
    counts = level_counts(column)
    n = int(counts.sum())
    return n >= MIN_ROWS and n < 2 * int(np.count_nonzero(counts))


def level_counts(column: Column) -> NDArray[np.int64]:
    """Return the number of rows with each level of the column."""
    codes, n = column.values, column.info.n_levels
    return np.bincount(codes[codes >= 0], minlength=n)[:n]


def _is_row_number(column: Column) -> bool:
    info, values = column.info, column.values
    low, high = info.minimum, info.maximum
    if (
        low is None
        or high is None
        or high - low + 1 < MIN_DISTINCT * (len(values) - info.n_missing)
    ):
        return False
    # Check a sample first, because repeated or fractional values rule out most columns.
    sample = values[:: -(-len(values) // _SAMPLE_ROWS)] if len(values) > _SAMPLE_ROWS else values
    for numbers in (sample, values) if sample is not values else (values,):
        present = numbers[~np.isnan(numbers)]
        if len(present) < MIN_ROWS or bool((present != np.floor(present)).any()):
            return False
        distinct = np.unique(present)
        if len(distinct) < MIN_DISTINCT * len(present):
            return False
    if _NAME.search(info.name):
        return True
    steps = np.unique(np.diff(distinct), return_counts=True)[1]
    if steps.max() >= max(10, _MIN_EQUAL_STEPS * len(distinct)):
        return True
    quarters = np.histogram(distinct, 4)[0]
    expected = len(distinct) / 4
    return bool(((quarters - expected) ** 2).sum() <= _MAX_CHI_SQUARE * expected)


def classify_texts(
    levels: Iterable[Any], counts: NDArray[np.int64]
) -> tuple[TextContent, str | None]:
    """Return the kind of most strings ("numbers", "dates", "codes" or ""), and one exception."""
    pairs = zip(levels, counts.tolist(), strict=True)
    texts = {text: k for text, k in pairs if k and isinstance(text, str) and text.strip()}
    n = sum(texts.values())
    for likeness, pattern in (("dates", _DATE), ("numbers", _NUMBER)):
        alike = {text for text in texts if pattern.fullmatch(text)}
        if not n or sum(texts[text] for text in alike) < _MIN_SHARE * n:
            continue
        strange = [text for text in texts if text not in alike]
        if likeness == "numbers":
            if any(map(_LETTER_AND_DIGIT.match, strange)):
                return "", None
            widths = {len(text) if text.isdigit() else 0 for text in alike}
            one_width = len(widths) == 1 and min(widths) >= _CODE_WIDTH
            if one_width or any(map(_LEADING_ZERO.match, alike)):
                return "codes", None
        return likeness, next(iter(strange), None)  # type: ignore[return-value]
    return "", None


def should_warn_identifier(columns: Sequence[Column], j: int) -> bool:
    """Whether `fit` warns that a column is an identifier."""
    column = columns[j]
    if column.info.is_numeric:
        # Floats are rarely identifiers, but integers with missing values are read as floats.
        may_be_integers = column.of_integers or column.info.n_missing > 0
        if len(columns) == 1 or not may_be_integers:
            return False
    return is_identifier(column)


def warn_about_columns(columns: Sequence[Column]) -> None:
    """Warn about identifiers, many levels, and numbers or dates read as strings."""
    for j, column in enumerate(columns):
        if should_warn_identifier(columns, j):
            n_rows = int(np.count_nonzero(~column.missing))
            name = column.info.name
            _warn(
                f"Column {name!r} is an identifier: at least 99 % of its values in {n_rows} rows "
                f"are distinct, so splits on it do not generalize. Drop it: "
                f"X.drop(columns={name!r}) in pandas, X.drop({name!r}) in polars."
            )
        elif column.info.kind is Kind.CATEGORICAL:
            _warn_about_levels(column)


def _warn_about_levels(column: Column) -> None:
    name = column.info.name
    if column.info.n_levels < MIN_ROWS:
        return
    counts = level_counts(column)
    n_levels, n_rows = int(np.count_nonzero(counts)), int(counts.sum())
    if n_levels < MIN_ROWS:
        return
    likeness, _ = classify_texts(column.info.levels, counts)
    if likeness in ("numbers", "dates"):
        convert = "to_numeric" if likeness == "numbers" else "to_datetime"
        _warn(
            f"Column {name!r} has {n_levels} levels in {n_rows} rows and looks like {likeness} "
            f"read as strings. Convert it, e.g. pandas.{convert}(...)."
        )
    elif n_levels >= MANY_LEVELS:
        _warn(
            f"Column {name!r} has {n_levels} levels in {n_rows} rows; splits on so many "
            "levels overfit. Group the levels, or drop the column."
        )


def _warn(text: str) -> None:
    warnings.warn(text, DataWarning, stacklevel=6)
