"""Define which changes of a column a counterfactual allows, and their distances.

The distance of a change is its share of the training range for a number, its share of the number of
steps for an ordered level, and 1 for any other level or for filling in a missing value. A present
value never becomes missing and a known level never an unknown one, because such a change cannot be
acted on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ceiba.errors import OptionError, did_you_mean
from ceiba.paths import ValueSet
from ceiba.table import ColumnInfo, Kind, Schema

Direction = Literal["up", "down"]


@dataclass(frozen=True)
class NewValue:
    """A changed value (a number or a level code) and its distance from the old one."""

    value: float
    distance: float


@dataclass(frozen=True)
class ColumnLimits:
    """Allowed values of one column, and the cost of a change."""

    info: ColumnInfo
    fixed: bool = False
    direction: Direction | None = None
    codes: frozenset[int] | None = None
    low: float = -math.inf
    high: float = math.inf
    cost: float = 1.0

    def nearest(self, value: float, wanted: ValueSet) -> NewValue | None:
        """Return the nearest allowed value in a set, or None if there is none."""
        numeric = self.info.is_numeric
        missing = value != value if numeric else value < 0
        if self._is_inside(value, missing, wanted):
            return NewValue(value, 0.0)
        if self.fixed:
            return None
        find = self._nearest_number if numeric else self._nearest_level
        if (new := find(value, wanted)) is None:
            return None
        distance = 1.0 if missing else self._distance(value, new)
        return NewValue(new, distance * self.cost)

    def _is_inside(self, value: float, missing: bool, wanted: ValueSet) -> bool:
        if missing:
            return wanted.missing
        if self.info.is_numeric:
            above = value > wanted.low or wanted.low == -math.inf  # an unlimited side includes -inf
            return above and value <= wanted.high
        return min(int(value), self.info.n_levels) in wanted.codes

    def _nearest_number(self, value: float, wanted: ValueSet) -> float | None:
        # Sets exclude their lower end (low < x <= high), so the least value is the next float.
        low = max(math.nextafter(wanted.low, math.inf), self.low)
        high = min(wanted.high, self.high)
        if value == value and self.direction == "up":
            low = max(low, value)
        if value == value and self.direction == "down":
            high = min(high, value)
        if wanted.low >= wanted.high or low > high:
            return None
        start = value if value == value else self._middle()
        return min(max(start, low), high)

    def _nearest_level(self, code: float, wanted: ValueSet) -> float | None:
        n = self.info.n_levels
        codes = [
            c for c in sorted(wanted.codes) if c < n and (self.codes is None or c in self.codes)
        ]
        has_level = 0 <= code < n
        if has_level and self.direction == "up":
            codes = [c for c in codes if c > code]
        if has_level and self.direction == "down":
            codes = [c for c in codes if c < code]
        if not codes:
            return None
        if self.info.kind is Kind.ORDERED and has_level:
            return float(min(codes, key=lambda c: abs(c - code)))
        # All other levels are equally far; prefer one that a split contains.
        return float(next((c for c in codes if c in wanted.named), codes[0]))

    def _distance(self, value: float, new: float) -> float:
        if self.info.is_numeric:
            return abs(new - value) / self._range(value)
        if self.info.kind is Kind.ORDERED and value < self.info.n_levels:
            return abs(new - value) / max(self.info.n_levels - 1, 1)
        return 1.0

    def _range(self, value: float) -> float:
        low, high = self.info.minimum, self.info.maximum
        if low is not None and high is not None and high > low:
            return high - low
        return abs(value) if value and math.isfinite(value) else 1.0

    def _middle(self) -> float:
        low, high = self.info.minimum, self.info.maximum
        return 0.0 if low is None or high is None else (low + high) / 2


def read_limits(
    schema: Schema,
    fixed: Iterable[str],
    direction: Mapping[str, Direction],
    allowed: Mapping[str, Any],
    cost: Mapping[str, float],
) -> tuple[ColumnLimits, ...]:
    """Check the options of `counterfactual` and return the limits of each column."""
    fixed = [fixed] if isinstance(fixed, str) else list(fixed)
    for option, names in (
        ("fixed", fixed), ("direction", direction), ("allowed", allowed), ("cost", cost)
    ):  # fmt: skip
        for name in names:
            if name not in schema.names:
                hint = did_you_mean(name, schema.names)
                raise OptionError(f"{option}: column {name!r} not found.{hint}")
    return tuple(
        _read_column(info, info.name in fixed, direction, allowed, cost) for info in schema.columns
    )


def _read_column(
    info: ColumnInfo,
    fixed: bool,
    direction: Mapping[str, Direction],
    allowed: Mapping[str, Any],
    cost: Mapping[str, float],
) -> ColumnLimits:
    name, side = info.name, direction.get(info.name)
    if fixed and (name in direction or name in allowed or name in cost):
        raise OptionError(
            f"direction, allowed and cost are not supported for a fixed column; {name!r} is fixed."
        )
    if side is not None and side not in ("up", "down"):
        raise OptionError(f"direction of {name!r} must be 'up' or 'down', got {side!r}.")
    if side is not None and info.kind is Kind.CATEGORICAL:
        raise OptionError(
            f"direction is not supported for {name!r}, whose levels have no order. "
            f"Pass allowed={{{name!r}: [...]}} instead."
        )
    price = float(cost.get(name, 1.0))
    if not (math.isfinite(price) and price > 0):
        raise OptionError(f"cost of {name!r} must be a positive number, got {price}.")
    codes, low, high = None, -math.inf, math.inf
    if name in allowed and info.is_numeric:
        low, high = _read_number_range(name, allowed[name])
    elif name in allowed:
        codes = _read_levels(info, allowed[name])
    return ColumnLimits(info, fixed, side, codes, low, high, price)


def _read_number_range(name: str, bounds: Any) -> tuple[float, float]:
    try:
        low, high = bounds
        low = -math.inf if low is None else float(low)
        high = math.inf if high is None else float(high)
    except (TypeError, ValueError):
        raise OptionError(
            f"allowed of {name!r} must be a pair (low, high), got {bounds!r}. "
            "None leaves a side open."
        ) from None
    if not low <= high:
        raise OptionError(f"allowed of {name!r} must be (low, high), got ({low}, {high}).")
    return low, high


def _read_levels(info: ColumnInfo, allowed: Any) -> frozenset[int]:
    levels = [allowed] if isinstance(allowed, str) else list(allowed)
    for level in levels:
        if level not in info.codes:
            hint = did_you_mean(str(level), map(str, info.levels))
            raise OptionError(f"allowed: {level!r} is not a level of {info.name!r}.{hint}")
    return frozenset(info.codes[level] for level in levels)
