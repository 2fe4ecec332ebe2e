"""Exports of trees with thousands of levels and leaves, executed in their engines.

    python -m benchmarks.large_exports

Prints the size of each file, the CPU seconds to write it, to plan or compile it, and to predict
40,000 rows with it (SQL). Every prediction must equal that of `predict`.
"""

from __future__ import annotations

import sqlite3
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import ceiba

N = 40_000


def main() -> None:
    warnings.simplefilter("ignore", ceiba.CeibaWarning)
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4000, N)
    levels = {"code": [f"level {code:04d}" for code in codes], "x": rng.normal(size=N).tolist()}
    y = rng.normal(size=4000)[codes] + rng.normal(size=N)
    tree = ceiba.DecisionTreeRegressor(min_samples_leaf=5).fit(levels, y).tree_
    print(f"4,000 levels, {tree.n_leaves:,} leaves")
    for name in ("python", "c", "javascript"):
        write, text = timed(partial(tree.export, name))
        ready = f"compiled in {compiled(name, text):.1f} s" if name != "javascript" else ""
        print(f"  {name:12}{len(text) / 1e6:6.1f} MB, written in {write:.1f} s {ready}")
    in_databases(tree, levels)
    numbers = {f"x{j}": rng.normal(size=N).tolist() for j in range(6)}
    y = np.array(numbers["x0"]) * numbers["x1"] + rng.normal(size=N)
    tree = ceiba.DecisionTreeRegressor(max_leaf_nodes=4000).fit(numbers, y).tree_
    print(f"numbers, {tree.n_leaves:,} leaves")
    in_databases(tree, numbers)


def compiled(name: str, text: str) -> float:
    """Compile a module, or a file by gcc; return the seconds."""
    if name == "python":
        return timed(lambda: exec(compile(text, "exported", "exec"), {}))[0]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "tree.c"
        source.write_text(text, "utf-8")
        words = ["gcc", "-O1", "-shared", "-fPIC", source, "-o", Path(folder) / "tree.so", "-lm"]
        start = time.perf_counter()  # another process
        subprocess.run(words, check=True)
        return time.perf_counter() - start


def in_databases(tree: ceiba.Tree, X: dict[str, list[Any]]) -> None:
    import duckdb
    import pyarrow as pa

    expected = tree.predict(X).tolist()
    lite, duck = sqlite3.connect(":memory:"), duckdb.connect()
    lite.execute(f"CREATE TABLE data ({', '.join(X)})")
    places = ", ".join("?" * len(X))
    lite.executemany(f"INSERT INTO data VALUES ({places})", zip(*X.values(), strict=True))
    duck.execute("SET threads = 1")
    duck.register("arrow", pa.table(X))
    duck.execute("CREATE TABLE data AS SELECT * FROM arrow")
    for name, base in (("sqlite", lite), ("duckdb", duck)):
        write, query = timed(partial(tree.export, "sql", dialect=name))
        plan, _ = timed(partial(fetch, base, f"EXPLAIN {query}"))
        run, rows = timed(partial(fetch, base, f"SELECT prediction FROM ({query}) q"))
        assert [row[0] for row in rows] == expected
        size = len(query) / 1e6
        print(f"  sql {name:8}{size:6.1f} MB, written in {write:.1f} s, planned in {plan:.1f} s,"
              f" {N:,} rows in {run:.1f} s")  # fmt: skip


def fetch(base: Any, query: str) -> list[Any]:
    return base.execute(query).fetchall()  # type: ignore[no-any-return]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


if __name__ == "__main__":
    main()
