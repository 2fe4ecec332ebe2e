"""Format splits as text: numbers, dates, level names and the condition of a branch.

A printed cut separates the training values exactly as the cut does. A cut that is a decimal of at
most 12 digits is printed as `x <= 2.45`. If the next float above a cut is a short decimal, the cut
is printed as `x < 17.3`. Other cuts are rounded to the digits with which all training values
keep their branch (`SplitTable.digits`, set by growing); a cut rounded up is printed with `<`.
Every cut is printed by `format_cut`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from ceiba.table import ColumnInfo, TargetInfo, format_value
from ceiba.words import words

DIGITS: Final = 6
ALL_DIGITS: Final = 17  # number of digits that distinguishes all float64 values
_SHORT_DIGITS: Final = 12  # decimals with at most this many digits are not rounded
_CLEAN_DIGITS: Final = 9
_HUGE: Final = 1e15  # larger numbers are printed with an exponent
_COMPLEMENT: Final = {"<=": ">", "<": ">="}
# Texts that the parser would not read as an unquoted level.
_MISREAD: Final = re.compile(r"""[,{}|'"]|^\s|\s$|^$|^\+\d+ more$|\sor missing$""")


def number_text(value: float, digits: int = DIGITS) -> str:
    """Format a number with `digits` significant digits; below 1e15, keep all integer digits."""
    if not math.isfinite(value):
        return {math.inf: "inf", -math.inf: "-inf"}.get(value, "nan")
    if abs(value) >= _HUGE:
        return f"{value:.{digits}g}"
    if value == round(value):
        return str(round(value))
    text = f"{value:.{max(digits, len(str(int(abs(value)))))}g}"
    return text if "e" in text or "." not in text else text.rstrip("0").rstrip(".")


def format_cut(
    cut: float, info: ColumnInfo | None, digits: int = ALL_DIGITS, fewest: int = DIGITS
) -> tuple[str, str]:
    """Return the sign of a cut ("<=" or "<") and its value as text."""
    if info is not None and info.levels:
        code = min(max(math.floor(cut), 0), len(info.levels) - 1)
        return "<=", quote_level(info.levels[code])
    if info is not None and info.display not in ("number", "boolean"):
        # Rounding down to a day or a microsecond moves no date or time to the other branch, but
        # rounding up might.
        return "<=", format_value(_round_time_down(cut, info.display), info.display, zone=info.zone)
    if not math.isfinite(cut):
        return "<=", number_text(cut)
    above = math.nextafter(cut, math.inf) + 0.0  # no -0.0
    least, value = min((_count_digits(number), number) for number in (cut, above))
    if least > _SHORT_DIGITS:  # the cut is not a short decimal, so round it to `digits`
        digits = max(digits, fewest)
        # Midpoints of two decimals may differ from a short decimal by a rounding error.
        clean = float(f"{cut:.{_SHORT_DIGITS - 1}e}")
        value = clean if _count_digits(clean) <= _CLEAN_DIGITS else float(f"{cut:.{digits - 1}e}")
        value = cut if digits >= ALL_DIGITS else value
    text = repr(value)  # shortest decimal; very large or small values have an exponent
    if value == 0 or 1e-6 <= abs(value) < 1e16:
        text = format(Decimal(text), "f")
        text = text.rstrip("0").rstrip(".") if "." in text else text
    return "<=" if value <= cut else "<", text


def _round_time_down(cut: float, display: str) -> float:
    """Round a cut in seconds down to a day for dates, otherwise to a microsecond."""
    if not abs(cut) < _HUGE / 1e3:  # beyond the calendar
        return cut
    if display == "date":
        return float(math.floor(cut) // 86400 * 86400)
    count = round(cut * 1e6)
    while count / 10**6 > cut:
        count -= 1
    while (count + 1) / 10**6 <= cut:
        count += 1
    return count / 10**6


def _count_digits(value: float) -> int:
    """Return the number of significant digits of the shortest decimal equal to `value`."""
    return len(repr(abs(value)).partition("e")[0].replace(".", "").strip("0"))


def level_text(level: Any) -> str:
    """Return a level as text, quoted if it is blank."""
    text = str(level)
    return text if text.strip() else repr(text)


def class_text(target: TargetInfo, code: int, output: int = 0) -> str:
    """Return a class as text, such as ``Survived = 1`` if a named target has numeric classes."""
    labels = target.classes[output]
    text = level_text(labels[code])
    if target.name is None or target.outputs or labels.dtype.kind not in "iuf":
        return text
    return f"{target.name} = {text}"


def quote_level(level: Any) -> str:
    """Return a level as text, quoted and escaped where it would be ambiguous."""
    text = str(level)
    return repr(text) if _MISREAD.search(text) or not text.isprintable() else text


def cut_sentence(
    column: str,
    cut: float,
    low: bool,
    info: ColumnInfo | None,
    digits: int = ALL_DIGITS,
    fewest: int | None = None,
    lang: str = "en",
) -> str:
    """Return the condition of one branch of a cut; boolean columns use yes and no."""
    if info is not None and info.display == "boolean" and 0 <= cut < 1:
        return f"{column} = {words(lang)['split.no' if low else 'split.yes']}"
    sign, text = format_cut(cut, info, digits, DIGITS if fewest is None else fewest)
    return f"{column} {sign if low else _COMPLEMENT[sign]} {text}"


def range_sentence(
    column: str,
    bounds: tuple[float, float],
    info: ColumnInfo | None,
    digits: tuple[int, int] = (ALL_DIGITS, ALL_DIGITS),
    fewest: int | None = None,
    lang: str = "en",
) -> str:
    """Return the condition of an interval between two cuts, or "" if both are infinite."""
    low, high = bounds
    below, above = high < math.inf, low > -math.inf
    # Join "x > 2.5" and "x <= 9" into "2.5 < x <= 9".
    upper = cut_sentence(column, high, True, info, digits[1], fewest, lang) if below else ""
    lower = cut_sentence(column, low, False, info, digits[0], fewest, lang) if above else ""
    if not (below and above) or "=" in (upper + lower).replace("<=", "").replace(">=", ""):
        return words(lang)["split.and"].join(filter(None, [lower, upper]))
    sign, bound = lower[len(column) :].split(maxsplit=1)
    return f"{bound} {sign.replace('>', '<')} {upper}"


def levels_sentence(
    column: str, levels: Sequence[Any], max_levels: int | None, lang: str = "en"
) -> str:
    """Return the condition of a set of levels, listing at most `max_levels` of them."""
    if len(levels) == 1:
        return f"{column} = {quote_level(levels[0])}"
    names = [quote_level(level) for level in levels]
    if max_levels is not None and len(names) > max_levels:
        names = [*names[:max_levels], words(lang)("split.more", n=len(names) - max_levels)]
    return f"{column} {words(lang)['split.in']} {{{', '.join(names)}}}"


def presence_sentence(column: str, missing: bool, lang: str = "en") -> str:
    """Return the condition "column is missing" or, unless `missing`, "column is present"."""
    return f"{column} {words(lang)['split.is_missing' if missing else 'split.is_present']}"
