"""Parse splits from the text in which they are printed.

    "x <= 2.5", "x > 2.5", "x < 3", "x >= 3"       a cut; the boundary may be a date or a level
    "x = a", "x in {a, b}"                         levels against all others
    "x is missing", "x is present"
    "x = a | x in {b, c} | x = d"                  one condition per branch; or a list of them
    "x <= 1 | 1 < x <= 3 | x > 3"                  intervals, from the lowest upward
    "x = a | x = b | x is missing"                 missing values have the last branch

A condition may end in "or missing": its branch takes the missing values. `x < 3` is the cut just
below 3, so that 3 takes the upper branch. Levels may be quoted, with escapes, as levels with
commas are printed: "x in {'Rome, Italy', Oslo}". Known levels may contain commas without quotes,
but "a, b" is read as two levels if both exist.
"""

from __future__ import annotations

import ast
import datetime
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ceiba.errors import CeibaError, TreeError, did_you_mean
from ceiba.table import ColumnInfo, Kind
from ceiba.table.readers import parse_iso_dates
from ceiba.tree.splits.sentences import quote_level
from ceiba.tree.splits.split_table import Cut, Intervals, LevelSets, Presence, Split

#: The forms of a split, for error messages.
SPLIT_FORMS: Final = (
    "'x <= 3', 'x > 3', 'x = a', 'x in {a, b}', 'x is missing', or one condition per branch: "
    "'x = a | x in {b, c}', 'x <= 1 | 1 < x <= 3 | x > 3'"
)
_SIGN: Final = re.compile(
    r"\s*(<=|>=|==|=|<|>|≤|≥|(?:in|∈)\s*(?=\{)|is\s+(?=missing\b|present\b))\s*"
)
_LOW_END: Final = re.compile(r"(\S.*?)\s*(<=|<|≤)\s*")
_SPELLINGS: Final = {"≤": "<=", "≥": ">=", "∈": "in"}
_MISSING: Final = re.compile(r"\s+or missing$")
#: A level in quotes.
_LEVEL: Final = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")
_COMMA: Final = re.compile(r"\s*(,\s*|$)")
# Quotes are recognized only where a level may begin or end, not as apostrophes in names.
_QUOTED: Final = re.compile(
    rf"(?<![^\s={{,<>≤≥])(?:{_LEVEL.pattern})(?=\s*(?:[,}}|]|or missing\b|$))"
)


@dataclass(frozen=True)
class ParsedSplit:
    """A split, the branch of each parsed condition and the branch of missing values, if given."""

    split: Split
    branches: tuple[int, ...]
    missing: int | None = None


def parse_split(
    written: str | Sequence[str], columns: Mapping[str, ColumnInfo], *, closed: bool = True
) -> ParsedSplit:
    """Parse the text of a split; with `closed`, reject columns that are not in `columns`."""
    texts = [written] if isinstance(written, str) else list(written)
    if not texts or not all(isinstance(text, str) for text in texts):
        raise TreeError(f"{written!r} is not a valid split. Write it as {SPLIT_FORMS}.")
    if len(texts) == 1:
        # Levels may contain bars, so bars separate branches only if every part is a condition.
        masked = _QUOTED.sub(lambda match: " " * len(match[0]), texts[0])
        bars = [at for at, letter in enumerate(masked) if letter == "|"]
        ends = zip([-1, *bars], [*bars, len(masked)], strict=True)
        pieces = [texts[0][a + 1 : b] for a, b in ends]
        texts = pieces if all(_SIGN.search(piece.strip()) for piece in pieces) else texts
    return _join_branches([_parse_sentence(text, columns, closed) for text in texts])


def _join_branches(sentences: list[ParsedSplit]) -> ParsedSplit:
    """Combine parsed conditions, one for each branch, into one split."""
    first = sentences[0].split
    if len(sentences) == 1:
        return sentences[0]
    names = {sentence.split.column for sentence in sentences}
    if len(names) > 1:
        raise TreeError(f"All conditions of a split must use one column, got {sorted(names)}.")
    # The last condition may be "is missing", for a separate branch of missing values.
    alone = sentences[-1].split == Presence(first.column) and sentences[-1].branches == (1,)
    of_values = sentences[:-1] if alone else sentences
    split: Split | None = None
    if all(isinstance(sentence.split, LevelSets) for sentence in of_values) and len(of_values) > 1:
        groups = tuple(sentence.split.branches[0] for sentence in of_values)  # type: ignore[union-attr]
        flat = [level for group in groups for level in group]
        twice = [level for level in flat if flat.count(level) > 1]
        if twice:
            raise TreeError(f"Column {first.column!r}: level {twice[0]!r} is in two branches.")
        split = LevelSets(first.column, groups, alone)
    elif all(isinstance(sentence.split, Cut | Intervals) for sentence in of_values):
        split = _join_intervals(of_values, alone)
    if split is not None:
        with_missing = [b for b, sentence in enumerate(sentences) if sentence.missing is not None]
        if alone and with_missing:
            raise TreeError(
                f"Column {first.column!r}: missing values have their own branch. Omit 'or missing'."
            )
        missing = with_missing[0] if with_missing else None
        return ParsedSplit(split, tuple(range(len(sentences))), missing)
    if len(sentences) == 2 and sentences[0].split == sentences[1].split:
        says = [sentence.missing for sentence in sentences if sentence.missing is not None]
        sides = (sentences[0].branches[0], sentences[1].branches[0])
        if sides[0] != sides[1]:
            return ParsedSplit(first, sides, says[0] if says else None)
    raise TreeError(
        f"Column {first.column!r}: the conditions do not form one split. Intervals "
        "must ascend without gaps: 'x <= 1 | 1 < x <= 3 | x > 3'."
    )


def _join_intervals(sentences: list[ParsedSplit], alone: bool) -> Intervals | None:
    """Combine ascending adjacent conditions into intervals; return None for other conditions."""
    if len(sentences) < 2 + (not alone):
        return None
    ends: list[tuple[float, float]] = []
    for sentence in sentences:
        if isinstance(sentence.split, Cut):
            cut = sentence.split.cut
            ends.append((-math.inf, cut) if sentence.branches == (0,) else (cut, math.inf))
        elif isinstance(sentence.split, Intervals):
            ends.append((sentence.split.cuts[0], sentence.split.cuts[1]))
    cuts = tuple(high for _, high in ends[:-1])
    if ends != list(zip((-math.inf, *cuts), (*cuts, math.inf), strict=True)):
        return None
    return Intervals(sentences[0].split.column, cuts, alone)


def _parse_sentence(text: str, columns: Mapping[str, ColumnInfo], closed: bool) -> ParsedSplit:
    plain = text.strip()
    bare = _MISSING.sub("", plain)
    read: tuple[Split, int] | None = _parse_range(bare, columns, text)
    if read is None:
        name, sign, operand = _tokenize(bare, columns, closed, text)
        read = _build_split(name, sign, operand, columns.get(name), text)
    split, branch = read
    takes_missing = bare != plain
    if takes_missing and isinstance(split, Presence):
        raise TreeError(
            f"{text!r}: 'or missing' is not supported with 'is missing' and 'is present'."
        )
    return ParsedSplit(split, (branch,), branch if takes_missing else None)


def _parse_range(
    text: str, columns: Mapping[str, ColumnInfo], written: str
) -> tuple[Intervals, int] | None:
    """Parse "1 < x <= 3" as the second of three intervals; return None for other conditions."""
    low = _LOW_END.match(text)
    signs = list(_SIGN.finditer(text, low.end())) if low else []
    if low is None or not signs or signs[-1][1] not in ("<=", "<", "≤"):
        return None
    name = text[low.end() : signs[-1].start()].strip()
    if any(column != name and text.startswith(column) for column in columns):
        return None  # the text starts with the name of another column
    info = columns.get(name)
    if not name or (info is not None and not info.is_numeric):
        return None
    try:
        bounds = [_parse_bound(end, info, written) for end in (low[1], text[signs[-1].end() :])]
    except TreeError:
        return None
    for k, strict in enumerate((low[2] in ("<=", "≤"), signs[-1][1] == "<")):
        if strict:  # "3 <= x" and "x < 3" mean the cut just below 3
            bounds[k] = math.nextafter(bounds[k], -math.inf)
    return Intervals(name, (bounds[0], bounds[1])), 1


def _tokenize(
    text: str, columns: Mapping[str, ColumnInfo], closed: bool, written: str
) -> tuple[str, str, str]:
    """Split a condition into column, sign and value, using the longest matching column name."""
    for name in sorted(columns, key=len, reverse=True):
        match = _SIGN.match(text, len(name)) if text.startswith(name) else None
        if match:
            return name, _normalize_sign(match[1]), text[match.end() :].strip()
    level = _QUOTED.search(text)
    signs = list(_SIGN.finditer(text, 0, level.start() if level else len(text)))
    if signs:
        # Split at the first "in", because levels may contain signs. Otherwise use the last sign.
        at = next((sign for sign in signs if _normalize_sign(sign[1]) == "in"), signs[-1])
        name = text[: at.start()].strip()
        if name and closed:
            raise TreeError(
                f"In {written!r}, there is no column {name!r}. Columns: {', '.join(columns)}."
                f"{did_you_mean(name, list(columns))}"
            )
        if name:
            return name, _normalize_sign(at[1]), text[at.end() :].strip()
    raise TreeError(f"{written!r} is not a valid split. Write it as {SPLIT_FORMS}.")


def _normalize_sign(sign: str) -> str:
    return _SPELLINGS.get(sign.strip(), sign.strip())


def _build_split(
    name: str, sign: str, operand: str, info: ColumnInfo | None, written: str
) -> tuple[Split, int]:
    if sign == "is":
        return Presence(name), int(operand == "missing")
    if sign in ("=", "==", "in"):
        if info is not None and info.display == "boolean" and operand in ("no", "yes"):
            return Cut(name, 0.5), int(operand == "yes")
        if info is not None and info.is_numeric:
            raise TreeError(f"In {written!r}, {name!r} is numeric. Write '{name} <= number'.")
        if sign != "in":
            levels = (_parse_level(operand, info, written),)
        elif operand.endswith("}"):
            levels = parse_levels(operand[1:-1], info, written)
        else:
            raise TreeError(f"In {written!r}, the list of levels must end in '}}'.")
        if info is not None and info.kind == Kind.ORDERED:
            return _parse_ordered_levels(name, levels, info, written)
        return LevelSets(name, (levels,)), 0
    low = sign in ("<=", "<")
    if info is not None and info.kind == Kind.CATEGORICAL:
        raise TreeError(
            f"In {written!r}, column {name!r} is categorical. Write '{name} in {{...}}'. "
            f"Levels: {_format_levels(info)}."
        )
    if info is not None and info.kind == Kind.ORDERED:
        code = info.levels.index(_parse_level(operand, info, written))
        return Cut(name, code + (0.5 if sign in ("<=", ">") else -0.5)), int(not low)
    cut = _parse_bound(operand, info, written)
    if sign in ("<", ">="):
        cut = math.nextafter(cut, -math.inf)
    return Cut(name, cut), int(not low)


def _parse_ordered_levels(
    name: str, levels: tuple[Any, ...], info: ColumnInfo, written: str
) -> tuple[Cut, int]:
    """Convert the lowest or highest levels of an ordered column to a cut."""
    codes = sorted(info.levels.index(level) for level in levels)
    n = len(info.levels)
    if codes == list(range(len(codes))) and len(codes) < n:
        return Cut(name, codes[-1] + 0.5), 0
    if codes == list(range(n - len(codes), n)) and len(codes) < n:
        return Cut(name, codes[0] - 0.5), 1
    raise TreeError(
        f"In {written!r}, column {name!r} is ordered, so one branch must contain the lowest levels "
        f"and the other the highest levels. Levels: {_format_levels(info)}."
    )


def _parse_bound(text: str, info: ColumnInfo | None, written: str) -> float:
    try:
        if info is not None and info.display == "duration":
            return _parse_duration(text)
        if info is not None and info.display in ("date", "datetime"):
            return float(parse_iso_dates(info.name, [text])[0][0])
        number = float(text)
    except (ValueError, CeibaError):
        number = math.nan
    if not math.isfinite(number):
        kind = "finite number" if info is None or info.display == "number" else info.display
        raise TreeError(f"In {written!r}, {text!r} is not a {kind}. Write {SPLIT_FORMS}.")
    return number


def _parse_duration(text: str) -> float:
    """Parse a duration such as "1 day, 2:30:00", or a number of seconds."""
    match = re.fullmatch(r"(?:(-?\d+) days?,\s*)?(\d+):(\d\d):(\d\d(?:\.\d+)?)", text)
    if match is None:
        return float(text)
    days, hours, minutes, seconds = match.groups()
    span = datetime.timedelta(days=int(days or 0), hours=int(hours), minutes=int(minutes))
    return span.total_seconds() + float(seconds)


# ---------------------------------------------------------------------- levels


def _parse_level(text: str, info: ColumnInfo | None, written: str) -> Any:
    """Parse one level of a condition; error messages quote `written`, the whole condition."""
    inside = _unquote(text)
    if info is None or not info.levels:
        return text if inside is None else inside
    level_of = _levels_by_text(info)
    if text in level_of:
        return level_of[text]
    bare = {str(level): level for level in reversed(info.levels)}
    for candidate in (inside, text):
        if candidate in bare:
            return bare[candidate]
    kind = "ordered" if info.kind == Kind.ORDERED else "categorical"
    raise TreeError(
        f"In {written!r}, {text!r} is not a level of the {kind} column {info.name!r}. Levels: "
        f"{_format_levels(info)}.{did_you_mean(text, list(bare))}"
    )


def parse_levels(inside: str, info: ColumnInfo | None, written: str) -> tuple[Any, ...]:
    """Parse the comma-separated levels between the braces of a condition."""
    names = [] if info is None else sorted(map(str, info.levels), key=len, reverse=True)
    printed = [] if info is None else sorted(_levels_by_text(info), key=len, reverse=True)
    texts, rest = _split_levels(inside, [*printed, *names])
    if rest:
        texts, rest = _split_levels(inside, [*names, *printed])
    if rest:
        assert info is not None  # without a schema, every text is a level
        if re.match(r"\+\d+ more", rest):
            raise TreeError(f"In {written!r}, list all levels instead of '{rest}'.")
        _parse_level(rest.split(",")[0].strip(), info, written)  # unknown levels are errors
        raise TreeError(f"In {written!r}, {rest!r} are not levels. Levels: {_format_levels(info)}.")
    if not texts:
        raise TreeError(f"In {written!r}, the list of levels is empty.")
    return tuple(_parse_level(text, info, written) for text in texts)


def _format_levels(info: ColumnInfo) -> str:
    """Return the first levels of a column as text for error messages."""
    levels = ", ".join(quote_level(level) for level in info.levels[:12])
    return levels if len(info.levels) <= 12 else f"{levels}, ..."


def _split_levels(inside: str, names: list[str]) -> tuple[list[str], str]:
    """Split text at commas into known levels; return them and the rest of the text."""
    texts: list[str] = []
    at = 0
    while at < len(inside):
        quoted = _LEVEL.match(inside, at)
        candidates = [quoted[0]] if quoted else []
        candidates += names or [inside[at:].split(",")[0].strip()]
        for text in candidates:
            comma = _COMMA.match(inside, at + len(text))
            if comma and inside.startswith(text, at):
                break
        else:
            return texts, inside[at:]
        texts += [text] if text else []
        at = comma.end()
    return texts, ""


def _levels_by_text(info: ColumnInfo) -> dict[str, Any]:
    return {quote_level(level): level for level in reversed(info.levels)}


def _unquote(text: str) -> str | None:
    """Return the string inside quotes, or None if the text has no quotes."""
    try:
        value = ast.literal_eval(text) if _LEVEL.fullmatch(text) else None
    except (SyntaxError, ValueError):  # an invalid escape
        return None
    return value if isinstance(value, str) else None
