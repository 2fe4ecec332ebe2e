"""Out of core compared with in memory: CPU time, private memory, and equality of the trees.

    python -m benchmarks.beyond_memory [--rows 5000000] [--columns 20] [--depth 8] [--noise]
        [--folder DIR] [--memory 4GB] [--skip-memory]

Writes Parquet files of a million rows to a temporary directory below DIR: float32 columns (some
with few values, ties or a long tail) and two classes. Each fit runs in a separate process; its
private memory is the largest RssAnon seen (Linux), which excludes mapped files. Both fits include
reading the files.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

FILE_ROWS = 1_000_000


def write_files(folder: Path, n_rows: int, n_columns: int, noise: bool) -> None:
    """Write the table."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for k, begin in enumerate(range(0, n_rows, FILE_ROWS)):
        rng = np.random.default_rng(k)
        n = min(FILE_ROWS, n_rows - begin)
        X = rng.normal(size=(n_columns, n)).astype(np.float32)
        X[1] = np.round(X[1] * 2)
        X[2] = np.exp(2 * X[2])
        X[3] = np.round(X[3] * 1000) / 1000
        signal = X[0] + 0.5 * X[1] + np.log(X[2]) * X[4]
        y = rng.normal(size=n) if noise else signal + rng.normal(size=n)
        columns = {f"x{j}": X[j] for j in range(n_columns)}
        pq.write_table(
            pa.table({**columns, "y": (y > 0.3).astype(np.int64)}),
            folder / f"part{k:05}.parquet",
            compression="snappy",
            row_group_size=FILE_ROWS // 4,
        )


def private_memory() -> int:
    """Return RssAnon of this process in bytes."""
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))


class Watch(threading.Thread):
    """Looks at the private memory until it is stopped."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most, self.running = 0, True

    def run(self) -> None:
        """Look every 20 ms."""
        while self.running:
            self.most = max(self.most, private_memory())
            time.sleep(0.02)


def fit(how: str, asked: Any) -> dict[str, Any]:
    """Fit one way, and say what it took."""
    import ceiba

    watch = Watch()
    watch.start()
    model = ceiba.DecisionTreeClassifier(max_depth=asked.depth, n_jobs=asked.threads)
    pattern = str(Path(asked.folder) / "*.parquet")
    start, wall = time.process_time(), time.perf_counter()
    if how == "scan":
        model.fit(ceiba.scan(pattern, memory=asked.memory, scratch=asked.folder), "y")
    else:
        import pyarrow.parquet as pq

        model.fit(pq.read_table(asked.folder), "y")
    tree = model.tree_
    digest = [
        tree.parent.tolist(),
        tree.splits.column.tolist(),
        [cut.hex() for cut in tree.splits.cut.tolist()],
        [gain.hex() for gain in tree.gain.tolist()],
        tree.counts.tolist(),
    ]
    watch.running = False
    return {
        "cpu": time.process_time() - start,
        "wall": time.perf_counter() - wall,
        "memory": watch.most,
        "nodes": len(tree.parent),
        "tree": digest,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--depth", type=int, default=8)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--memory", default="4GB")
    parser.add_argument("--folder", default=None)
    parser.add_argument("--noise", action="store_true", help="a target without any signal")
    parser.add_argument("--skip-memory", action="store_true", help="do not fit in memory")
    parser.add_argument("--fit", choices=("scan", "memory"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.fit:
        print(json.dumps(fit(asked.fit, asked)))
        return
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        write_files(Path(folder), asked.rows, asked.columns, asked.noise)
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
        print(f"{asked.rows:,} x {asked.columns}, {size / 1e9:.2f} GB of Parquet", flush=True)
        found = {}
        for how in ("scan",) if asked.skip_memory else ("memory", "scan"):
            command = [sys.executable, "-m", "benchmarks.beyond_memory", "--fit", how]
            command += ["--depth", str(asked.depth), "--threads", str(asked.threads)]
            command += ["--memory", asked.memory, "--folder", folder]
            out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            one = found[how] = json.loads(out)
            print(
                f"{how:7} {one['cpu']:8.2f} s CPU, {one['wall']:8.2f} s wall, "
                f"{one['memory'] / 1e9:6.2f} GB private memory, {one['nodes']} nodes",
                flush=True,
            )
        if len(found) == 2:
            same = found["scan"]["tree"] == found["memory"]["tree"]
            ratio = found["scan"]["cpu"] / found["memory"]["cpu"]
            print(f"trees {'equal' if same else 'DIFFERENT'}, CPU {ratio:.2f} x in memory")


if __name__ == "__main__":
    main()
