"""Time until the studio's first screen shows a large CSV: a part of `benchmarks.studio`.

A bar compares it with polars: at most 1.5 times the time of polars to read the file, plus 2
seconds. Polars runs in a separate process, without its import. The studio is the whole command,
from its start until the replies for state and columns. CPU time is that of each process, the
meaningful figure on a busy machine.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np

_READ = """
import sys, time, polars as pl
wall, cpu = time.perf_counter(), time.process_time()
pl.read_csv(sys.argv[1])
print(time.perf_counter() - wall, time.process_time() - cpu)
"""


def opening(data: dict[str, Any], times: int) -> dict[str, tuple[float, float]]:
    """Wall and CPU seconds of the best repetition: polars, our address, state and columns."""
    import polars as pl

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "large.csv")
        rounded = {
            name: np.round(one, 4) if one.dtype.kind == "f" else one for name, one in data.items()
        }
        pl.DataFrame(rounded).write_csv(path)
        print(f"CSV of {path.stat().st_size / 1e6:.0f} MB")
        read, opened = [], []
        for _ in range(times):  # in turns: both meet the same machine
            read.append(_polars(path))
            opened.append(_opened(path))
    names = ["address printed", "state answered", "first screen: columns answered"]
    best = {"polars reads it": tuple(min(one[k] for one in read) for k in (0, 1))}
    for at, name in enumerate(names):
        best[name] = tuple(min(one[at][k] for one in opened) for k in (0, 1))
    return best  # type: ignore[return-value]


def _polars(path: Path) -> tuple[float, float]:
    command = [sys.executable, "-c", _READ, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    wall, cpu = map(float, done.stdout.split())
    return wall, cpu


def _opened(path: Path) -> list[tuple[float, float]]:
    """Open the studio on a file: when its address, its state and its columns were there."""
    Path(f"{path}.studio").unlink(missing_ok=True)
    begin = time.perf_counter()
    command = [sys.executable, "-m", "ceiba", "studio", str(path), "--target", "y"]
    process = subprocess.Popen(
        [*command, "--no-browser"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    seen = []
    try:
        assert process.stdout is not None
        address = next(
            match
            for line in process.stdout
            if (match := re.search(r"(http\S+/)\?token=(\S+)", line))
        )
        seen.append((time.perf_counter() - begin, _cpu(process.pid)))
        for what in ("state", "columns"):
            headers = {"X-Ceiba-Token": address[2]}
            asked = urllib.request.Request(f"{address[1]}api/{what}", headers=headers)
            with urllib.request.urlopen(asked) as answer:
                answer.read()
            seen.append((time.perf_counter() - begin, _cpu(process.pid)))
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()  # type: ignore[union-attr]
    return seen


def _cpu(process: int) -> float:
    """CPU seconds of a process so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
