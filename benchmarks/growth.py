"""Growth curves: time as a power of one quantity, the others fixed.

An exponent of 1 means twice the size takes twice the time. Least squares of log(time) on log(size)
over the points; the curve in rows starts at 10^5 rows, as smaller tables fit in the cache.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from benchmarks.libraries import Settings
from benchmarks.problems import (
    CURVE_CLASSES,
    CURVE_COLUMNS,
    CURVE_DEPTHS,
    CURVE_LEVELS,
    CURVE_ROWS,
)
from benchmarks.races import Bar, Contender, Race

D8 = Settings(max_depth=8, min_samples_leaf=50)
JUDGED_ROWS = 100_000
GIGABYTE = 10**9


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """Fit the slope of log(time) over log(size)."""
    x, y = [math.log(size) for size in sizes], [math.log(time) for time in times]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    rise = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return rise / sum((a - mean_x) ** 2 for a in x)


def _curve(name: str, contenders: Iterable[tuple[int, Contender]], *more: Bar) -> Race:
    points = {f"{size:,}": (size, one) for size, one in contenders}
    every = tuple((key, float(size)) for key, (size, _) in points.items())
    last = every[-1][0]
    return Race(
        f"growth in {name}",
        frozenset({"full", "growth"}),
        {key: one for key, (_, one) in points.items()},
        (*more, *(() if more else (Bar("exponent", last, points=every),))),
    )


def _in_rows() -> Race:
    points = [
        (n, Contender("ceiba", f"rows {n}", settings=D8, repeats=1 if n > 10**6 else 3, whole=True))
        for n in CURVE_ROWS
    ]
    last = f"{CURVE_ROWS[-1]:,}"
    judged = tuple((f"{n:,}", float(n)) for n in CURVE_ROWS if n >= JUDGED_ROWS)
    every = tuple((f"{n:,}", float(n)) for n in CURVE_ROWS)
    return _curve(
        "rows, 20 float32, 2 classes, depth 8",
        points,
        Bar("exponent", last, limit=1.1, points=judged),
        Bar("exponent", last, points=every),
        Bar("peak", last, limit=3 * GIGABYTE),
        Bar("memory", last),
    )


def _points(thing: str, sizes: Iterable[int], settings: Settings) -> list[tuple[int, Contender]]:
    return [(n, Contender("ceiba", f"{thing} {n}", settings=settings, repeats=2)) for n in sizes]


CURVES: tuple[Race, ...] = (
    _in_rows(),
    _curve("columns, {rows} rows, 2 classes, depth 8", _points("columns", CURVE_COLUMNS, D8)),
    _curve("classes, {rows} x 20 float32, depth 8", _points("classes", CURVE_CLASSES, D8)),
    _curve(
        "levels, {rows} rows, 4 categories, 5 numbers, 2 classes, depth 8",
        _points("levels", CURVE_LEVELS, D8),
    ),
    _curve(
        "depth, {rows} x 20 float32, 2 classes",
        [
            (n, Contender("ceiba", "classes", settings=Settings(n, min_samples_leaf=50), repeats=2))
            for n in CURVE_DEPTHS
        ],
    ),
)
