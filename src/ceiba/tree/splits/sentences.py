"""How a split reads: numbers, dates, level names and the sentence of one branch.

A shown cut must still separate: it is never rounded to whole numbers or to fewer decimals than
data with two decimals need (the midpoint of 92 and 93 stays 92.5, that of 1.25 and 1.26 stays
1.255). Only longer decimals are shortened, to `digits` significant digits, after the noise of
binary fractions is taken off (5.449999999999999 is 5.45). `digits_by_column` raises the number
of digits of a column until all its different cuts in one tree also look different.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, Final

from ceiba.table import ColumnInfo
from ceiba.table.display import show_number

DIGITS: Final = 6
_NOISE_DIGITS: Final = 12  # what survives of a float64 midpoint of decimal numbers
_HUGE: Final = 1e15  # beyond it the digits before the point are not all shown
_KEPT_DECIMALS: Final = 3  # midpoints of data with two decimals have three
# What would be read as the end of a level, or as something else than one.
_MISREAD: Final = re.compile(r"""[,{}|'"]|^\s|\s$|^$|^\+\d+ more$|\sor missing$""")


def number_text(value: float, digits: int = DIGITS) -> str:
    """Show a number that is not a cut: `digits` significant digits, no trailing zeros.

    Examples
    --------
    >>> number_text(0.30000000000000004), number_text(1234567.0), number_text(2.0)
    ('0.3', '1234567', '2')
    >>> number_text(3.5e200), number_text(-1e16)
    ('3.5e+200', '-1e+16')
    """
    if not math.isfinite(value):
        return {math.inf: "inf", -math.inf: "-inf"}.get(value, "nan")
    if abs(value) >= _HUGE:
        return f"{value:.{digits}g}"
    if value == round(value):
        return str(round(value))
    shown = f"{value:.{max(digits, len(str(int(abs(value)))))}g}"
    return shown if "e" in shown or "." not in shown else shown.rstrip("0").rstrip(".")


def plain_cut_text(cut: float, digits: int | None = None) -> str:
    """Show a numeric cut so that it still separates what it separated.

    Examples
    --------
    >>> plain_cut_text(92.5, digits=2), plain_cut_text(5.449999999999999)
    ('92.5', '5.45')
    >>> plain_cut_text(0.123456789), plain_cut_text(1234567.5)
    ('0.123457', '1234567.5')
    """
    if not math.isfinite(cut) or cut == 0:
        return number_text(cut)
    digits = DIGITS if digits is None else digits
    clean = cut if digits > _NOISE_DIGITS else float(f"{cut:.{_NOISE_DIGITS}g}")
    before_point = math.floor(math.log10(abs(clean))) + 1
    decimals = max(digits - before_point, _KEPT_DECIMALS)
    text = format(Decimal(repr(clean)), "f")
    if abs(clean) >= 1e16 or abs(clean) < 1e-6:
        return repr(float(f"{clean:.{digits}g}"))
    if len(text.partition(".")[2]) > decimals:
        text = format(round(Decimal(repr(clean)), decimals), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def cut_text(cut: float, info: ColumnInfo | None, digits: int | None = None) -> str:
    """Show a cut as a number, date, duration or level name, whatever its column is."""
    if info is None:
        return plain_cut_text(cut, digits)
    if info.levels:
        code = min(max(math.floor(cut), 0), len(info.levels) - 1)
        return quoted_level(info.levels[code])
    if info.display in ("number", "boolean"):
        return plain_cut_text(cut, digits)
    # `x <= cut` says the same of dates with the cut at the start of its day, and of times with it
    # at a microsecond; both must be rounded down, or the cut might pass the value above it.
    step = 86400.0 if info.display == "date" else 1e-6
    return show_number(math.floor(cut / step) * step, info.display, zone=info.zone)


def level_text(level: Any) -> str:
    """Show a level by its own text.

    Examples
    --------
    >>> level_text("Some"), level_text("")
    ('Some', "''")
    """
    text = str(level)
    return text if text.strip() else repr(text)


def quoted_level(level: Any) -> str:
    """Show a level in a sentence: in quotes, with escapes, where it would be misread without them.

    Examples
    --------
    >>> quoted_level("Some"), quoted_level("Rome, Italy"), quoted_level("")
    ('Some', "'Rome, Italy'", "''")
    """
    text = str(level)
    return repr(text) if _MISREAD.search(text) or not text.isprintable() else text


def cut_sentence(
    column: str, cut: float, low: bool, info: ColumnInfo | None, digits: int | None
) -> str:
    """Say which side of a cut a row is on; a boolean column answers yes or no.

    A cut just below a whole number (rpart sends `x < 31` to one side) is shown as what it means.

    Examples
    --------
    >>> cut_sentence("x", 2.5, True, None, None)
    'x <= 2.5'
    >>> cut_sentence("x", 30.999999999999996, True, None, None)
    'x < 31'
    """
    if info is not None and info.display == "boolean" and 0 <= cut < 1:
        return f"{column} = {'no' if low else 'yes'}"
    number = info is None or (info.display == "number" and not info.levels)
    above = math.nextafter(cut, math.inf)
    if number and abs(cut) < _HUGE and above == round(above) and above != 0:
        return f"{column} {'<' if low else '>='} {round(above)}"
    return f"{column} {'<=' if low else '>'} {cut_text(cut, info, digits)}"


def range_sentence(
    column: str, low: float, high: float, info: ColumnInfo | None, digits: int | None
) -> str:
    """Say that a value is above one cut and not above another; "" where both are infinite.

    Examples
    --------
    >>> range_sentence("x", 2.5, 9, None, None), range_sentence("x", 2.5, math.inf, None, None)
    ('2.5 < x <= 9', 'x > 2.5')
    >>> range_sentence("x", 30.999999999999996, 40, None, None)
    '31 <= x <= 40'
    """
    below, above = high < math.inf, low > -math.inf
    # "x <= 9" and "x > 2.5" as the splits themselves say them, then "2.5 < x <= 9" from both.
    upper = cut_sentence(column, high, True, info, digits) if below else ""
    lower = cut_sentence(column, low, False, info, digits) if above else ""
    if not (below and above) or "=" in (upper + lower).replace("<=", "").replace(">=", ""):
        return " and ".join(filter(None, [lower, upper]))
    sign, bound = lower[len(column) :].split(maxsplit=1)
    return f"{bound} {sign.replace('>', '<')} {upper}"


def levels_sentence(column: str, levels: Sequence[Any], max_levels: int | None) -> str:
    """Say which levels a branch takes; more than `max_levels` are counted, not listed.

    Examples
    --------
    >>> levels_sentence("day", ("Mon",), None), levels_sentence("day", ("Mon", "Tue"), None)
    ('day = Mon', 'day in {Mon, Tue}')
    >>> levels_sentence("city", ("Rome, Italy", "Oslo"), None)
    "city in {'Rome, Italy', Oslo}"
    """
    if len(levels) == 1:
        return f"{column} = {quoted_level(levels[0])}"
    shown = [quoted_level(level) for level in levels]
    if max_levels is not None and len(shown) > max_levels:
        shown = [*shown[:max_levels], f"+{len(shown) - max_levels} more"]
    return f"{column} in {{{', '.join(shown)}}}"


def presence_sentence(column: str, missing: bool) -> str:
    """Say whether the value is there.

    Examples
    --------
    >>> presence_sentence("income", True)
    'income is missing'
    """
    return f"{column} is {'missing' if missing else 'present'}"


def separating_digits(cuts: Iterable[float], digits: int = DIGITS) -> int:
    """Return the digits, at least `digits`, at which all different cuts look different.

    Examples
    --------
    >>> separating_digits([0.12345678, 0.12345679])
    8
    """
    different = set(cuts)
    while digits < 17 and len({plain_cut_text(cut, digits) for cut in different}) < len(different):
        digits += 1
    return digits
