"""Response times of the studio on a large table: `python -m benchmarks.studio`.

    --rows 1000000 --columns 20     size of the table
    --times 7                       repetitions, of which the best counts
    --opening                       instead: a CSV until its first screen, compared with polars
    --dragging                      instead: a dragged cut, measured in Chromium

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
    whole, target = read_whole_table(table(n_rows, n_columns), "y")
    source = Source("made up", whole)
    return Workspace(source, initial_setup(source, target, {}))


def tell_opening(n_rows: int, n_columns: int, times: int) -> None:
    """Print how long a CSV takes until its first screen, and what the bar allows."""
    results = opening(table(n_rows, n_columns), times)
    print(f"{'':<34}{'wall s':>8}{'CPU s':>8}")
    for name, (wall, cpu) in results.items():
        print(f"{name:<34}{wall:>8.2f}{cpu:>8.2f}")
    wall, cpu = results["polars reads it"]
    print(f"{'bar: 1.5 times polars + 2 s':<34}{1.5 * wall + 2:>8.2f}{1.5 * cpu + 2:>8.2f}")


def tell_dragging(n_rows: int, n_columns: int) -> None:
    """Print how long a dragged cut takes to answer."""
    made = dragging(partial(workspace, n_rows, n_columns), 60)
    print(f"a cut dragged over {n_rows:,} rows, {made.pop('n')} movements, medians:")
    for name, milliseconds in made.items():
        print(f"{name:<34}{milliseconds:>8.1f} ms")
    print(f"{'bar':<34}{BUDGETS['preview of a cut']:>8.1f} ms")


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
            tell_dragging(given.rows, given.columns)
        return
    whole, target = read_whole_table(table(given.rows, given.columns), "y")
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
    values = np.sort(whole.column("x1").values)
    edge = float(values[-min(50_000, given.rows // 2)])
    service.act({"action": "take", "arguments": {"node": 0, "split": f"x1 > {edge!r}"}})
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
