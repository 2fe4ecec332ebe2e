"""New values of a column that a counterfactual may use, and their distances from the old value.

The distance is the change divided by the training range for a number, the change of rank divided by
the largest possible one for an ordered level, and 1 for another level or for filling in a missing
value. No value becomes missing and no level becomes one unseen in training, because nobody can act
on such a change.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

from ceiba.errors import OptionError, did_you_mean
from ceiba.paths import ValueSet
from ceiba.table import ColumnInfo, Kind, Schema

Direction = Literal["up", "down"]


@dataclass(frozen=True)
class NewValue:
    """A new value (a number or a level code) and its distance, multiplied by the column's cost."""

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

    def nearest(self, value: float, goal: ValueSet) -> NewValue | None:
        """Return the allowed value in `goal` nearest to `value`, or None if there is none."""
        numeric = self.info.is_numeric
        missing = value != value if numeric else value < 0
        if self._is_inside(value, missing, goal):
            return NewValue(value, 0.0)
        if self.fixed:
            return None
        find = self._nearest_number if numeric else self._nearest_level
        if (new := find(value, goal)) is None:
            return None
        distance = 1.0 if missing else self._distance(value, new)
        return NewValue(new, distance * self.cost)

    def _is_inside(self, value: float, missing: bool, goal: ValueSet) -> bool:
        if missing:
            return goal.missing
        if self.info.is_numeric:
            above = value > goal.low or goal.low == -math.inf  # low = -inf means no lower limit
            return above and value <= goal.high
        return min(int(value), self.info.n_levels) in goal.codes

    def _nearest_number(self, value: float, goal: ValueSet) -> float | None:
        # The set is low < x <= high, so its smallest value is the next float above `low`.
        low = max(math.nextafter(goal.low, math.inf), self.low)
        high = min(goal.high, self.high)
        if value == value and self.direction == "up":
            low = max(low, value)
        if value == value and self.direction == "down":
            high = min(high, value)
        if goal.low >= goal.high or low > high:
            return None
        start = value if value == value else self._middle()
        return min(max(start, low), high)

    def _nearest_level(self, code: float, goal: ValueSet) -> float | None:
        n = self.info.n_levels
        codes = [c for c in sorted(goal.codes) if c < n and (self.codes is None or c in self.codes)]
        has_level = 0 <= code < n
        if has_level and self.direction == "up":
            codes = [c for c in codes if c > code]
        if has_level and self.direction == "down":
            codes = [c for c in codes if c < code]
        if not codes:
            return None
        if self.info.kind is Kind.ORDERED and has_level:
            return float(min(codes, key=lambda c: abs(c - code)))
        # All other levels are equally distant; prefer a level that a split names.
        return float(next((c for c in codes if c in goal.named), codes[0]))

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
                raise OptionError(f"{option}: column not found: {name!r}.{hint}")
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
            "direction, allowed and cost are not supported for fixed columns, but column "
            f"{name!r} is fixed."
        )
    if side is not None and side not in ("up", "down"):
        raise OptionError(f"direction must map {name!r} to 'up' or 'down', got {side!r}.")
    if side is not None and info.kind is Kind.CATEGORICAL:
        raise OptionError(
            f"A direction is not supported for {name!r}, whose levels have no order. Pass the "
            "allowed levels instead."
        )
    price = cost.get(name, 1.0)
    if not (isinstance(price, Real) and math.isfinite(price) and price > 0):
        raise OptionError(f"cost must map {name!r} to a positive finite number, got {price!r}.")
    codes, low, high = None, -math.inf, math.inf
    if name in allowed and info.is_numeric:
        low, high = _read_number_range(name, allowed[name])
    elif name in allowed:
        codes = _read_levels(info, allowed[name])
    return ColumnLimits(info, fixed, side, codes, low, high, float(price))


def _read_number_range(name: str, bounds: Any) -> tuple[float, float]:
    try:
        low, high = bounds
        low = -math.inf if low is None else float(low)
        high = math.inf if high is None else float(high)
    except (TypeError, ValueError):
        raise OptionError(
            f"allowed must map {name!r} to a pair of numbers (low, high), got {bounds!r}. None in "
            "the pair means no limit."
        ) from None
    if not low <= high:
        raise OptionError(f"allowed must map {name!r} to low <= high, got ({low}, {high}).")
    return low, high


def _read_levels(info: ColumnInfo, allowed: Any) -> frozenset[int]:
    levels = [allowed] if isinstance(allowed, str) else list(allowed)
    for level in levels:
        if level not in info.codes:
            hint = did_you_mean(str(level), map(str, info.levels))
            raise OptionError(f"allowed must map {info.name!r} to its levels, got {level!r}.{hint}")
    return frozenset(info.codes[level] for level in levels)
