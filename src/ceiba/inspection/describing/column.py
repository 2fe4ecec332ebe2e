"""Describe one column: kind, missing values, distribution and problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from ceiba.formatting import escape_control
from ceiba.layout import bin_edges, percent
from ceiba.table import Column, Kind, classify_texts, format_value, is_identifier
from ceiba.tree.splits import level_text, number_text

ColumnKind = Literal["number", "category", "ordered", "date", "identifier"]

_MANY_ROWS: Final = 20  # with fewer rows, all dates may differ by chance
_MANY_LEVELS: Final = 500
_MANY_MISSING: Final = 0.5
_ENOUGH_ROWS: Final = 200  # with fewer rows, nearly constant columns and leaks may arise by chance
_NEARLY: Final = 0.99  # minimum share of rows for "nearly_constant", minimum association for "leak"
#: Numbers that often stand for a missing value.
_MISSING_CODES: Final = (-1, -9, -99, -999, -9999, -99999, 99, 999, 9999, 99999, 999999)
_FEW_VALUES: Final = 10  # with fewer other values, a missing code must be farther away (_FAR)
_FAR: Final = 5  # distance from few other values, divided by their range; 1 for more values
_RECURS: Final = 3  # minimum number of rows that contain a missing code
_NOT_RARE: Final = 0.01  # minimum share of rows with a missing code if only its sign is unusual
_MAX_LENGTH: Final = 16  # maximum length of a level name in a distribution
_SPARK: Final = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class Remark:
    """A possible problem in a column.

    Attributes
    ----------
    code : str
        Kind of remark: "empty", "constant", "nearly_constant", "identifier", "dates_differ",
        "many_levels", "numbers_as_text", "dates_as_text", "codes", "mostly_missing",
        "missing_code", "infinite" or "leak".
    column : str
    text : str
        The remark in words, with advice.
    value : float or None
        The value that a "missing_code" is about.
    """

    code: str
    column: str
    text: str
    value: float | None = None


@dataclass(frozen=True)
class ColumnDescription:
    """Description of one column.

    Attributes
    ----------
    name : str
    kind : {"number", "category", "ordered", "date", "identifier"}
    n_missing, n_present : int
        Rows without and with a value.
    missing : float
        Share of the rows without a value.
    n_distinct : int
        Number of distinct values.
    quantiles : tuple of float
        Numbers and dates: minimum, quartiles and maximum (dates in seconds since 1970).
    histogram : tuple of int
        Numbers and dates: rows in bins of equal width between minimum and maximum; bins of whole
        numbers have whole widths.
    levels : tuple of (level, rows)
        Categories: the most frequent levels; ordered ones in their order.
    n_infinite : int
        Numbers: infinite values, which quantiles and histogram exclude.
    n_counted : int
        Rows with a value from which distinct values, quantiles, histogram and levels are counted;
        a large table is sampled.
    association : float or None
        Share of the target's impurity that the best single split on this column removes;
        None without a target, and for identifiers and constant columns.
    remarks : tuple of Remark
    is_target : bool
    """

    name: str
    kind: ColumnKind
    n_missing: int
    missing: float
    n_present: int
    n_distinct: int
    quantiles: tuple[float, ...] = ()
    histogram: tuple[int, ...] = ()
    levels: tuple[tuple[Any, int], ...] = ()
    association: float | None = None
    remarks: tuple[Remark, ...] = ()
    is_target: bool = False
    display: str = "number"
    n_infinite: int = 0
    n_counted: int = 0

    @property
    def n_rows(self) -> int:
        """The number of rows of the table."""
        return self.n_missing + self.n_present

    def distribution(self, *, unicode: bool = True) -> str:
        """Return the distribution of the column's values as a short string.

        Examples
        --------
        >>> import ceiba
        >>> ceiba.describe({"x": [1, 1, 1, 2, 5]}).columns[0].distribution()
        '1 █▃▁▁▃ 5'
        """
        if self.quantiles:
            low, high = (_format_value(self.quantiles[k], self.display) for k in (0, -1))
            highest = max(self.histogram, default=0) or 1
            heights = [max(n > 0, round(n / highest * (len(_SPARK) - 1))) for n in self.histogram]
            shape = "".join(_SPARK[height] for height in heights) if unicode else "..."
            infinite = f", inf {percent(self.n_infinite / self.n_counted)}"
            return f"{low} {shape} {high}{infinite if self.n_infinite else ''}"
        shares = [
            f"{_format_level(level, unicode)} {percent(n / self.n_counted)}"
            for level, n in self.levels[:3]
            if n
        ]
        n_more = self.n_distinct - len(shares)
        return ", ".join(shares) + (f", +{n_more}" if n_more > 0 else "")

    def to_dict(self) -> dict[str, Any]:
        """Return the description as a dict, with dates as strings."""
        return {
            "name": self.name,
            "kind": self.kind,
            "n_missing": self.n_missing,
            "missing": self.missing,
            "n_infinite": self.n_infinite,
            "n_counted": self.n_counted,
            "n_distinct": self.n_distinct,
            "quantiles": [
                value if self.kind != "date" else _format_value(value, self.display)
                for value in self.quantiles
            ],
            "histogram": list(self.histogram),
            "levels": [[level, n] for level, n in self.levels],
            "association": self.association,
            "remarks": [vars(remark).copy() for remark in self.remarks],
            "is_target": self.is_target,
        }


def describe_column(column: Column, *, bins: int, top: int) -> ColumnDescription:
    """Describe one column of a table, without a target."""
    info, missing = column.info, column.missing
    n_missing, n_rows = int(missing.sum()), len(missing)
    share = n_missing / n_rows if n_rows else 0.0
    present = column.values[~missing]
    facts = {"name": info.name, "n_missing": n_missing, "missing": share,
             "n_present": n_rows - n_missing, "n_counted": n_rows - n_missing}  # fmt: skip
    if info.is_numeric and info.display != "boolean":
        return _describe_numbers(facts, column, present, bins)
    labels: tuple[Any, ...] = ("no", "yes") if info.is_numeric else info.levels
    return _describe_levels(facts, column, present.astype(np.int64), labels, top)


def leak_remark(column: ColumnDescription, target: str) -> tuple[Remark, ...]:
    """Return a remark if one split on the column almost determines the target."""
    if column.association is None or column.association < _NEARLY or column.n_rows < _ENOUGH_ROWS:
        return ()
    text = (
        f"Column {column.name!r} alone decides {target!r}. Remove the column if its value is not "
        f"known before {target!r}."
    )
    return (Remark("leak", column.name, text),)


def _describe_numbers(
    facts: dict[str, Any], column: Column, values: NDArray[Any], bins: int
) -> ColumnDescription:
    values, display = values.astype(np.float64), column.info.display
    distinct, counts = np.unique(values, return_counts=True)
    n_distinct = len(counts)
    kind: ColumnKind = "date" if display in ("date", "datetime") else "number"
    name, n = facts["name"], len(values)
    remarks = _gap_remarks(facts, counts)
    if n >= _MANY_ROWS and n_distinct == n and kind == "date":
        text = "has a different date in each row, so it does not help with new rows. Drop it, or "
        remarks.append(_remark("dates_differ", name, f"{text}derive columns such as the month."))
    if is_identifier(column):
        kind = "identifier"
        text = "contains row numbers, which do not help with new rows. Drop it."
        remarks.append(_remark("identifier", name, text))
    finite = values[np.isfinite(values)]
    if n_infinite := n - len(finite):
        text = (
            f"has infinite values ({n_infinite}), which fit does not accept. Replace them by the "
        )
        remarks.append(
            _remark("infinite", name, f"{text}largest finite value, or by missing values.")
        )
    if kind == "number" and np.isin(distinct, _MISSING_CODES).any():
        remarks += _missing_codes(name, distinct, counts)
    facts |= {"kind": kind, "n_distinct": n_distinct, "n_infinite": n_infinite}
    if not len(finite):
        return ColumnDescription(**facts, remarks=tuple(remarks))
    # Very large values are divided by 4, so that their differences do not overflow.
    scale = 4.0 if np.abs(finite).max() > 1e307 else 1.0
    scaled = finite / scale
    edges = bin_edges(scaled, [], bins, trim=False)
    return ColumnDescription(
        **facts,
        quantiles=tuple((np.quantile(scaled, [0, 0.25, 0.5, 0.75, 1]) * scale).tolist()),
        histogram=tuple(np.histogram(scaled, bins if edges is None else edges)[0].tolist()),
        remarks=tuple(remarks),
        display=display,
    )


def _describe_levels(
    facts: dict[str, Any],
    column: Column,
    codes: NDArray[np.int64],
    labels: tuple[Any, ...],
    top: int,
) -> ColumnDescription:
    counts = np.bincount(codes, minlength=len(labels))
    n_distinct, n, name = int(np.count_nonzero(counts)), len(codes), facts["name"]
    ordered = column.info.kind == Kind.ORDERED
    order = np.arange(len(labels)) if ordered else np.argsort(-counts, kind="stable")
    described: ColumnKind = "ordered" if ordered else "category"
    remarks = _gap_remarks(facts, counts)
    texts = _text_remarks(name, labels, counts)
    if is_identifier(column):
        described = "identifier"
        text = f"is an identifier with {n_distinct} levels in {n} rows, which does not help with "
        remarks.append(_remark("identifier", name, f"{text}new rows. Drop it."))
    remarks += texts
    if described != "identifier" and not texts and n_distinct >= _MANY_LEVELS:
        text = (
            f"has {n_distinct:,} levels, {n / n_distinct:.3g} rows each. Splits on so many levels "
        )
        advice = "overfit. Group rare levels, replace them (by a region, a type), or leave it out."
        remarks.append(_remark("many_levels", name, text + advice))
    return ColumnDescription(
        **facts,
        kind=described,
        n_distinct=n_distinct,
        levels=tuple((labels[k], int(counts[k])) for k in order[:top].tolist()),
        remarks=tuple(remarks),
    )


def _remark(code: str, name: str, text: str) -> Remark:
    return Remark(code, name, f"Column {name!r} {text}")


def _gap_remarks(facts: dict[str, Any], counts: NDArray[np.int64]) -> list[Remark]:
    """Return remarks if a column is empty, (nearly) constant or mostly missing."""
    name, n_present = facts["name"], facts["n_present"]
    if not n_present:
        return [_remark("empty", name, "has no values.")]
    remarks = []
    largest = int(counts.max())
    if largest == n_present > 1:
        remarks.append(_remark("constant", name, "has one value in all rows."))
    elif n_present >= _ENOUGH_ROWS and largest >= _NEARLY * n_present:
        text = f"has one value in {percent(largest / n_present)} of rows."
        remarks.append(_remark("nearly_constant", name, text))
    if facts["missing"] > _MANY_MISSING:
        text = f"is missing in {percent(facts['missing'])} of the rows."
        remarks.append(_remark("mostly_missing", name, text))
    return remarks


def _missing_codes(
    name: str, distinct: NDArray[np.float64], counts: NDArray[np.int64]
) -> list[Remark]:
    """Return remarks about frequent values such as -999 that may stand for missing values."""
    valid = distinct[np.isfinite(distinct) & ~np.isin(distinct, _MISSING_CODES)]
    if len(valid) < 2:
        return []
    many = len(valid) >= _FEW_VALUES
    low, high, n = float(valid[0]), float(valid[-1]), int(counts.sum())
    remarks = []
    for value in distinct[np.isin(distinct, _MISSING_CODES)].tolist():
        rows = int(counts[distinct == value][0])
        far = max(low - value, value - high) > (high - low) * (1 if many else _FAR)
        only_negative = many and value < 0 <= low and rows >= _NOT_RARE * n
        if rows >= _RECURS and (far or only_negative):
            code = number_text(value, 6)
            text = (
                f"Column {name!r} is {code} in {percent(rows / n)} of the rows; all others are "
                f"{number_text(low, 4)} to {number_text(high, 4)}. Does {code} mean missing? Then "
                "read it as missing."
            )
            remarks.append(Remark("missing_code", name, text, value))
    return remarks


def _text_remarks(name: str, labels: tuple[Any, ...], counts: NDArray[np.int64]) -> list[Remark]:
    """Return a remark if most values of a text column look like numbers, dates or codes."""
    likeness, exception = classify_texts(labels, counts)
    if likeness == "codes":
        text = f"Column {name!r} is read as levels: its numbers begin with 0, as codes do."
        has_zeros = any(
            k and str(label)[:1] == "0" for label, k in zip(labels, counts, strict=True)
        )
        return [Remark("codes", name, text)] if has_zeros else []
    if not likeness:
        return []
    if exception is None:
        example = next(label for label, k in zip(labels, counts, strict=True) if k)
        why = f"not all have the format of {example!r}"
    else:
        why = f"{exception!r} is not a {likeness.removesuffix('s')}"
    text = f"Column {name!r} is read as levels, but looks like {likeness}: {why}."
    return [Remark(f"{likeness}_as_text", name, text)]


def _format_value(value: float, display: str) -> str:
    if display in ("date", "datetime", "duration"):
        return format_value(value, display)  # type: ignore[arg-type]
    return number_text(float(value), 4)


def _format_level(level: Any, unicode: bool) -> str:
    text = escape_control(level_text(level), one_line=True)
    return text if len(text) <= _MAX_LENGTH else text[: _MAX_LENGTH - 1] + ("…" if unicode else "~")
