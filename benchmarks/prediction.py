"""Where rows end in a tree, by the kind of its splits: CPU time per row, beside scikit-learn.

Trees of depth 8 from 100,000 rows route all rows of a table that is read already: the least CPU
time of several calls, all threads together. "ratio" is to plain cuts.

    python -m benchmarks.prediction [rows]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from benchmarks.bars import PREDICTION
from ceiba import DecisionTreeClassifier, _core
from ceiba.families import chaid
from ceiba.table import read

LEARNED: Final = 100_000
REPEATS: Final = 7


def columns(n: int, *, levels: int = 0, missing: float = 0.0) -> tuple[dict[str, Any], Any]:
    """Draw ten columns and two classes; `levels`: columns 0, 2, 4 ... have so many levels."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 10))
    score = X[:, 0] * X[:, 1] + X[:, 2] + np.abs(X[:, 3]) + rng.normal(size=n)
    if missing:
        X[rng.random(X.shape) < missing] = np.nan
    drawn: dict[str, Any] = {f"x{j}": X[:, j] for j in range(10)}
    for j in range(0, 10 if levels else 0, 2):
        codes = np.searchsorted(np.quantile(X[:, j], np.arange(1, levels) / levels), X[:, j])
        names = np.array([f"level {(7 * k) % levels:02d}" for k in range(levels)])
        drawn[f"x{j}"] = names[codes]
    return drawn, (score > score.mean()).astype(int)


def cpu_seconds(work: Callable[[], Any]) -> float:
    """Return the least CPU time of several calls."""
    best = np.inf
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return float(best)


def main() -> None:
    """Print nanoseconds per row and ratios."""
    from sklearn.tree import DecisionTreeClassifier as Peer

    n = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000
    plain: float | None = None

    def show(name: str, seconds: float, leaves: str = "") -> None:
        ratio = seconds / plain if plain else 1.0
        goal = PREDICTION.get(name)
        verdict = "" if goal is None else f"<= {goal} | " + ("met" if ratio <= goal else "MISSED")
        print(
            f"| {name}{leaves} | {1e9 * seconds / n:.1f} ns | {ratio:.2f} | {verdict} |", flush=True
        )

    def race(name: str, model: Any, data: dict[str, Any], y: Any) -> float:
        head = {key: values[:LEARNED] for key, values in data.items()}
        tree = model.fit(head, y[:LEARNED]).tree_
        rows = read(data)
        seconds = cpu_seconds(lambda: tree.apply(rows))
        show(name, seconds, f", {tree.n_leaves} leaves")
        return seconds

    data, y = columns(n)
    plain = race("cuts", DecisionTreeClassifier(max_depth=8), data, y)
    _core.allow_wide_registers(False)
    race("cuts without AVX-512", DecisionTreeClassifier(max_depth=8), data, y)
    _core.allow_wide_registers(True)
    X = np.stack(list(data.values()), axis=1).astype(np.float32)
    peer = Peer(max_depth=8, random_state=0).fit(X[:LEARNED], y[:LEARNED])
    show("scikit-learn, cuts", cpu_seconds(lambda: peer.tree_.apply(X)))
    levels, y = columns(n, levels=20)
    race("categories of 20 levels", DecisionTreeClassifier(max_depth=8), levels, y)
    multiway = DecisionTreeClassifier(max_depth=8, categorical_splits="multiway")
    race("multiway categories", multiway, levels, y)
    race("CHAID, intervals", chaid(max_depth=8), data, y)
    surrogates = DecisionTreeClassifier(max_depth=8, missing="surrogate")
    holes, y = columns(n, missing=0.2)
    race("surrogates, a fifth of the cells missing", surrogates, holes, y)
    race(
        "learned directions, a fifth of the cells missing",
        DecisionTreeClassifier(max_depth=8),
        holes,
        y,
    )


if __name__ == "__main__":
    main()
