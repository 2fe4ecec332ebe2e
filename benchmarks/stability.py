"""Stability of 200 resamples compared with one fit: CPU time, 50,000 rows, 20 columns.

python -m benchmarks.stability
"""

from __future__ import annotations

import time

import numpy as np

import ceiba

ROWS, COLUMNS, RESAMPLES = 50_000, 20, 200
MOST = 130.0


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, COLUMNS))
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=ROWS) > 0
    worst = 0.0
    for options in ({}, {"max_depth": 8}):
        model = ceiba.DecisionTreeClassifier(**options)
        fits = []
        for _ in range(7):
            start = time.process_time()
            model.fit(X, y)
            fits.append(time.process_time() - start)
        start, wall = time.process_time(), time.perf_counter()
        model.stability(X, y, resamples=RESAMPLES)
        spent, wall = time.process_time() - start, time.perf_counter() - wall
        one = float(np.median(fits))
        worst = max(worst, spent / one)
        print(
            f"{options}: one fit {one:.3f} s, {RESAMPLES} resamples {spent:.2f} s: "
            f"{spent / one:.0f} times; {spent / wall:.2f} cores busy"
        )
    if worst > MOST:
        raise SystemExit(f"more than {MOST:g} times one fit")


if __name__ == "__main__":
    main()
