"""Random survival times with ties, zero times and censoring, some of them weighted."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


class Case(NamedTuple):
    time: npt.NDArray[np.float64]
    event: npt.NDArray[np.bool_]
    weight: npt.NDArray[np.float64]
    risk: npt.NDArray[np.float64]


def draw_case(seed: int, most: int = 60) -> Case:
    """Draw rows; every third case has distinct times, every second one weights of 1 to 3."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, most))
    time: npt.NDArray[Any] = rng.exponential(5, n)
    if seed % 3:
        time = np.floor(time)
    event = rng.random(n) < rng.uniform(0.3, 1.0)
    event[np.argmin(time)] = True  # some pair is comparable
    weight = rng.integers(1, 4, n).astype(np.float64) if seed % 2 else np.ones(n)
    risk = rng.integers(0, 5, n) / 4 if seed % 4 else rng.normal(size=n)
    return Case(time.astype(np.float64), event, weight, risk.astype(np.float64))


def simulate(n: int, seed: int) -> dict[str, npt.NDArray[Any]]:
    """Draw exponential times whose rate depends on age and stage; a third is censored."""
    rng = np.random.default_rng(seed)
    age, stage = rng.uniform(30, 80, n).round(), rng.choice(["I", "II", "III"], n)
    noise = rng.normal(size=n).round(2)
    rate = np.exp(0.9 * (age > 60) + 1.0 * (stage == "III")) / 10
    time, censored = rng.exponential(1 / rate), rng.uniform(2, 25, n)
    return {
        "age": age,
        "stage": stage,
        "noise": noise,
        "weeks": np.minimum(time, censored).round(2),
        "died": time <= censored,
    }
