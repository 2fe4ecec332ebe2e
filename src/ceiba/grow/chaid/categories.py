"""Columns as CHAID sees them: categories. Numbers are first cut into bins of about equal size.

At most `bins` of them: the k-th cut stands behind the value up to which at least k / bins of the
rows lie. A column with no more values than bins is cut between all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ceiba.table import Column, ColumnInfo, Kind

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Categories:
    """The categories of a column: how many, if they have an order, the cuts between numbers."""

    n: int
    ordered: bool
    cuts: Array | None = None


def of_levels(info: ColumnInfo) -> Categories:
    """Give the categories of a column of levels."""
    return Categories(len(info.levels), info.kind is Kind.ORDERED)


def of_cuts(cuts: Array) -> Categories:
    """Give the bins of a column of numbers."""
    return Categories(len(cuts) + 1, True, cuts)


def places_of_cuts(total: float, bins: int) -> Array:
    """Say how many rows there shall be up to each cut."""
    return np.asarray(np.floor(np.arange(1, bins) * total / bins))


def cuts_between(low: Array, high: Array) -> Array:
    """Give midpoints, such that low <= cut < high at the edges of float64 too."""
    with np.errstate(over="ignore"):
        middle = (low + high) / 2
    middle = np.where(np.isfinite(middle), middle, low / 2 + high / 2)
    return np.where(middle < high, middle, low)


def cuts_of(values: Array, bins: int, weight: Array | None) -> Array:
    """Cut numbers into bins.

    `weight` says how many rows each row stands for; None: one.
    """
    present = ~np.isnan(values)
    distinct, place = np.unique(values[present], return_inverse=True)
    if len(distinct) > bins:
        each = None if weight is None else weight[present]
        below = np.cumsum(np.bincount(place, weights=each))  # rows up to each value
        lower = np.unique(np.searchsorted(below, places_of_cuts(below[-1], bins)))
        lower = lower[lower + 1 < len(distinct)]
    else:
        lower = np.arange(max(len(distinct) - 1, 0))
    return cuts_between(distinct[lower], distinct[lower + 1])


def codes_of(values: npt.NDArray[np.generic], cuts: Array | None) -> npt.NDArray[np.int32]:
    """Give the category of each value, -1 where it is missing; codes of levels are as they are."""
    if cuts is None:
        return np.asarray(values, np.int32)
    numbers = np.asarray(values, np.float64)
    codes = np.searchsorted(cuts, numbers, side="left").astype(np.int32)
    codes[np.isnan(numbers)] = -1
    return codes


def categories_of(
    column: Column, bins: int, rows: npt.NDArray[np.intp], weight: Array | None = None
) -> Categories:
    """Give the categories of a column, of which numbers are put into bins by some rows."""
    if column.info.kind is not Kind.NUMERIC:
        return of_levels(column.info)
    values = np.asarray(column.values, np.float64)
    part = values if len(rows) == len(values) else values[rows]
    return of_cuts(cuts_of(part, bins, None if weight is None else weight[rows]))
