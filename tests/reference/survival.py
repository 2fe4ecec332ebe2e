"""Survival curves and metrics by their definitions: loops over rows, pairs and times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist


def kaplan_meier(
    time: Sequence[float], event: Sequence[bool], weight: Sequence[float]
) -> list[tuple[float, float, float, float]]:
    """Return (time, S, variance of log S, cumulative hazard) at each distinct time."""
    rows, s, variance, hazard = [], 1.0, 0.0, 0.0
    for t in sorted(set(time)):
        risk = sum(w for u, w in zip(time, weight, strict=True) if u >= t)
        died = sum(w for u, e, w in zip(time, event, weight, strict=True) if u == t and e)
        s *= 1 - died / risk
        hazard += died / risk
        if died < risk:
            variance += died / (risk * (risk - died))
        rows.append((t, s, variance, hazard))
    return rows


def band(s: float, variance: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return the bounds that are symmetric on the scale log(-log S)."""
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    middle, half = math.log(-math.log(s)), z * math.sqrt(variance) / abs(math.log(s))
    return math.exp(-math.exp(middle + half)), math.exp(-math.exp(middle - half))


def restricted_mean(
    steps: Sequence[tuple[float, float]], horizon: float, n: int = 200_000
) -> float:
    """Integrate S numerically by the midpoints of n cells."""
    total, at, s = 0.0, 0, 1.0
    for k in range(n):
        t = (k + 0.5) / n * horizon
        while at < len(steps) and steps[at][0] <= t:
            s = steps[at][1]
            at += 1
        total += s / n * horizon
    return total


def censoring_at(
    time: Sequence[float], event: Sequence[bool], weight: Sequence[float], t: float
) -> float:
    """Return the probability of being uncensored at t; events precede censoring at equal times."""
    g = 1.0
    for u in sorted(set(time)):
        if u > t:
            break
        lost = sum(w for v, e, w in zip(time, event, weight, strict=True) if v == u and not e)
        risk = sum(
            w for v, e, w in zip(time, event, weight, strict=True) if v > u or (v == u and not e)
        )
        if lost:
            g *= 1 - lost / risk
    return g


def pairs(
    time: Sequence[float],
    event: Sequence[bool],
    risk: Sequence[float],
    weight: Sequence[float],
    censoring: Sequence[float],
    horizon: float = math.inf,
) -> tuple[float, float, float]:
    """Return the weights of concordant, discordant and tied pairs; `censoring` is G at each row."""
    sums = [0.0, 0.0, 0.0]
    for i in range(len(time)):
        if not event[i] or not time[i] < horizon:
            continue
        for j in range(len(time)):
            if time[j] > time[i] or (time[j] == time[i] and not event[j]):
                kind = 0 if risk[i] > risk[j] else 1 if risk[i] < risk[j] else 2
                sums[kind] += weight[i] * weight[j] / censoring[i] ** 2
    return sums[0], sums[1], sums[2]


def brier(
    time: Sequence[float],
    event: Sequence[bool],
    survival: Sequence[float],
    weight: Sequence[float],
    t: float,
    censoring: Sequence[float],
    censoring_at_t: float,
) -> float:
    """Return the Brier score at time t, weighted for censoring."""
    total = 0.0
    for i in range(len(time)):
        if time[i] <= t and event[i]:
            total += weight[i] * survival[i] ** 2 / censoring[i]
        elif time[i] > t:
            total += weight[i] * (1 - survival[i]) ** 2 / censoring_at_t
    return total / sum(weight)
