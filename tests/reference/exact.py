"""Exact numbers: integers and fractions for sums and ratios, 60-digit decimals for logarithms.

A float is a fraction with a power of two below, so turning data into exact numbers loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache, wraps
from typing import ParamSpec, TypeVar

Number = int | Fraction | Decimal

P = ParamSpec("P")
R = TypeVar("R")

DIGITS = 60
# Two decimals closer than this are one number that was rounded twice.
NOISE = Decimal(10) ** -40


def exact(value: float | int | Fraction) -> int | Fraction:
    """The same number without rounding; whole numbers as `int`, because those are fast."""
    fraction = Fraction(value)
    return fraction.numerator if fraction.denominator == 1 else fraction


def ratio(top: int | Fraction, bottom: int | Fraction) -> Fraction:
    return Fraction(top) / bottom


def precise(function: Callable[P, R]) -> Callable[P, R]:
    """Run the function with enough decimal digits that rounding cannot be seen."""

    @wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        with localcontext() as context:
            context.prec = DIGITS
            return function(*args, **kwargs)

    return wrapped


@precise
def decimal(value: Number) -> Decimal:
    if isinstance(value, Decimal):
        return value
    fraction = Fraction(value)
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


@cache
@precise
def ln(value: int | Fraction) -> Decimal:
    return decimal(value).ln()


@precise
def log2(value: int | Fraction) -> Decimal:
    return ln(value) / ln(2)


@precise
def times(a: Number, b: Number) -> Number:
    """A product that stays exact unless one of the factors is a decimal."""
    if isinstance(a, Decimal) or isinstance(b, Decimal):
        return decimal(a) * decimal(b)
    return a * b


@precise
def minus(a: Number, b: Number) -> Number:
    if isinstance(a, Decimal) or isinstance(b, Decimal):
        return decimal(a) - decimal(b)
    return a - b


@precise
def plus(a: Number, b: Number) -> Number:
    if isinstance(a, Decimal) or isinstance(b, Decimal):
        return decimal(a) + decimal(b)
    return a + b


def above(a: Number, b: Number) -> bool:
    """`a > b`, where decimals that differ by rounding only count as equal."""
    difference = minus(a, b)
    return difference > NOISE if isinstance(difference, Decimal) else difference > 0


def midpoint(low: float, high: float) -> float:
    """The stored cut between two neighbours: the middle, kept below the upper value."""
    middle = float((Fraction(low) + Fraction(high)) / 2)
    return middle if low <= middle < high else low
