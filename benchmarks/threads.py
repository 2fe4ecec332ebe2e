"""Thread scaling: wall time of one tree by number of threads, compared with LightGBM if installed.

    python -m benchmarks.threads [--rows 1000000] [--columns 20] [--threads 1 2 4]
                                 [--repeats 3] [--workloads exact ...] [--phases]

Fits each workload alternately with every number of threads, including reading the table and the
target; the least time counts. `--phases` prints the time of each phase (wall milliseconds; in the
phase `subtrees` each thread grows a separate subtree). Memory is the increase of the peak resident
set (Linux), as a multiple of X; only that of the first workload is complete, because later ones
reuse its memory.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import ceiba
from benchmarks.bars import AGAINST_LIGHTGBM, SCALING
from ceiba import _core
from ceiba.table import Table, read

Array = np.ndarray[Any, Any]
MIN_LEAF = 40


def numbers(n_rows: int, n_columns: int) -> tuple[Array, Array]:
    """Draw float32 columns, one of few values and one with a long tail, and a noisy score."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, n_columns), dtype=np.float32)
    X[:, 1] = np.round(4 * X[:, 1])
    X[:, 2] = np.exp(X[:, 2])
    score = X[:, 0] + 0.2 * X[:, 1] + np.sin(3 * X[:, 3]) + X[:, 4] * (X[:, 5] > 0)
    return X, score + rng.standard_normal(n_rows, dtype=np.float32)


def with_holes(X: Array) -> Array:
    """Return a copy with a fifth of the values missing."""
    X = X.copy()
    X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    return X


def with_categories(X: Array, score: Array) -> tuple[Table, Array]:
    """Return a table, read already, in which every second column has 2 to 1000 levels."""
    rng = np.random.default_rng(2)
    X = X.copy()
    chosen = list(range(0, X.shape[1], 2))
    for j, n_levels in zip(chosen, np.geomspace(2, 1000, len(chosen)), strict=True):
        codes = rng.integers(0, int(n_levels), len(X))
        X[:, j] = codes
        score = score + 0.5 * rng.standard_normal(int(n_levels))[codes]
    return read(X, categorical_features=chosen), score


def workloads(n_rows: int, n_columns: int) -> dict[str, Callable[[], tuple[Any, Any, Any]]]:
    """Return what is measured: name -> function that makes a model, X and y."""
    X, score = numbers(n_rows, n_columns)
    classes = (score > 0).astype(np.int64)

    def classifier(**params: Any) -> Any:
        return ceiba.DecisionTreeClassifier(min_samples_leaf=MIN_LEAF, **params)

    def regressor(**params: Any) -> Any:
        return ceiba.DecisionTreeRegressor(min_samples_leaf=MIN_LEAF, **params)

    def categories() -> tuple[Any, Any, Any]:
        table, shifted = with_categories(X, score)
        return classifier(max_depth=8), table, (shifted > 0).astype(np.int64)

    return {
        "exact": lambda: (classifier(max_depth=8), X, classes),
        "any depth": lambda: (classifier(), X, classes),
        "regression": lambda: (regressor(max_depth=8), X, score.astype(np.float64)),
        "regression, any depth": lambda: (regressor(), X, score.astype(np.float64)),
        "max_bins": lambda: (classifier(max_depth=8, max_bins=255), X, classes),
        "missing": lambda: (classifier(max_depth=8), with_holes(X), classes),
        "categories": categories,
        "surrogates": lambda: (
            classifier(max_depth=6, missing="surrogate"),
            with_holes(X[: n_rows // 5]),
            classes[: n_rows // 5],
        ),
        "small": lambda: (classifier(max_depth=8), X[:20_000], classes[:20_000]),
    }


def lightgbm_fit(X: Any, y: Any, model: Any) -> Callable[[int], None]:
    """Return a function that grows the same kind of tree with LightGBM."""
    import lightgbm as lgb

    depth = model.max_depth
    params = {
        "objective": "regression" if isinstance(model, ceiba.DecisionTreeRegressor) else "binary",
        "num_leaves": 2**depth if depth else 4096,
        "max_depth": depth or -1,
        "min_data_in_leaf": MIN_LEAF,
        "verbose": -1,
    }

    def fit(n_threads: int) -> None:
        data = lgb.Dataset(X, y, params={"verbose": -1, "num_threads": n_threads})
        lgb.train({**params, "num_threads": n_threads}, data, num_boost_round=1)

    return fit


def added_memory(fit: Callable[[], object]) -> int:
    """Return the bytes that a fit adds to the resident set at its peak."""

    def resident(field: str) -> int:
        lines = Path("/proc/self/status").read_text("utf-8").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))

    Path("/proc/self/clear_refs").write_text("5", "utf-8")  # forget the peak so far
    before = resident("VmRSS")
    fit()
    return max(0, resident("VmHWM") - before)


def measure(
    fit: Callable[[int], object], threads: list[int], repeats: int, phases: bool
) -> tuple[dict[int, float], dict[int, dict[str, float]]]:
    """Return the least wall seconds by number of threads, and the phases of that fit."""
    least = dict.fromkeys(threads, float("inf"))
    where: dict[int, dict[str, float]] = {}
    for _ in range(repeats):
        for n in threads:
            _core.phase_seconds(phases)
            start = time.perf_counter()
            fit(n)
            seconds = time.perf_counter() - start
            spent = _core.phase_seconds(False)
            if seconds < least[n]:
                least[n], where[n] = seconds, {"all": seconds, **spent}
    return least, where


def row(name: str, least: dict[int, float]) -> str:
    """Return a line of the table: milliseconds, and how many times as fast as one thread."""
    first = next(iter(least.values()))
    cells = " | ".join(f"{1e3 * s:7.1f}" for s in least.values())
    gain = " | ".join(f"{first / s:5.2f}" for s in least.values())
    return f"| {name:28} | {cells} | {gain} |"


def verdict(what: str, figure: float, goal: float | None) -> None:
    """Print a figure beside its goal, if it has one."""
    if goal is not None:
        print(f"  {what}: {figure:.1f}x (goal {goal}x: {'met' if figure >= goal else 'MISSED'})")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 4, 8, 16])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--workloads", nargs="+")
    parser.add_argument("--phases", action="store_true")
    parser.add_argument("--minutes", type=float, default=60.0, help="begin no workload after this")
    asked = parser.parse_args()
    begin = time.perf_counter()
    has_lightgbm = importlib.util.find_spec("lightgbm") is not None
    heads = " | ".join([f"{n:4} ms" for n in asked.threads] + [f"x {n:3}" for n in asked.threads])
    print(f"| {'threads':28} | {heads} |\n|{'---|' * (1 + 2 * len(asked.threads))}", flush=True)
    for name, make in workloads(asked.rows, asked.columns).items():
        if asked.workloads and name not in asked.workloads:
            continue
        if time.perf_counter() - begin > 60 * asked.minutes:
            print(f"{name}: no time left")
            continue
        model, X, y = make()

        def fit(n: int, model: Any = model, X: Any = X, y: Any = y) -> Any:
            return model.set_params(n_jobs=n).fit(X, y)

        added = added_memory(lambda: fit(asked.threads[-1]))
        trees = [fit(n).tree_ for n in (asked.threads[0], asked.threads[-1])]
        if trees[0] != trees[1]:
            print(f"{name}: the trees differ")
        least, where = measure(fit, asked.threads, asked.repeats, asked.phases)
        print(row(name, least), flush=True)
        if 16 in least:
            verdict("16 threads against 1", least[asked.threads[0]] / least[16], SCALING.get(name))
        if asked.phases:
            for phase in where[asked.threads[0]]:
                print(row(f"  {phase}", {n: max(1e-9, where[n][phase]) for n in asked.threads}))
        if isinstance(X, np.ndarray):
            times = added / X.nbytes
            print(f"  memory with {asked.threads[-1]} threads: {times:.2f} times X", flush=True)
        if has_lightgbm and name in ("exact", "any depth", "regression", "missing"):
            peer, _ = measure(lightgbm_fit(X, y, model), asked.threads, 2, False)
            print(row(f"  LightGBM, {name}", peer), flush=True)
            if 16 in least:
                goal = AGAINST_LIGHTGBM.get(name)
                verdict("LightGBM with 16 threads", peer[16] / least[16], goal)


if __name__ == "__main__":
    main()
