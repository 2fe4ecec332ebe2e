"""Doubles as whole multiples of a power of 2: Python's integers then add without rounding."""

from __future__ import annotations

from fractions import Fraction
from typing import Any


def whole(values: Any) -> tuple[list[int], Fraction]:
    """The multiples, and what they are multiples of."""
    ratios = [float(v).as_integer_ratio() for v in values]
    unit = max((bottom for _, bottom in ratios), default=1)
    return [top * (unit // bottom) for top, bottom in ratios], Fraction(1, unit)
