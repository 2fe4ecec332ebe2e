"""Format splits as text: numbers, dates, level names and the sentence of a branch.

A printed cut separates the training values exactly as the cut does. A cut that is a decimal of at
most 12 digits is printed as `x <= 2.45`; one whose next float above is such a decimal, as
`x < 17.3`. Others are rounded to the digits that keep every value of the training column on its
side (`SplitTable.digits`, found when the tree was grown), and a cut that was rounded up has `<`.
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
ALL_DIGITS: Final = 17  # enough for every float64; the default without training data
_SHORT_DIGITS: Final = 12  # by chance, one float in 10,000 is such a decimal
_CLEAN_DIGITS: Final = 9
_HUGE: Final = 1e15  # larger numbers are printed with an exponent
_COMPLEMENT: Final = {"<=": ">", "<": ">="}
# Text that the parser would not read as part of a level.
_MISREAD: Final = re.compile(r"""[,{}|'"]|^\s|\s$|^$|^\+\d+ more$|\sor missing$""")


def number_text(value: float, digits: int = DIGITS) -> str:
    """Return a number as text (not for cuts): significant digits, no trailing zeros."""
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
        # Rounding down to a day (or a microsecond) keeps every date (or time) on its side;
        # rounding up might pass the next value.
        return "<=", format_value(_round_time_down(cut, info.display), info.display, zone=info.zone)
    if not math.isfinite(cut):
        return "<=", number_text(cut)
    above = math.nextafter(cut, math.inf) + 0.0  # no -0.0
    least, value = min((_count_digits(number), number) for number in (cut, above))
    if least > _SHORT_DIGITS:  # `digits` digits keep every value of the column on its side
        digits = max(digits, fewest)
        # The midpoint of two decimals may differ from a decimal by rounding.
        clean = float(f"{cut:.{_SHORT_DIGITS - 1}e}")
        value = clean if _count_digits(clean) <= _CLEAN_DIGITS else float(f"{cut:.{digits - 1}e}")
        value = cut if digits >= ALL_DIGITS else value
    text = repr(value)  # the shortest decimal, with an exponent only far from 1
    if value == 0 or 1e-6 <= abs(value) < 1e16:
        text = format(Decimal(text), "f")
        text = text.rstrip("0").rstrip(".") if "." in text else text
    return "<=" if value <= cut else "<", text


def _round_time_down(cut: float, display: str) -> float:
    """Round a cut, in seconds, down to a day or a microsecond."""
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
    """Return a level as text; blank ones are quoted."""
    text = str(level)
    return text if text.strip() else repr(text)


def class_text(target: TargetInfo, code: int, output: int = 0) -> str:
    """Return a class as text; ``Survived = 1`` if classes are numbers and the target has a name."""
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
    """Return the sentence of one side of a cut; boolean columns use yes and no."""
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
    """Return the sentence of an interval between two cuts; "" if both are infinite."""
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
    """Return the sentence of a level set; levels beyond `max_levels` are counted, not listed."""
    if len(levels) == 1:
        return f"{column} = {quote_level(levels[0])}"
    names = [quote_level(level) for level in levels]
    if max_levels is not None and len(names) > max_levels:
        names = [*names[:max_levels], words(lang)("split.more", n=len(names) - max_levels)]
    return f"{column} {words(lang)['split.in']} {{{', '.join(names)}}}"


def presence_sentence(column: str, missing: bool, lang: str = "en") -> str:
    """Return the sentence of a present or missing value."""
    return f"{column} {words(lang)['split.is_missing' if missing else 'split.is_present']}"
