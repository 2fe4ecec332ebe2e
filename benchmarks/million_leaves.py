"""Save, load, exports and report of a tree of a million leaves: CPU time, size, peak memory.

    python -m benchmarks.million_leaves [--leaves 1000000]

Each step must work and agree with the fitted tree; the exit status is that of the last failure.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import ceiba

FORMATS = ("c", "javascript", "python", "text", "json", "sql")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--leaves", type=int, default=1_000_000)
    n = parser.parse_args().leaves
    rng = np.random.default_rng(0)
    X, y = {"x": rng.permutation(n).astype(float)}, rng.normal(size=n)
    rows = {"x": np.linspace(-1, n, 10_001)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = step("fit", lambda: ceiba.DecisionTreeRegressor().fit(X, y))
        tree = model.tree_
        print(f"{tree.n_leaves:,} leaves, depth {tree.depth}")
        step("save", lambda: model.save(folder / "tree.ceiba"), folder / "tree.ceiba")
        loaded = step("load", lambda: ceiba.load(folder / "tree.ceiba"))
        assert np.array_equal(loaded.predict(rows), model.predict(rows))
        assert loaded.tree_ == tree
        step("report", lambda: model.report(folder / "tree.html"), folder / "tree.html")
        for one in FORMATS:
            path = folder / f"tree.{one}"
            step(f"export {one}", lambda one=one, path=path: tree.export(one, path), path)


def step(name: str, work: Callable[[], Any], path: Path | None = None) -> Any:
    """Do some work; print its CPU time, the size of its file and the peak memory so far."""
    start = time.process_time()
    result = work()
    size = "" if path is None else f"{path.stat().st_size / 1e6:8.1f} MB"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{name:18}{time.process_time() - start:7.1f} s{peak:6.1f} GB{size}", flush=True)
    return result


if __name__ == "__main__":
    main()
