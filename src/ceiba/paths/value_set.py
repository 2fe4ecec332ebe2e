"""Sets of values of one column: an interval or levels, with or without missing values.

The code after the last level represents all unseen levels. `named` are the levels that the splits
list; other levels were not present in the node. `text`, `python` and `holds` describe the same set.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ceiba.table import Column, ColumnInfo, Kind
from ceiba.tree.splits import ALL_DIGITS, levels_sentence, quote_level, range_sentence
from ceiba.words import words


@dataclass(frozen=True)
class ValueSet:
    """A set of values of one column: numbers with `low < x <= high`, or `codes` of levels.

    `named` are the codes that some split lists, `missing` is whether the missing value belongs to
    the set, and `digits` are the digits with which `low` and `high` are printed (`SplitTable`).
    """

    info: ColumnInfo
    low: float = -math.inf
    high: float = math.inf
    codes: frozenset[int] = frozenset()
    named: frozenset[int] = frozenset()
    missing: bool = True
    digits: tuple[int, int] = field(default=(ALL_DIGITS, ALL_DIGITS), compare=False)

    # ------------------------------------------------------------------ construction

    @staticmethod
    def everything(info: ColumnInfo) -> ValueSet:
        """Return the set of all values of a column."""
        levels = frozenset(range(info.n_levels))
        return ValueSet(info, codes=levels | {info.n_levels}, named=levels)

    @staticmethod
    def only_missing(info: ColumnInfo) -> ValueSet:
        """Return the set that contains only the missing value."""
        return ValueSet(info, low=math.inf)

    def up_to(self, cut: float, digits: int = ALL_DIGITS) -> ValueSet:
        """Return the subset of known, nonmissing values at or below the cut."""
        levels = self._select_levels(lambda code: code <= cut)
        return self & replace(levels, high=cut, digits=(ALL_DIGITS, digits))

    def above(self, cut: float, digits: int = ALL_DIGITS) -> ValueSet:
        """Return the subset of known, nonmissing values above the cut."""
        levels = self._select_levels(lambda code: code > cut)
        return self & replace(levels, low=cut, digits=(digits, ALL_DIGITS))

    def of_codes(self, codes: Any) -> ValueSet:
        """Return the subset of levels with these codes, without the missing value."""
        present = frozenset(codes)
        named = present - {self.info.n_levels}
        return self & ValueSet(self.info, codes=present, named=named, missing=False)

    def _select_levels(self, belongs: Any) -> ValueSet:
        codes = frozenset(code for code in range(self.info.n_levels) if belongs(code))
        return ValueSet(self.info, codes=codes, named=codes, missing=False)

    @property
    def present(self) -> ValueSet:
        """The set without the missing value."""
        return replace(self, missing=False)

    def __and__(self, other: ValueSet) -> ValueSet:
        return ValueSet(
            self.info,
            low=max(self.low, other.low),
            high=min(self.high, other.high),
            codes=self.codes & other.codes,
            named=self.named & other.named,
            missing=self.missing and other.missing,
            digits=(
                (self if self.low >= other.low else other).digits[0],
                (self if self.high <= other.high else other).digits[1],
            ),
        )

    def __or__(self, other: ValueSet) -> ValueSet:
        union = self.union(other)
        assert union is not None, "two intervals with a gap between them"
        return union

    def union(self, other: ValueSet) -> ValueSet | None:
        """Return the union with another set, or None if it consists of two intervals."""
        missing = self.missing or other.missing
        if not self.info.is_numeric:
            codes, named = self.codes | other.codes, self.named | other.named
            return ValueSet(self.info, codes=codes, named=named, missing=missing)
        a, b = sorted((self, other), key=lambda values: (values.low, values.high))
        if a._no_numbers or b._no_numbers:
            numbers = b if a._no_numbers else a
            return replace(numbers, missing=missing)
        if b.low > a.high:
            return None
        last = a if a.high >= b.high else b
        digits = (a.digits[0], last.digits[1])
        return ValueSet(self.info, low=a.low, high=last.high, missing=missing, digits=digits)

    # ------------------------------------------------------------------ membership

    @property
    def _no_numbers(self) -> bool:
        return self.low >= self.high

    @property
    def is_empty(self) -> bool:
        """Whether no value belongs to the set."""
        return not self.missing and (self._no_numbers if self.info.is_numeric else not self.codes)

    @property
    def is_everything(self) -> bool:
        """Whether every value belongs to the set."""
        if not self.missing:
            return False
        if self.info.is_numeric:
            return self.low == -math.inf and self.high == math.inf
        return len(self.codes) == self.info.n_levels + 1

    def holds(self, column: Column) -> NDArray[np.bool_]:
        """Return a mask of the rows of a column whose value belongs to the set."""
        values = column.values
        if self.info.is_numeric:
            inside = np.zeros(len(values), bool)
            if not self._no_numbers:
                with np.errstate(invalid="ignore"):
                    inside = values <= self.high if self.high < math.inf else values == values
                    if self.low > -math.inf:
                        inside = inside & (values > self.low)
            return np.asarray(inside | (np.isnan(values) if self.missing else False), bool)
        allowed = np.zeros(self.info.n_levels + 2, bool)
        allowed[list(self.codes)] = True
        allowed[-1] = self.missing
        # Code -1 (missing) selects the last entry; unseen codes are clipped to the entry before it.
        return np.asarray(allowed[np.minimum(values, self.info.n_levels)], bool)

    # ------------------------------------------------------------------ formatting

    def text(
        self,
        *,
        digits: int | None = None,
        max_levels: int | None = None,
        missing: bool = False,
        unseen: bool = False,
        lang: str = "en",
    ) -> str:
        """Return the set as a condition in text form, or "" if it contains every value.

        With `missing` and `unseen`, such values are mentioned if they belong to the set.
        """
        if self.is_everything:
            return ""
        name, info, word = self.info.name, self.info, words(lang)
        if self.present.is_empty:
            return f"{name} {word['split.is_missing']}" if self.missing else word["split.never"]
        if info.is_numeric:
            text = range_sentence(name, (self.low, self.high), info, self.digits, digits, lang)
        elif unseen:
            text = self._all_levels_text(lang)
        else:
            text = self._levels_text(max_levels, lang)
        if not text:  # all present values
            return f"{name} {word['split.is_present']}"
        return f"{text} {word['split.or_missing']}" if missing and self.missing else text

    def _levels_text(self, max_levels: int | None, lang: str) -> str:
        info = self.info
        codes = sorted(self.named) or sorted(self.codes - {info.n_levels})
        if len(codes) == info.n_levels:
            return ""
        if not codes:
            return f"{info.name} {words(lang)['split.unseen']}"
        levels = [info.levels[code] for code in codes]
        run = codes == list(range(codes[0], codes[-1] + 1))
        if info.kind is Kind.ORDERED and run and info.n_levels > 2:
            if codes[0] == 0:
                return f"{info.name} <= {quote_level(levels[-1])}"
            if codes[-1] == info.n_levels - 1:
                return f"{info.name} > {quote_level(info.levels[codes[0] - 1])}"
        return levels_sentence(info.name, levels, max_levels, lang)

    def _all_levels_text(self, lang: str) -> str:
        info, inside = self.info, self.info.n_levels not in self.codes
        levels = [
            info.levels[code] for code in range(info.n_levels) if (code in self.codes) == inside
        ]
        if inside:
            return levels_sentence(info.name, levels, None, lang)
        levels_text = ", ".join(map(quote_level, levels))
        return f"{info.name} {words(lang)['split.not_in']} {{{levels_text}}}" if levels else ""

    def python(self, row: str = "row") -> str:
        """Return Python code that tests a dict `row`, in which missing values are None or NaN."""
        if self.is_everything or self.is_empty:
            return str(self.is_everything)
        name = f"{row}[{self.info.name!r}]"
        is_missing = f"{name} is None or {name} != {name}"
        numeric = self.info.is_numeric
        inside = self._python_numbers(name) if numeric else self._python_levels(name)
        if inside == "False":
            return f"({is_missing})"
        if numeric and inside != "True":  # in Python, None < 3 raises an error and nan < 3 is False
            if self.missing:
                return f"({is_missing} or {inside})"
            return f"({name} is not None and {inside})"
        # For a missing value, `in` a list of levels is False, and `not in` is True.
        if not numeric and self.missing == (self.info.n_levels in self.codes):
            return inside
        if self.missing:
            return f"({is_missing} or {inside})"
        present = f"{name} is not None and {name} == {name}"
        return f"({present})" if inside == "True" else f"({present} and {inside})"

    def _python_numbers(self, name: str) -> str:
        if self._no_numbers:
            return "False"
        low, high = (_python_number(bound, self.info) for bound in (self.low, self.high))
        if self.low > -math.inf and self.high < math.inf:
            return f"{low} < {name} <= {high}"
        if self.high < math.inf:
            return f"{name} <= {high}"
        return f"{name} > {low}" if self.low > -math.inf else "True"

    def _python_levels(self, name: str) -> str:
        n = self.info.n_levels
        if not self.codes:
            return "False"
        if n in self.codes:
            levels = [self.info.levels[code] for code in range(n) if code not in self.codes]
            return f"{name} not in {levels!r}" if levels else "True"
        return f"{name} in {[self.info.levels[code] for code in sorted(self.codes)]!r}"


def _python_number(bound: float, info: ColumnInfo) -> str:
    """Return a bound as a Python expression: a number, date, datetime or timedelta."""
    display = info.display
    if display in ("number", "boolean") or not math.isfinite(bound):
        return repr(bound)
    if display == "duration":
        return f"datetime.timedelta(seconds={bound!r})"
    if display == "date":  # rounding down to a day changes no comparison of dates
        return f"datetime.date(1970, 1, 1) + datetime.timedelta(days={math.floor(bound) // 86400})"
    zone = "" if info.zone is None else ", tzinfo=datetime.timezone.utc"
    return f"datetime.datetime(1970, 1, 1{zone}) + datetime.timedelta(seconds={bound!r})"
