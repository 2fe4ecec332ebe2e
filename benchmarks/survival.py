"""Survival trees compared with scikit-survival's SurvivalTree: CPU time of one thread, in one run.

    python -m benchmarks.survival [--rows 1000 2000 4000 ...] [--depths 1 2 4 8] [--large 1000000]

20 columns of numbers, continuous times, half of them censored, log-rank tests, depth 5, leaves of
at least 3 rows. Prints the CPU time of both at each size (scikit-survival only where a fit is
expected to take less than ten minutes), their ratio, and the exponents of rows and of depth; for
`--large` the time and the memory of ceiba alone, over that of the table.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import ceiba

COLUMNS, DEPTH, LEAST_RATIO, MOST_SECONDS = 20, 5, 20.0, 600.0


def draw(rows: int) -> tuple[Any, Any]:
    """Return a table and its times as a structured array."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, COLUMNS))
    time_, limit = rng.exponential(np.exp(X[:, 0] - X[:, 1])), rng.exponential(1.0, rows)
    y = np.empty(rows, dtype=[("event", "?"), ("time", "<f8")])
    y["event"], y["time"] = time_ <= limit, np.minimum(time_, limit)
    return X, y


def cpu_seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU time of a run and its result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def exponent(figures: list[tuple[float, float]]) -> float:
    """Return k of time = c size^k, by least squares of the logarithms; NaN of one size."""
    sizes, times = np.log(np.array(figures).T)
    return float(np.polyfit(sizes, times, 1)[0]) if len(sizes) > 1 else float("nan")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="+", default=[1000, 2000, 4000, 8000, 100_000])
    parser.add_argument("--depths", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--large", type=int)
    parser.add_argument("--criterion", default="logrank")
    arguments = parser.parse_args()
    ours: Any = ceiba.DecisionTreeSurvival(
        criterion=arguments.criterion, max_depth=DEPTH, min_samples_leaf=3, n_jobs=1
    )
    if arguments.large:
        X, y = draw(arguments.large)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        seconds, _ = cpu_seconds(lambda: ours.fit(X, y))
        more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
        print(f"{arguments.large:,} rows: ceiba {seconds:.2f} s, "
              f"{more / X.nbytes:.1f} tables of memory besides X and y")  # fmt: skip
        return
    from sksurv.tree import SurvivalTree

    theirs = SurvivalTree(max_depth=DEPTH, min_samples_split=6, min_samples_leaf=3)
    figures: list[tuple[int, float, float]] = []
    for rows in arguments.rows:
        X, y = draw(rows)
        our_time = min(cpu_seconds(lambda X=X, y=y: ours.fit(X, y))[0] for _ in range(3))
        their_time = float("nan")
        # scikit-survival takes a time of about rows^2.
        if not figures or figures[-1][2] * (rows / figures[-1][0]) ** 2 < MOST_SECONDS:
            their_time, _ = cpu_seconds(lambda X=X, y=y: theirs.fit(X, y))
        figures.append((rows, our_time, their_time))
        print(f"{rows:>9,} rows: ceiba {our_time:.3f} s, scikit-survival {their_time:.2f} s, "
              f"{their_time / our_time:.0f} times", flush=True)  # fmt: skip
    known = [row for row in figures if row[2] == row[2]]
    print(f"ceiba: rows^{exponent([row[:2] for row in figures]):.2f}, "
          f"scikit-survival: rows^{exponent([row[::2] for row in known]):.2f}")  # fmt: skip
    X, y = draw(max(arguments.rows))
    times = [cpu_seconds(lambda d=d: ours.set_params(max_depth=d).fit(X, y))[0]
             for d in arguments.depths]  # fmt: skip
    listed = ", ".join(f"{d}: {t:.2f} s" for d, t in zip(arguments.depths, times, strict=True))
    slope = exponent(list(zip(arguments.depths, times, strict=True)))
    print(f"{len(X):,} rows by depth: {listed}; depth^{slope:.2f}")
    if known[-1][2] / known[-1][1] < LEAST_RATIO:
        raise SystemExit(f"less than {LEAST_RATIO:g} times as fast")


if __name__ == "__main__":
    main()
