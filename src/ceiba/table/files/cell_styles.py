"""Detect the notation of CSV fields, such as `1.5`, `1.234,5`, `R$ 12`, `31/12/2024` or `true`.

`matching_styles` lists the styles that match every cell of a column. Cells such as 1.234 match two
(decimal point, or thousands separator). `choose_styles` then uses the options, the other columns,
the training file of the model or the separator, in this order, and reports uncertain choices.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ceiba._polars import pl
from ceiba.errors import DataError
from ceiba.table.schema import ColumnInfo

#: Strings that mark missing values in number and date columns, but are levels in string columns.
WEAK_MARKERS: Final = (
    "", "-", "--", "---", "–", "—", ".", "..", "…", "None", "none", "NONE", "na", "Na", "N.A.",
    "n.a.",
    "nd", "ND", "n.d.", "N.D.", "s/d", "S/D", "k.A.", "missing", "Missing", "*", "#",
)  # fmt: skip

_CURRENCY: Final = (
    r"(?:R\$|US\$|A\$|C\$|NZ\$|MX\$|[$€£¥₹₽₩₺₪฿]|EUR|USD|GBP|BRL|CHF|JPY|MXN|ARS|kr|zł|Kč)"
)
_AFFIXED: Final = (
    rf"^([+-]?)\s*({_CURRENCY}|)\s*([+-]?[\d.,'’ \u00a0\u202f\u2009]+?)\s*({_CURRENCY}|%|)$"
)
_GROUPS: Final = {"": "", ".": r"\.", ",": ",", " ": "[ \u00a0\u202f\u2009]", "'": "['’]"}
_DATES: Final = {  # %Y alone would read 24 as the year 24, so the patterns count the digits
    "%Y-%m-%d": r"^\d{4}-\d{1,2}-\d{1,2}$",
    "%Y/%m/%d": r"^\d{4}/\d{1,2}/\d{1,2}$",
    "%d/%m/%Y": r"^\d{1,2}/\d{1,2}/\d{4}$",
    "%m/%d/%Y": r"^\d{1,2}/\d{1,2}/\d{4}$",
    "%d.%m.%Y": r"^\d{1,2}\.\d{1,2}\.\d{4}$",
    "%d-%m-%Y": r"^\d{1,2}-\d{1,2}-\d{4}$",
    "%m-%d-%Y": r"^\d{1,2}-\d{1,2}-\d{4}$",
    "%d/%m/%y": r"^\d{1,2}/\d{1,2}/\d{2}$",
    "%m/%d/%y": r"^\d{1,2}/\d{1,2}/\d{2}$",
    "%d.%m.%y": r"^\d{1,2}\.\d{1,2}\.\d{2}$",
    "%d-%m-%y": r"^\d{1,2}-\d{1,2}-\d{2}$",
}
#: Integers with a leading zero, such as the postal code 00501, are read as strings.
CODE: Final = r"^[+-]?0\d+$"
_CLOCKS: Final = {"%H:%M:%S": r" \d{1,2}:\d{2}:\d{2}$", "%H:%M": r" \d{1,2}:\d{2}$"}
#: Table that replaces the digits 2 to 9 with 1: patterns only distinguish 0 from other digits.
_DIGIT_SHAPE: Final = str.maketrans("23456789", "1" * 8)


#: Kinds of cell styles that represent numbers.
NUMBERS: Final = ("integer", "number")


@dataclass(frozen=True)
class Style:
    """The notation of a column's cells: kind, decimal and thousands marks, affixes, date format."""

    kind: str
    decimal: str = ""
    thousands: str = ""
    prefix: str = ""
    suffix: str = ""
    form: str = ""

    def read(self, series: Any) -> Any:
        """Convert a series of strings to values; those that do not match the style become null."""
        return series.to_frame().select(self.expression(pl.col(series.name))).to_series()

    def expression(self, cells: Any) -> Any:
        """Return the polars expression that converts a string column in this style to values."""
        if self.kind == "text":
            return cells
        cells = strip_weak_markers(cells)
        if self.kind == "boolean":
            words = cells.str.to_lowercase()
            return pl.when(words.is_in(["true", "false"])).then(words == "true")
        if self.kind == "integer":
            return cells.cast(pl.Int64, strict=False)
        if self.kind == "number":
            return self._numbers(cells)
        if self.kind == "date":
            return _filter(cells, _DATES[self.form]).str.to_date(self.form, strict=False)
        if self.form:
            day, clock = self.form.split(" ")
            pattern = _DATES[day][:-1] + _CLOCKS[clock]
            return _filter(cells, pattern).str.to_datetime(self.form, strict=False, time_unit="us")
        iso = _filter(cells, r"^\d{4}-\d{1,2}-\d{1,2}")
        return iso.str.to_datetime(strict=False, time_unit="us")

    def _numbers(self, cells: Any) -> Any:
        if self.prefix or self.suffix:
            sign, before, body, after = (cells.str.extract(_AFFIXED, k) for k in (1, 2, 3, 4))
            same = (before.fill_null("") == self.prefix) & (after.fill_null("") == self.suffix)
            body = sign.fill_null("") + body.str.strip_chars()
            cells = pl.when(same).then(body)
        if self not in PLAIN_STYLES:
            cells = _filter(cells, self.pattern)
        if self.thousands:
            cells = cells.str.replace_all(_GROUPS[self.thousands], "")
        if self.decimal == ",":
            cells = cells.str.replace(",", ".", literal=True)
        numbers = cells.cast(pl.Float64, strict=False)
        return pl.when(numbers.is_finite()).then(numbers)

    @property
    def pattern(self) -> str:
        """Regular expression of numbers in this style, without currency or percent sign."""
        groups, mark = _GROUPS[self.thousands], _GROUPS[self.decimal]
        integer = rf"(?:\d+|[1-9]\d{{0,2}}(?:{groups}\d{{3}})+)" if groups else r"\d+"
        if not mark:
            return rf"^[+-]?{integer}$"
        return rf"^[+-]?(?:{integer}(?:{mark}\d*)?|{mark}\d+)(?:[eE][+-]?\d+)?$"

    def to_dict(self) -> dict[str, str]:
        """Return the nonempty fields as a dict for the model file."""
        return {name: value for name, value in vars(self).items() if value}

    @staticmethod
    def from_dict(data: Any) -> Style | None:
        """Return the cell style stored in a model file, or None if it is invalid."""
        is_text = isinstance(data, dict) and all(isinstance(v, str) for v in data.values())
        if not is_text or not {"kind"} <= set(data) <= set(Style.__dataclass_fields__):
            return None
        return Style(**data)


INTEGER: Final = Style("integer")
PLAIN: Final = Style("number", ".")
#: Number styles that every CSV reader supports.
PLAIN_STYLES: Final = (INTEGER, PLAIN, Style("number"))
TEXT: Final = Style("text")
_BOOLEAN: Final = Style("boolean")
_PAIRS: Final = tuple(
    (decimal, thousands)
    for thousands in ("", ",", ".", " ", "'")
    for decimal in ("", ".", ",")
    if decimal != thousands and (decimal or thousands not in (".", ","))
)


def strip_cells(cells: Any, markers: Iterable[str] = ()) -> Any:
    """Return a polars expression that strips strings; empty ones and `markers` become null."""
    bare = cells.str.strip_chars()
    return pl.when(~bare.is_in(["", *markers])).then(bare)


def strip_weak_markers(cells: Any) -> Any:
    """Return a polars expression that strips strings; `WEAK_MARKERS` become null."""
    return strip_cells(cells, WEAK_MARKERS)


def matching_styles(cells: Iterable[str | None]) -> tuple[Style, ...]:
    """Return the cell styles that match every cell of a string column, simplest first."""
    present = {cell.strip() for cell in cells if cell is not None}.difference(WEAK_MARKERS)
    if not present:
        return ()
    shapes = sorted({cell.translate(_DIGIT_SHAPE) for cell in present})
    if _all_match(shapes, r"(?i)^(true|false)$"):
        return (_BOOLEAN,)
    if _all_match(shapes, r"^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}"):
        dates = tuple(_matching_date_styles(sorted(present)))
        if dates:
            return dates
    return tuple(_matching_number_styles(shapes))


def is_blank(cells: Iterable[str | None]) -> bool:
    """Whether all cells of a string column are missing."""
    return all(cell is None or cell.strip() in WEAK_MARKERS for cell in cells)


def _matching_number_styles(cells: list[str]) -> Iterable[Style]:
    if any(re.search(CODE, cell) for cell in cells):
        return
    if _all_match(cells, r"^[+-]?\d{1,18}$"):
        yield INTEGER
        yield from (Style("number", *pair) for pair in _PAIRS)
        return
    matches = [re.search(_AFFIXED, cell) for cell in cells]
    prefix = suffix = ""
    if all(matches):
        ends = {(match[2], match[4]) for match in matches if match}
        if len(ends) > 1:
            return
        prefix, suffix = ends.pop()
        cells = [match[1] + match[3].strip() for match in matches if match]
    for pair in _PAIRS:
        style = Style("number", *pair, prefix, suffix)
        if _all_match(cells, style.pattern):
            yield style


def _matching_date_styles(cells: list[str]) -> Iterable[Style]:
    series = pl.Series("cells", cells)
    for form, pattern in _DATES.items():
        date = Style("date", form=form)
        if _all_match(cells, pattern) and _reads_all(date, series):
            yield date
    for form in ("", *(f"{day} {clock}" for day in _DATES for clock in _CLOCKS)):
        day, _, clock = form.partition(" ")
        pattern = _DATES[day][:-1] + _CLOCKS[clock] if form else r"^\d{4}-"
        time = Style("datetime", form=form)
        if _all_match(cells, pattern) and _reads_all(time, series):
            yield time


def _reads_all(style: Style, series: Any) -> bool:
    try:
        return not style.read(series).null_count()
    except pl.exceptions.PolarsError:  # polars cannot infer the time format of these cells
        return False


def _filter(cells: Any, pattern: str) -> Any:
    return pl.when(cells.str.contains(pattern)).then(cells)


def _all_match(cells: list[str], pattern: str) -> bool:
    return all(map(re.compile(pattern).search, cells))


# ---------------------------------------------------------------------- choosing


@dataclass
class StyleChoice:
    """The chosen cell style of each column, and messages about ambiguous columns."""

    styles: dict[str, Style] = field(default_factory=dict)
    ambiguities: list[str] = field(default_factory=list)

    @property
    def decimal_comma(self) -> bool:
        """Whether some number columns have decimal commas, and none has decimal points."""
        marks = [style.decimal for style in self.styles.values() if style.kind in NUMBERS]
        return "," in marks and "." not in marks


def choose_styles(
    fits: Mapping[str, Sequence[Style]],
    *,
    separator: str = ",",
    decimal_comma: bool | None = None,
    day_first: bool | None = None,
    defaults: Mapping[str, Style] | None = None,
) -> StyleChoice:
    """Choose one of the matching cell styles (number, date, ...) for each column."""
    # Unambiguous columns determine the decimal mark and the date order of ambiguous columns.
    marks, orders = (
        {value for some in map(possible, fits.values()) if len(some) == 1 for value in some}
        for possible in (_possible_marks, _possible_orders)
    )
    defaults, choice = defaults or {}, StyleChoice()
    for name, styles in fits.items():
        if not styles:
            choice.styles[name] = TEXT
        elif styles[0].kind in NUMBERS:
            style = _choose_number(name, styles, marks, separator, decimal_comma, defaults, choice)
            choice.styles[name] = style
        else:
            choice.styles[name] = _choose_date(name, styles, orders, day_first, defaults, choice)
    return choice


def _possible_marks(styles: Sequence[Style]) -> set[str]:
    """Return a column's possible decimal marks, or an empty set if all values may be integers."""
    numbers = [style for style in styles if style.kind in NUMBERS]
    if not numbers or numbers[0] == INTEGER or any(not style.decimal for style in numbers):
        return set()
    return {style.decimal for style in numbers}


def _choose_number(
    name: str,
    styles: Sequence[Style],
    marks: set[str],
    separator: str,
    decimal_comma: bool | None,
    defaults: Mapping[str, Style],
    choice: StyleChoice,
) -> Style:
    possible = _possible_marks(styles)
    if decimal_comma is False and possible == {","}:
        return TEXT
    if len(possible) < 2:
        return styles[0]
    by_mark = {mark: next(s for s in styles if s.decimal == mark) for mark in (".", ",")}
    grouped = by_mark["."].thousands == ","  # cells such as 1,234
    if decimal_comma is not None:
        return by_mark["," if decimal_comma else "."]
    if len(marks) == 1:
        chosen, why = by_mark[next(iter(marks))], "as in the other columns"
        if chosen == by_mark["."] and not grouped:
            return chosen
    elif name in defaults and defaults[name].decimal in by_mark:
        return by_mark[defaults[name].decimal]
    elif (styles[0].prefix or styles[0].suffix) not in ("", "%"):
        # Currency amounts rarely have three decimals: assume that the mark separates thousands.
        return by_mark["." if grouped else ","]
    elif grouped and separator == ";":
        chosen, why = by_mark[","], "as is usual in files with semicolons"
    else:
        chosen, why = by_mark["."], "by default"
        if not grouped and separator != ";":
            return chosen
    example, read = ("1,234", "1234") if grouped else ("1.234", "1.234")
    if chosen.decimal == ",":
        read = "1.234" if grouped else "1234"
    choice.ambiguities.append(
        f"Column {name!r}: {example} is read as the number {read}, {why}. If that is wrong, pass "
        f"--decimal-{'point' if chosen.decimal == ',' else 'comma'}."
    )
    return chosen


def _possible_orders(styles: Sequence[Style]) -> set[str]:
    """Return the possible first fields (%d, %m) of dates, or an empty set if years may be first."""
    forms = {style.form[:2] for style in styles if style.form[:2] in ("%d", "%m")}
    return forms if all(style.form[:2] in ("%d", "%m") for style in styles) else set()


def _choose_date(
    name: str,
    styles: Sequence[Style],
    orders: set[str],
    day_first: bool | None,
    defaults: Mapping[str, Style],
    choice: StyleChoice,
) -> Style:
    possible = _possible_orders(styles)
    if len(possible) < 2:
        return styles[0]
    by_order = {order: next(s for s in styles if s.form[:2] == order) for order in ("%d", "%m")}
    if day_first is not None:
        return by_order["%d" if day_first else "%m"]
    if len(orders) == 1:
        return by_order[next(iter(orders))]
    if name in defaults and defaults[name].form[:2] in by_order:
        return by_order[defaults[name].form[:2]]
    choice.ambiguities.append(
        f"Column {name!r}: 03/04 is read as 3 April, with the day first. If that is wrong, pass "
        "--month-first."
    )
    return by_order["%d"]


def normalize_value(text: str, info: ColumnInfo, styles: Mapping[str, Style]) -> str:
    """Convert a value to standard notation (1234.5, 2024-12-31); reject ambiguous values."""
    if not info.is_numeric or info.display not in ("number", "date", "datetime"):
        return text
    is_number = info.display == "number"
    fits = [style for style in matching_styles([text]) if (style.kind in NUMBERS) == is_number]
    if not fits:
        return text
    # Use the style of the column or, without one, the decimal mark of the other columns.
    marks = {style.decimal for style in styles.values() if style.kind in NUMBERS} - {""}
    styled = info.name in styles and styles[info.name].decimal
    decimal_comma = True if marks == {","} and not styled else None
    choice = choose_styles({info.name: fits}, decimal_comma=decimal_comma, defaults=styles)
    if choice.ambiguities:
        form = "numbers as 1234.5" if is_number else "dates as 2024-12-31"
        raise DataError(f"Column {info.name!r}: {text!r} is ambiguous. Write {form}.")
    value: Any = choice.styles[info.name].read(pl.Series("value", [text]))[0]
    return text if value is None else str(value)
