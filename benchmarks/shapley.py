"""Shapley values compared with the package shap: CPU time of one thread, in one run.

    python -m benchmarks.shapley

100,000 rows, 20 float32 numbers, a regression tree of depth 8; the same tree (`to_sklearn`) and the
same values for both. Prints times, their ratio and the largest difference.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import ceiba

ROWS, COLUMNS, DEPTH, REPEATS = 100_000, 20, 8, 3
LEAST_RATIO = 10.0


def cpu_seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the least CPU time of some runs, and what the last gave."""
    times, result = [], None
    for _ in range(REPEATS):
        start = time.process_time()
        result = work()
        times.append(time.process_time() - start)
    return min(times), result


def main() -> None:
    import shap

    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, COLUMNS)).astype(np.float32).astype(np.float64)
    noise = rng.normal(size=ROWS)
    y = X @ rng.normal(size=COLUMNS) + np.sin(3 * X[:, 0]) * X[:, 1] + noise
    tree = ceiba.DecisionTreeRegressor(max_depth=DEPTH).fit(X, y).tree_
    theirs = shap.TreeExplainer(tree.to_sklearn())
    ours_time, ours = cpu_seconds(lambda: tree.shap_values(X, n_threads=1).values)
    their_time, values = cpu_seconds(lambda: theirs.shap_values(X, check_additivity=False))
    ratio = their_time / ours_time
    print(f"{ROWS:,} rows, {COLUMNS} columns, depth {DEPTH}, {tree.n_leaves} leaves, one thread")
    print(f"ceiba {ours_time:.3f} s, shap {shap.__version__} {their_time:.3f} s: {ratio:.1f} times")
    print(f"largest difference {np.abs(ours - values).max():.2g}")
    if ratio < LEAST_RATIO:
        raise SystemExit(f"less than {LEAST_RATIO:g} times as fast")


if __name__ == "__main__":
    main()
