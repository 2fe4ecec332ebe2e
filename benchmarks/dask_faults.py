"""Workers killed during a fit on Dask: equality of the tree, and additional time.

    python -m benchmarks.dask_faults [--rows 5000000] [--columns 20] [--depth 8] [--workers 2]
        [--times 3] [--folder DIR]

In each phase (setup, count, zoom, fetch) one worker gets SIGKILL during its answer; its nanny
starts another. Fits with and without a kill alternate on one cluster. Bar: the same tree, within
twice the wall time.
"""

from __future__ import annotations

import argparse
import os
import signal
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.beyond_memory import write_files

PHASES = ("setup", "count", "zoom", "fetch")


class Killer:
    """Kills one worker the next time a phase is reached."""

    def __init__(self, client: Any) -> None:
        from ceiba import _core
        from ceiba.shards.homes import dask as dask_home
        from ceiba.shards.homes.dask import DaskExchange

        self.client, self.phase, self.kills = client, "", 0
        asked = ""
        join_rounds, wait, submit_rounds = (
            _core.join_rounds,
            dask_home._wait,
            DaskExchange._submit_rounds,
        )

        def note_phase(growers: Any) -> Any:
            nonlocal asked
            asked = growers[0][1].asks
            return join_rounds(growers)

        def kill_after_submit(exchange: Any, rounds: Any) -> Any:
            future = submit_rounds(exchange, rounds)
            self.reached(asked)
            return future

        def kill_before_wait(*args: Any) -> Any:
            self.reached("setup")
            return wait(*args)

        _core.join_rounds = note_phase
        dask_home._wait = kill_before_wait
        DaskExchange._submit_rounds = kill_after_submit  # type: ignore[method-assign]

    def reached(self, phase: str) -> None:
        """Kill, once, if this is the phase."""
        if phase == self.phase:
            self.phase = ""
            self.kills += 1
            os.kill(next(iter(self.client.run(os.getpid).values())), signal.SIGKILL)


def fitted(client: Any, folder: str, depth: int) -> tuple[float, Any]:
    """Fit, and give the wall time and the tree."""
    import ceiba

    begin = time.perf_counter()
    scan = ceiba.scan(f"{folder}/*.parquet", cluster=client)
    model = ceiba.DecisionTreeClassifier(max_depth=depth).fit(scan, "y")
    return time.perf_counter() - begin, model.tree_


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--depth", type=int, default=8)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--folder", default=None)
    asked = parser.parse_args()
    from distributed import Client, LocalCluster

    with (
        tempfile.TemporaryDirectory(dir=asked.folder) as folder,
        LocalCluster(
            n_workers=asked.workers, threads_per_worker=1, dashboard_address=":0", memory_limit=0
        ) as cluster,
        Client(cluster) as client,
    ):
        write_files(Path(folder), asked.rows, asked.columns, noise=False)
        killer = Killer(client)
        _, expected = fitted(client, folder, asked.depth)  # workers import what they need
        for phase in PHASES:
            calm, killed, same = [], [], True
            for _ in range(asked.times):
                calm.append(fitted(client, folder, asked.depth)[0])
                killer.phase = phase
                seconds, tree = fitted(client, folder, asked.depth)
                killed.append(seconds)
                same &= tree == expected
                client.wait_for_workers(asked.workers)
            ratio = median(killed) / median(calm)
            print(
                f"{phase:6} {asked.times} kills: {median(calm):6.1f} s without, "
                f"{median(killed):6.1f} s with ({ratio:.2f} x, worst {max(killed):.1f} s), "
                f"trees {'equal' if same else 'DIFFERENT'}",
                flush=True,
            )
        if killer.kills != asked.times * len(PHASES):
            raise SystemExit(f"only {killer.kills} workers were killed")


if __name__ == "__main__":
    main()
