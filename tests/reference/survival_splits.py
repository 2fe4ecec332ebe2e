"""Survival trees in plain Python: log-rank tests by their definition, deviances, greedy splits.

Rows are (time, event, weight). Everything is a Fraction where the definition is rational.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from math import log
from typing import NamedTuple

Row = tuple[float, bool, Fraction]


def log_rank(rows: Sequence[Row], left: Sequence[bool]) -> tuple[Fraction, Fraction]:
    """Return O - E of the left side and its variance (hypergeometric, weights as repetitions)."""
    score = variance = Fraction(0)
    for time in sorted({t for t, event, _ in rows if event}):
        at_risk = sum(w for t, _, w in rows if t >= time)
        dead = sum(w for t, event, w in rows if t == time and event)
        at_risk_left = sum(w for (t, _, w), side in zip(rows, left, strict=True)
                           if side and t >= time)  # fmt: skip
        dead_left = sum(w for (t, event, w), side in zip(rows, left, strict=True)
                        if side and t == time and event)  # fmt: skip
        share = Fraction(at_risk_left) / at_risk
        score += dead_left - dead * share
        if at_risk > 1:
            variance += dead * share * (1 - share) * (at_risk - dead) / (at_risk - 1)
    return score, variance


def half_chi_square(rows: Sequence[Row], left: Sequence[bool]) -> Fraction | None:
    """Return half the chi-square of two sides; None if no event tells them apart."""
    score, variance = log_rank(rows, left)
    return score * score / variance / 2 if variance > 0 else None


def scaled_times(rows: Sequence[Row]) -> list[float]:
    """Return times on the scale with an overall hazard of 1, as in rpart's method="exp"."""
    deaths = sorted({t for t, event, _ in rows if event})
    borders = [0.0, *deaths[:-1], max(t for t, _, _ in rows)]
    hazard = [0.0]
    for low, high in pairwise(borders):
        dead = sum(w for t, event, w in rows if event and low < t <= high)
        exposed = sum(float(w) * (min(t, high) - low) for t, _, w in rows if t > low)
        hazard.append(hazard[-1] + (float(dead) / exposed * (high - low) if exposed else 0.0))
    scaled = []
    for t, _, _ in rows:
        k = next(k for k in range(1, len(borders)) if t <= borders[k])
        share = (t - borders[k - 1]) / (borders[k] - borders[k - 1])
        scaled.append(hazard[k - 1] + share * (hazard[k] - hazard[k - 1]))
    return scaled


def half_deviance(rows: Sequence[Row], scaled: Sequence[float]) -> float:
    """Return half the exponential deviance of rows about their own hazard."""
    dead = sum(float(w) for _, event, w in rows if event)
    exposed = sum(float(w) * s for (_, _, w), s in zip(rows, scaled, strict=True))
    logs = sum(-float(w) * log(s) for (_, event, w), s in zip(rows, scaled, strict=True) if event)
    return logs - dead * log(dead / exposed) if dead else 0.0


class Cut(NamedTuple):
    """A division of rows by a column: numbers up to `cut`, or a set of levels."""

    column: int
    left: tuple[bool, ...]


def cuts(
    columns: Sequence[Sequence[float | str | None]],
    rates: Callable[[Sequence[bool]], float] | None = None,
) -> Iterator[Cut]:
    """Yield all divisions in the order in which ties are decided; missing values go each way.

    With the rate of some rows, levels are only cut in the order of their rates.
    """
    for j, column in enumerate(columns):
        present = sorted({value for value in column if value is not None})  # type: ignore[type-var]
        n_missing = sum(value is None for value in column)
        sets: list[frozenset[object]]
        is_levels = bool(present) and isinstance(present[0], str)
        if is_levels and rates is not None:
            present.sort(key=lambda level: rates([v == level for v in column]))
        elif is_levels:
            assert len(present) <= 10
            rest = present[1:]
            sets = [frozenset([present[0], *some]) for k in range(len(rest) + 1)
                    for some in combinations(rest, k)]  # fmt: skip
        if not is_levels or rates is not None:
            sets = [frozenset(present[: k + 1]) for k in range(len(present))]
        for missing_left in (False, True) if n_missing else (False,):
            for some in sets:
                left = tuple(missing_left if v is None else v in some for v in column)
                if any(left) and not all(left):
                    yield Cut(j, left)


def best_cuts(
    rows: Sequence[Row],
    columns: Sequence[Sequence[float | str | None]],
    criterion: str,
    min_rows: int = 1,
    min_events: int = 0,
) -> tuple[float, list[Cut]]:
    """Return the largest gain (a sum over rows) and all divisions that have it.

    Under limits, the exponential criterion tries the cuts of levels in the order of their rates.
    """
    scaled = scaled_times(rows)

    def rate(chosen: Sequence[bool]) -> float:
        weights = [float(w) if c else 0.0 for (_, _, w), c in zip(rows, chosen, strict=True)]
        events = sum(w for w, (_, event, _) in zip(weights, rows, strict=True) if event)
        return events / sum(w * s for w, s in zip(weights, scaled, strict=True))

    limited = min_rows > 1 or min_events > 0
    best, found = float("-inf"), []
    for cut in cuts(columns, rate if limited and criterion == "exponential" else None):
        sides = [[i for i, side in enumerate(cut.left) if side == which] for which in (True, False)]
        events = [sum(rows[i][2] for i in side if rows[i][1]) for side in sides]
        if min(map(len, sides)) < min_rows or min(events) < min_events:
            continue
        if criterion == "logrank":
            half = half_chi_square(rows, cut.left)
            if half is None:
                continue
            gain = float(half)
        else:
            parts = [half_deviance([rows[i] for i in s], [scaled[i] for i in s]) for s in sides]
            gain = half_deviance(rows, scaled) - sum(parts)
        if gain > best + 1e-9:
            best, found = gain, [cut]
        elif gain > best - 1e-9:
            found.append(cut)
    return best, found
