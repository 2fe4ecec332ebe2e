"""Response times of the studio on a large table: `python -m benchmarks.studio`.

    --rows 1000000 --columns 20     size of the training rows; a third as many are held out
    --times 7                       repetitions, of which the best counts
    --opening                       instead: a CSV until its first screen, compared with polars
    --dragging                      instead: rivals and a dragged cut, medians in Chromium

Calls the service as the routes do, and converts the results to JSON. Prints wall and CPU
milliseconds of the best repetition; on a busy machine only the CPU time is meaningful (the split
search uses two threads, so its wall time on an idle machine is about half of it). Memory is the
peak of the process above the table, as a multiple of the table.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.machine import machine
from benchmarks.studio_dragging import dragging
from benchmarks.studio_opening import opening
from ceiba.studio.analysis.node_analysis import NodeRowCache
from ceiba.studio.launch import initial_setup
from ceiba.studio.prepare import read_whole_table
from ceiba.studio.service import Service
from ceiba.studio.work.source import Source
from ceiba.studio.work.workspace import Workspace

BUDGETS = {"rivals of the root": 400.0, "rivals of 50,000 rows": 60.0, "preview of a cut": 50.0}


def table(n_rows: int, n_columns: int) -> dict[str, Any]:
    """Numbers, whole numbers and levels; two columns matter."""
    rng = np.random.default_rng(0)
    data: dict[str, Any] = {}
    for j in range(n_columns):
        if j % 10 == 8:
            data[f"whole{j}"] = rng.integers(0, 50, n_rows).astype(np.float64)
        elif j % 10 == 9:
            data[f"level{j}"] = np.array(list("abcdefgh"))[rng.integers(0, 8, n_rows)]
        else:
            data[f"x{j}"] = rng.normal(size=n_rows)
    signal = data["x0"] + 0.5 * data["x1"] + rng.normal(size=n_rows)
    data["y"] = (signal > 0.3).astype(np.int64)
    return data


def timed(ask: Callable[[], Any], times: int) -> tuple[float, float]:
    """Wall and CPU milliseconds of the best repetition."""
    walls, cpus = [], []
    for _ in range(times):
        wall, cpu = time.perf_counter(), time.process_time()
        json.dumps(ask())
        walls.append(1e3 * (time.perf_counter() - wall))
        cpus.append(1e3 * (time.process_time() - cpu))
    return min(walls), min(cpus)


def fresh(service: Service, ask: Callable[[], Any], *, places: bool = False) -> Callable[[], Any]:
    """Ask without the answers that are kept; the rows of nodes are kept, as between two clicks."""

    def asked() -> Any:
        service._cache = (None, {})
        if places:
            service._row_cache = (
                service.workspace.data,
                NodeRowCache(service.workspace.data.X.n_rows),
            )
        return ask()

    return asked


def workspace(n_rows: int, n_columns: int) -> Workspace:
    """Open the table as the studio would."""
    whole, target = read_whole_table(table(n_rows * 4 // 3, n_columns), "y")
    source = Source("made up", whole)
    return Workspace(source, initial_setup(source, target, {}))


def branch_split(values: Any, n_rows: int) -> str:
    """Return the split of the root whose second branch has about 50,000 training rows."""
    edge = np.sort(values)[-min(50_000, n_rows // 2) * 4 // 3]
    return f"x1 > {float(edge)!r}"


def tell_opening(n_rows: int, n_columns: int, times: int) -> None:
    """Print how long a CSV takes until its first screen, and what the bar allows."""
    results = opening(table(n_rows, n_columns), times)
    print(f"{'':<34}{'wall s':>8}{'CPU s':>8}")
    for name, (wall, cpu) in results.items():
        print(f"{name:<34}{wall:>8.2f}{cpu:>8.2f}")
    wall, cpu = results["polars reads it"]
    print(f"{'bar: 1.5 times polars + 2 s':<34}{1.5 * wall + 2:>8.2f}{1.5 * cpu + 2:>8.2f}")


def tell_dragging(n_rows: int, n_columns: int, times: int) -> None:
    """Print how long rivals and a dragged cut take to answer."""
    split = branch_split(table(n_rows * 4 // 3, 2)["x1"], n_rows)
    found = dragging(partial(workspace, n_rows, n_columns), 60, split, times)
    print(f"{n_rows:,} rows, {found.pop('n')} movements of a cut, {times} lists of rivals, medians")
    print(f"{found.pop('branches in the tree')} dashed branches; ", end="")
    print(f"branch of {found.pop('rows of the branch'):,} rows")
    for name, milliseconds in found.items():
        budget = f"{BUDGETS[name]:>8.0f}" if name in BUDGETS else ""
        print(f"{name:<34}{milliseconds:>8.1f} ms{budget}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--times", type=int, default=7)
    parser.add_argument("--opening", action="store_true")
    parser.add_argument("--dragging", action="store_true")
    given = parser.parse_args()
    if given.opening or given.dragging:
        print(machine())
        if given.opening:
            tell_opening(given.rows, given.columns, given.times)
        if given.dragging:
            tell_dragging(given.rows, given.columns, given.times)
        return
    whole, target = read_whole_table(table(given.rows * 4 // 3, given.columns), "y")
    size = sum(column.values.nbytes for column in whole.columns)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    source = Source("made up", whole)
    service = Service(Workspace(source, initial_setup(source, target, {})))
    results: dict[str, tuple[float, float]] = {}

    def measure(name: str, ask: Callable[[], Any], **options: Any) -> None:
        results[name] = timed(fresh(service, ask, **options), given.times)

    measure("state of the root", service.state)
    measure("rivals of the root", lambda: service.rivals(0))
    cut = {"split": {"column": "x0", "cut": 0.1}}
    measure("preview of a cut", lambda: service.preview(0, cut))
    measure("one column with its curve", lambda: service.column(0, "x0"))
    split = branch_split(whole.column("x1").values, given.rows)
    service.act({"action": "take", "arguments": {"node": 0, "split": split}})
    measure("state after a split", service.state)
    measure("rivals of 50,000 rows", lambda: service.rivals(2))
    measure("rivals of 50,000 rows, rows not kept", lambda: service.rivals(2), places=True)
    measure("preview of a cut in 50,000 rows", lambda: service.preview(2, cut))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(machine())
    print(f"{given.rows:,} rows, {given.columns} columns, {size / 2**20:.0f} MiB")
    print(f"{'question':<40}{'wall ms':>9}{'CPU ms':>9}{'budget':>9}")
    for name, (wall, cpu) in results.items():
        budget = BUDGETS.get(name)
        print(f"{name:<40}{wall:>9.1f}{cpu:>9.1f}{'' if budget is None else f'{budget:>9.0f}'}")
    print(f"memory besides the table: {(peak - before) / size:.2f} tables")


if __name__ == "__main__":
    main()
