"""CPU time of fits with `min_significance`: `python -m benchmarks.significance`."""

from __future__ import annotations

import time

import numpy as np

import ceiba

ROWS, COLUMNS, RUNS = 10_000, 20, 2


def table(mixed: bool) -> tuple[np.ndarray, np.ndarray]:
    """Draw columns of normal numbers, or half of them of two and eight values, and a target."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, COLUMNS))
    if mixed:
        X[:, 10:15] = rng.integers(0, 2, (ROWS, 5))
        X[:, 15:] = rng.integers(0, 8, (ROWS, 5))
    signal = sum(0.6 / (j + 1) * (X[:, j] > 0) for j in range(10))
    signal = signal + 0.5 * (X[:, 10] > 0) * (X[:, 0] > 0.5) + 0.2 * X[:, 12]
    return X, signal + rng.normal(size=ROWS)


def main() -> None:
    """Print the least CPU time of two fits per target and kind of columns."""
    for mixed in (False, True):
        X, y = table(mixed)
        for make, target in (
            (ceiba.DecisionTreeClassifier, (y > np.median(y)).astype(int)),
            (ceiba.DecisionTreeRegressor, y),
        ):
            times = []
            for _ in range(RUNS):
                start = time.process_time()
                make(min_significance=0.05).fit(X, target)
                times.append(time.process_time() - start)
            columns = "numbers and few values" if mixed else "numbers"
            print(f"{make.__name__}, {columns}: {min(times):.2f} s", flush=True)


if __name__ == "__main__":
    main()
