"""How the cells of a CSV column are written: 1.5, 1.234,5, R$ 12, 8 %, 31/12/2024, true, or text.

`fitting` lists the styles that every cell of a column fits. Cells such as 1.234 fit two of them (a
decimal point, or a point between thousands); `choose` settles these by the other columns of the
file, by what the model was learned from, and last by the separator, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ceiba._polars import pl
from ceiba.errors import DataError
from ceiba.table.schema import ColumnInfo

#: Cells that mean "nothing here" among numbers and dates; among texts they are levels like others.
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
_DATES: Final = {  # the pattern is needed beside the form, which would take 24 for the year 24
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
#: A whole number that begins with 0 (00501): a code, not a number.
CODE: Final = r"^[+-]?0\d+$"
_CLOCKS: Final = {"%H:%M:%S": r" \d{1,2}:\d{2}:\d{2}$", "%H:%M": r" \d{1,2}:\d{2}$"}
#: Patterns tell 0 from other digits and nothing more, so 3.14 and 2.71 are one shape.
_SHAPE: Final = str.maketrans("23456789", "1" * 8)


#: The kinds of styles that are numbers.
NUMBERS: Final = ("integer", "number")


@dataclass(frozen=True)
class Style:
    """One way of writing cells."""

    kind: str
    decimal: str = ""
    thousands: str = ""
    prefix: str = ""
    suffix: str = ""
    form: str = ""

    def read(self, series: Any) -> Any:
        """Read texts; a cell that is not in this style becomes null."""
        return series.to_frame().select(self.expression(pl.col(series.name))).to_series()

    def expression(self, cells: Any) -> Any:
        """Return the polars expression that reads a column of texts.

        Expressions of many columns run at once: 2,000 columns take no longer than their cells do.
        """
        if self.kind == "text":
            return cells
        cells = without_weak(cells)
        if self.kind == "boolean":
            words = cells.str.to_lowercase()
            return pl.when(words.is_in(["true", "false"])).then(words == "true")
        if self.kind == "integer":
            return cells.cast(pl.Int64, strict=False)
        if self.kind == "number":
            return self._numbers(cells)
        if self.kind == "date":
            return _where(cells, _DATES[self.form]).str.to_date(self.form, strict=False)
        if self.form:
            day, clock = self.form.split(" ")
            pattern = _DATES[day][:-1] + _CLOCKS[clock]
            return _where(cells, pattern).str.to_datetime(self.form, strict=False, time_unit="us")
        iso = _where(cells, r"^\d{4}-\d{1,2}-\d{1,2}")
        return iso.str.to_datetime(strict=False, time_unit="us")

    def _numbers(self, cells: Any) -> Any:
        if self.prefix or self.suffix:
            sign, before, body, after = (cells.str.extract(_AFFIXED, k) for k in (1, 2, 3, 4))
            same = (before.fill_null("") == self.prefix) & (after.fill_null("") == self.suffix)
            body = sign.fill_null("") + body.str.strip_chars()
            cells = pl.when(same).then(body)
        if self not in PLAIN_STYLES:
            cells = _where(cells, self.pattern)
        if self.thousands:
            cells = cells.str.replace_all(_GROUPS[self.thousands], "")
        if self.decimal == ",":
            cells = cells.str.replace(",", ".", literal=True)
        numbers = cells.cast(pl.Float64, strict=False)
        return pl.when(numbers.is_finite()).then(numbers)

    @property
    def pattern(self) -> str:
        """What a number of this style looks like, without currency or percent sign."""
        groups, mark = _GROUPS[self.thousands], _GROUPS[self.decimal]
        whole = rf"(?:\d+|[1-9]\d{{0,2}}(?:{groups}\d{{3}})+)" if groups else r"\d+"
        if not mark:
            return rf"^[+-]?{whole}$"
        return rf"^[+-]?(?:{whole}(?:{mark}\d*)?|{mark}\d+)(?:[eE][+-]?\d+)?$"

    def to_dict(self) -> dict[str, str]:
        """Return what differs from the plain style, as a model file keeps it."""
        return {name: value for name, value in vars(self).items() if value}

    @staticmethod
    def from_dict(data: Any) -> Style | None:
        """Return a style that a model file holds, None if it is none."""
        is_text = isinstance(data, dict) and all(isinstance(v, str) for v in data.values())
        if not is_text or not {"kind"} <= set(data) <= set(Style.__dataclass_fields__):
            return None
        return Style(**data)


INTEGER: Final = Style("integer")
PLAIN: Final = Style("number", ".")
#: Numbers that any program reads.
PLAIN_STYLES: Final = (INTEGER, PLAIN, Style("number"))
TEXT: Final = Style("text")
_BOOLEAN: Final = Style("boolean")
_PAIRS: Final = tuple(
    (decimal, thousands)
    for thousands in ("", ",", ".", " ", "'")
    for decimal in ("", ".", ",")
    if decimal != thousands and (decimal or thousands not in (".", ","))
)


def tidy(cells: Any, markers: Iterable[str] = ()) -> Any:
    """Return the expression of texts without blanks around them, markers of missing values null."""
    bare = cells.str.strip_chars()
    return pl.when(~bare.is_in(["", *markers])).then(bare)


def without_weak(cells: Any) -> Any:
    """Return the expression of texts without blanks around them, weak markers null."""
    return tidy(cells, WEAK_MARKERS)


def fitting(cells: Iterable[str | None]) -> tuple[Style, ...]:
    """Return the styles that every cell of a column of texts fits, the plainest first."""
    present = {cell.strip() for cell in cells if cell is not None}.difference(WEAK_MARKERS)
    if not present:
        return ()
    shapes = sorted({cell.translate(_SHAPE) for cell in present})
    if _all(shapes, r"(?i)^(true|false)$"):
        return (_BOOLEAN,)
    if _all(shapes, r"^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}"):
        dates = tuple(_dates_fitting(sorted(present)))
        if dates:
            return dates
    return tuple(_numbers_fitting(shapes))


def is_blank(cells: Iterable[str | None]) -> bool:
    """Return whether no cell of a column of texts says anything about how it is written."""
    return all(cell is None or cell.strip() in WEAK_MARKERS for cell in cells)


def _numbers_fitting(cells: list[str]) -> Iterable[Style]:
    if any(re.search(CODE, cell) for cell in cells):
        return
    if _all(cells, r"^[+-]?\d{1,18}$"):
        yield INTEGER
        yield from (Style("number", *pair) for pair in _PAIRS)
        return
    parts = [re.search(_AFFIXED, cell) for cell in cells]
    prefix = suffix = ""
    if all(parts):
        ends = {(part[2], part[4]) for part in parts if part}
        if len(ends) > 1:
            return
        prefix, suffix = ends.pop()
        cells = [part[1] + part[3].strip() for part in parts if part]
    for pair in _PAIRS:
        style = Style("number", *pair, prefix, suffix)
        if _all(cells, style.pattern):
            yield style


def _dates_fitting(cells: list[str]) -> Iterable[Style]:
    series = pl.Series("cells", cells)
    for form, pattern in _DATES.items():
        date = Style("date", form=form)
        if _all(cells, pattern) and _reads_all(date, series):
            yield date
    for form in ("", *(f"{day} {clock}" for day in _DATES for clock in _CLOCKS)):
        day, _, clock = form.partition(" ")
        pattern = _DATES[day][:-1] + _CLOCKS[clock] if form else r"^\d{4}-"
        time = Style("datetime", form=form)
        if _all(cells, pattern) and _reads_all(time, series):
            yield time


def _reads_all(style: Style, series: Any) -> bool:
    try:
        return not style.read(series).null_count()
    except pl.exceptions.PolarsError:  # no cell looks like a time
        return False


def _where(cells: Any, pattern: str) -> Any:
    return pl.when(cells.str.contains(pattern)).then(cells)


def _all(cells: list[str], pattern: str) -> bool:
    return all(map(re.compile(pattern).search, cells))


# ---------------------------------------------------------------------- choosing


@dataclass
class Choice:
    """The style of each column, and what was in doubt, in words."""

    styles: dict[str, Style] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)

    @property
    def decimal_comma(self) -> bool:
        """Whether the numbers of the file have decimal commas."""
        marks = [style.decimal for style in self.styles.values() if style.kind in NUMBERS]
        return "," in marks and "." not in marks


def choose(
    fits: Mapping[str, Sequence[Style]],
    *,
    separator: str = ",",
    decimal_comma: bool | None = None,
    day_first: bool | None = None,
    stored: Mapping[str, Style] | None = None,
) -> Choice:
    """Choose one style for each column."""
    # What is the only possibility of some column settles the doubts of others.
    marks, orders = (
        {value for some in map(possible, fits.values()) if len(some) == 1 for value in some}
        for possible in (_marks, _orders)
    )
    choice = Choice()
    for name, styles in fits.items():
        if not styles:
            choice.styles[name] = TEXT
        elif styles[0].kind in NUMBERS:
            style = _number(name, styles, marks, separator, decimal_comma, stored or {}, choice)
            choice.styles[name] = style
        else:
            choice.styles[name] = _date(name, styles, orders, day_first, stored or {}, choice)
    return choice


def _marks(styles: Sequence[Style]) -> set[str]:
    """Return the decimal marks that are possible; none where no cell has a mark."""
    numbers = [style for style in styles if style.kind in NUMBERS]
    if not numbers or numbers[0] == INTEGER or any(not style.decimal for style in numbers):
        return set()
    return {style.decimal for style in numbers}


def _number(
    name: str,
    styles: Sequence[Style],
    marks: set[str],
    separator: str,
    decimal_comma: bool | None,
    stored: Mapping[str, Style],
    choice: Choice,
) -> Style:
    possible = _marks(styles)
    if decimal_comma is False and possible == {","}:
        return TEXT
    if len(possible) < 2:
        return styles[0]
    by_mark = {mark: next(s for s in styles if s.decimal == mark) for mark in (".", ",")}
    grouped = by_mark["."].thousands == ","  # 1,234: else it is 1.234
    if decimal_comma is not None:
        return by_mark["," if decimal_comma else "."]
    if len(marks) == 1:
        chosen, why = by_mark[next(iter(marks))], "as in the other columns"
        if chosen == by_mark["."] and not grouped:
            return chosen
    elif name in stored and stored[name].decimal in by_mark:
        return by_mark[stored[name].decimal]
    elif (styles[0].prefix or styles[0].suffix) not in ("", "%"):
        return by_mark["." if grouped else ","]  # no currency has three decimals
    elif grouped and separator == ";":
        chosen, why = by_mark[","], "as is usual between semicolons"
    else:
        chosen, why = by_mark["."], "since nothing says otherwise"
        if not grouped and separator != ";":
            return chosen
    example, read = ("1,234", "1234") if grouped else ("1.234", "1.234")
    if chosen.decimal == ",":
        read = "1.234" if grouped else "1234"
    choice.doubts.append(
        f"Column {name!r}: {example} is read as the number {read}, {why}. If that is wrong, give "
        f"--decimal-{'point' if chosen.decimal == ',' else 'comma'}."
    )
    return chosen


def _orders(styles: Sequence[Style]) -> set[str]:
    """Return which of day and month may come first; none where no cell is written so."""
    forms = {style.form[:2] for style in styles if style.form[:2] in ("%d", "%m")}
    return forms if all(style.form[:2] in ("%d", "%m") for style in styles) else set()


def _date(
    name: str,
    styles: Sequence[Style],
    orders: set[str],
    day_first: bool | None,
    stored: Mapping[str, Style],
    choice: Choice,
) -> Style:
    possible = _orders(styles)
    if len(possible) < 2:
        return styles[0]
    by_order = {order: next(s for s in styles if s.form[:2] == order) for order in ("%d", "%m")}
    if day_first is not None:
        return by_order["%d" if day_first else "%m"]
    if len(orders) == 1:
        return by_order[next(iter(orders))]
    if name in stored and stored[name].form[:2] in by_order:
        return by_order[stored[name].form[:2]]
    choice.doubts.append(
        f"Column {name!r}: 03/04 is read as 3 April, the day first. If that is wrong, give "
        "--month-first."
    )
    return by_order["%d"]


def plain_value(text: str, info: ColumnInfo, styles: Mapping[str, Style]) -> str:
    """Return a value that a person types as any program reads it: 1234.5, 2024-12-31.

    Alone it often fits two styles. Those of the model's file settle that, or it is refused.
    """
    if not info.is_numeric or info.display not in ("number", "date", "datetime"):
        return text
    fits = [
        style for style in fitting([text]) if (style.kind in NUMBERS) == (info.display == "number")
    ]
    if not fits:
        return text
    choice = choose({info.name: fits}, decimal_comma=_comma(info.name, styles), stored=styles)
    if choice.doubts:
        example = "1234.5" if info.display == "number" else "2024-12-31"
        raise DataError(
            f"Column {info.name!r}: {text!r} can be read in two ways. Write it like {example}."
        )
    value: Any = choice.styles[info.name].read(pl.Series("value", [text]))[0]
    return text if value is None else str(value)


def _comma(name: str, styles: Mapping[str, Style]) -> bool | None:
    """Return whether the file had decimal commas; None where its numbers do not say."""
    if name in styles and styles[name].decimal:
        return None  # the column itself settles it
    marks = {style.decimal for style in styles.values() if style.kind in NUMBERS and style.decimal}
    return True if marks == {","} else None
